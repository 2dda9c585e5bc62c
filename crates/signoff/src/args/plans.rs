//! Arguments of the commands that write, check and look at plans.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use signoff_plan::dialect::Dialect;
use signoff_plan::import::ImportFormat;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// Files, directories of plans, or `-` for stdin
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[arg(long, value_enum, default_value_t = VerifyFormat::Human)]
    pub(crate) format: VerifyFormat,
    /// Treat these as errors
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<Deny>,
    /// The same as `--deny warnings`
    #[arg(long, hide = true)]
    pub(crate) deny_warnings: bool,
    /// Read every plan in this dialect instead of recognising it
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
}

impl Verify {
    pub(crate) fn denies_warnings(&self) -> bool {
        self.deny_warnings || self.deny.contains(&Deny::Warnings)
    }
}

/// What can be made an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    Warnings,
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// Name of the plan, and of its file
    pub(crate) name: Option<String>,
    /// Template to begin from: bugfix, feature, refactor, migration, release, or a saved one
    #[arg(long, value_name = "TEMPLATE", conflicts_with = "from")]
    pub(crate) template: Option<String>,
    /// Plan to begin from; `-` is stdin
    #[arg(long, value_name = "PLAN")]
    pub(crate) from: Option<PathBuf>,
    /// Value of a parameter
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
    /// Save it as a template of this project instead of beginning a plan
    #[arg(long, value_name = "TEMPLATE", requires = "from", conflicts_with_all = ["name", "dialect", "output"])]
    pub(crate) save: Option<String>,
    /// Dialect of the new plan
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    /// With `--dialect`: leave out what it cannot hold
    #[arg(long, requires = "dialect")]
    pub(crate) lossy: bool,
    /// Where to write it; `-` is stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// List the templates and their parameters
    #[arg(long, conflicts_with_all = ["name", "template", "from", "set", "save", "dialect", "lossy", "output", "force"])]
    pub(crate) list: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The other tool's file or directory, or `-` for stdin
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Read it in this format instead of recognising it
    #[arg(long, value_name = "FORMAT", value_parser = import_format())]
    pub(crate) from: Option<ImportFormat>,
    /// Have the planner propose the contracts that the source lacks; they are checked, and nothing else changes
    #[arg(long)]
    pub(crate) plan: bool,
    /// With `--plan`: role whose agent proposes, instead of `[llm] agent`
    #[arg(long, value_name = "ROLE", requires = "plan")]
    pub(crate) agent: Option<String>,
    /// With `--plan`: run each contract once on the checkout as it is, in a copy that is thrown away and without a
    /// network, and send back those that already hold
    #[arg(long, requires = "plan")]
    pub(crate) try_contracts: bool,
    /// Write the draft in this dialect; what it cannot hold is listed as left out
    #[arg(long, value_parser = single_file_dialect(), default_value = "workunit")]
    pub(crate) dialect: Dialect,
    /// Where to write the draft; the default is stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The plan's file or directory, or `-` for stdin
    #[arg(value_name = "PLAN")]
    pub(crate) path: PathBuf,
    /// Read the plan in this dialect instead of recognising it
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// Files, directories of plans, or `-` for stdin
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Change nothing; exit code 1 if a file would change
    #[arg(long)]
    pub(crate) check: bool,
    /// Read every plan in this dialect instead of recognising it
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Convert {
    /// The plan's file or directory, or `-` for stdin
    #[arg(value_name = "PLAN")]
    pub(crate) path: PathBuf,
    /// Dialect to write
    #[arg(long, value_parser = dialect())]
    pub(crate) to: Dialect,
    /// Read the plan in this dialect instead of recognising it
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    /// Where to write it; for a thread, a directory; the default is stdout
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Leave out what the dialect cannot hold
    #[arg(long)]
    pub(crate) lossy: bool,
    /// Replace existing files
    #[arg(long)]
    pub(crate) force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Graph {
    /// The plan's file or directory, or `-` for stdin
    #[arg(
        value_name = "PLAN",
        required_unless_present = "run",
        conflicts_with = "run"
    )]
    pub(crate) path: Option<PathBuf>,
    /// Draw a run: the state of each step, and where it works; without a name, the newest run
    #[arg(
        long,
        value_name = "RUN",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with = "dialect"
    )]
    pub(crate) run: Option<String>,
    /// Read the plan in this dialect instead of recognising it
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    #[arg(long, value_enum, default_value_t = GraphFormat::Terminal)]
    pub(crate) format: GraphFormat,
    /// Draw every step of a long chain
    #[arg(long)]
    pub(crate) full: bool,
    /// Columns of the terminal drawing, from 20 to 1000; the default is the terminal's width
    #[arg(long, value_name = "COLUMNS", value_parser = RangedU64ValueParser::<usize>::new().range(20..=1000))]
    pub(crate) width: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// One line for each step, with its dependencies drawn beside it
    Terminal,
    /// A picture that needs no other file
    Svg,
    /// For markdown on GitHub and GitLab
    Mermaid,
    /// For Graphviz
    Dot,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// The older plan; `-` is stdin, for one of the two
    #[arg(value_name = "A")]
    pub(crate) before: PathBuf,
    /// The newer plan
    #[arg(
        value_name = "B",
        required_unless_present = "signed",
        conflicts_with = "signed"
    )]
    pub(crate) after: Option<PathBuf>,
    /// Compare one plan and its terms with what was last signed
    #[arg(long)]
    pub(crate) signed: bool,
    /// Read both plans in this dialect instead of recognising them
    #[arg(long, value_parser = dialect())]
    pub(crate) dialect: Option<Dialect>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The code, as `verify` shows it in brackets; without it, lists all codes
    pub(crate) code: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command; without it, the overview
    #[arg(conflicts_with = "dir")]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands into this directory
    #[arg(long)]
    pub(crate) dir: Option<PathBuf>,
}

/// Names of the dialects, with suggestions for the misspelled.
fn dialect() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.iter().map(|dialect| dialect.as_str()))
        .try_map(|name| Dialect::from_name(&name).ok_or("no such dialect"))
}

/// The dialects of one file.
fn single_file_dialect() -> impl TypedValueParser<Value = Dialect> {
    let single = Dialect::ALL.iter().filter(|one| **one != Dialect::Thread);
    PossibleValuesParser::new(single.map(|dialect| dialect.as_str()))
        .try_map(|name| Dialect::from_name(&name).ok_or("no such dialect"))
}

/// Names of the formats that drafts are made from.
fn import_format() -> impl TypedValueParser<Value = ImportFormat> {
    PossibleValuesParser::new(ImportFormat::ALL.map(ImportFormat::as_str))
        .try_map(|name| ImportFormat::from_name(&name).ok_or("no such format"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyFormat {
    /// With the text around each problem
    Human,
    /// One line for each problem
    Concise,
    /// For programs; the schema is in docs/schemas
    Json,
    /// For code scanning (SARIF 2.1.0)
    Sarif,
    /// Annotations for GitHub Actions
    Github,
}
