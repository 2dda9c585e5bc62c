//! Arguments of the commands that change a plan's state.

use std::path::PathBuf;

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Propose {
    /// The plan's file or directory, or `-` for stdin; a JSON proposal is stored as a new plan
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// A plan, by path or id.
#[derive(Debug, Args)]
pub(crate) struct PlanName {
    /// The plan: its path, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) plan: String,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Reject {
    #[command(flatten)]
    pub(crate) plan: PlanName,
    /// What is wrong with the plan; stored with it, and shown to whoever revises it
    #[arg(long, value_name = "TEXT")]
    pub(crate) feedback: Option<String>,
    /// Refuse unless the plan has this version now
    #[arg(long, value_name = "N")]
    pub(crate) expect_version: Option<u64>,
    /// Refuse unless the digest of the plan as it is begins with this (at least 8 digits)
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect_digest: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Revise {
    #[command(flatten)]
    pub(crate) plan: PlanName,
    /// The new text: a file, or `-` for stdin; the default is the plan's own file, edited in place
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Option<PathBuf>,
    /// Refuse unless the plan has this version now
    #[arg(long, value_name = "N")]
    pub(crate) expect_version: Option<u64>,
    /// Refuse unless the digest of the plan as it is begins with this (at least 8 digits)
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect_digest: Option<String>,
    /// Let the planner write the new text from all rejections and open comments
    #[arg(long = "plan", conflicts_with_all = ["with", "expect_version", "expect_digest"])]
    pub(crate) by_planner: bool,
    /// With `--plan`: only this step, by its id or number, is written anew; every other byte stays
    #[arg(long, value_name = "STEP", requires = "by_planner")]
    pub(crate) step: Option<String>,
    /// With `--plan`: what else to tell the planner
    #[arg(long, value_name = "TEXT", requires = "by_planner")]
    pub(crate) feedback: Option<String>,
    /// With `--plan`: role whose agent drafts, instead of `[llm] agent`
    #[arg(long, value_name = "ROLE", requires = "by_planner")]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    pub(crate) plan: PlanName,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}
