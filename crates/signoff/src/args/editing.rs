//! Arguments of the commands that edit a plan and comment on it.

use clap::{Args, Subcommand};

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// The plan: its path, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) plan: String,
    #[command(subcommand)]
    pub(crate) change: EditCommand,
    /// Refuse unless the plan has this version now
    #[arg(long, value_name = "N", global = true)]
    pub(crate) expect_version: Option<u64>,
    /// Refuse unless the digest of the plan begins with this
    #[arg(long, value_name = "DIGEST", global = true)]
    pub(crate) expect_digest: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Human, global = true)]
    pub(crate) format: Format,
}

/// What is changed.
#[derive(Debug, Subcommand)]
pub(crate) enum EditCommand {
    /// Give a field of a step a value; with `--plan`, a field of the plan
    ///
    /// Lists are written with commas or as JSON, objects as JSON. `contract` is the command of the contract.
    #[command(
        after_help = "Examples:\n  signoff edit plan.md set build task \"Build it with --locked\"\n  signoff edit plan.md set 2 depends_on build,lint\n  signoff edit plan.md set test contract.expect \"exit_code == 0, stdout contains ok\"\n  signoff edit plan.md set --plan title \"A better name\"\n  signoff edit plan.md set build timeout --clear"
    )]
    Set(SetField),
    /// Add a step
    #[command(
        after_help = "Examples:\n  signoff edit plan.md add \"Write the changelog\" --after test --set role=coder --set contract=\"grep -q 1.2 CHANGELOG.md\"\n  signoff edit plan.json add \"Read it\" --set tool=read_file --set 'args={\"path\": \"a.txt\"}'"
    )]
    Add(AddStep),
    /// Move a step; refused if a step would then stand before one that it waits for
    #[command(
        after_help = "Examples:\n  signoff edit plan.md move deploy --after test\n  signoff edit plan.md move 3 --before 1"
    )]
    Move(MoveStep),
    /// Leave a step out of runs: writes `when: false`
    #[command(after_help = "Example:\n  signoff edit plan.md skip deploy")]
    Skip {
        /// Id or number of the step
        #[arg(value_name = "STEP")]
        step: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SetField {
    /// `STEP FIELD VALUE`; with `--plan`, `FIELD VALUE`; with `--clear`, no value
    #[arg(required = true, num_args = 1..=3, value_names = ["STEP", "FIELD", "VALUE"])]
    pub(crate) words: Vec<String>,
    /// The field is one of the plan
    #[arg(long = "plan")]
    pub(crate) of_plan: bool,
    /// Remove the field
    #[arg(long)]
    pub(crate) clear: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AddStep {
    /// Title of the step
    #[arg(value_name = "TITLE")]
    pub(crate) title: String,
    /// After this step; the default is after all others
    #[arg(long, value_name = "STEP", conflicts_with = "before")]
    pub(crate) after: Option<String>,
    /// Before this step
    #[arg(long, value_name = "STEP")]
    pub(crate) before: Option<String>,
    /// A field of the step and its value
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MoveStep {
    /// Id or number of the step
    #[arg(value_name = "STEP")]
    pub(crate) step: String,
    /// Before this step
    #[arg(
        long,
        value_name = "STEP",
        required_unless_present = "after",
        conflicts_with = "after"
    )]
    pub(crate) before: Option<String>,
    /// After this step
    #[arg(long, value_name = "STEP")]
    pub(crate) after: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Review {
    /// The plan: its path, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) plan: String,
}

#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// The run: its name, the beginning or end of it, or its plan; the default is the newest
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Comment {
    /// The plan: its path, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) plan: String,
    /// The comment; before it, the step that it is about
    #[arg(value_name = "[STEP] TEXT", num_args = 0..=2, required_unless_present_any = ["list", "resolve"])]
    pub(crate) words: Vec<String>,
    /// List the comments
    #[arg(long, conflicts_with_all = ["words", "resolve"])]
    pub(crate) list: bool,
    /// Resolve this comment
    #[arg(long, value_name = "ID", conflicts_with = "words")]
    pub(crate) resolve: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}
