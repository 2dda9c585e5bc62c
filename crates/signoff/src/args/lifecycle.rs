//! Arguments of the commands that change a plan's state.

use std::path::PathBuf;

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Propose {
    /// The plan's file or directory, or `-` for stdin; a JSON proposal is stored as a new plan
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// A plan, by path or id.
#[derive(Debug, Args)]
pub(crate) struct PlanName {
    /// The plan: its path, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) plan: String,
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
}

#[derive(Debug, Args)]
pub(crate) struct Cancel {
    #[command(flatten)]
    pub(crate) plan: PlanName,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}
