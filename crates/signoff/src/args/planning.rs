//! Arguments of the command that drafts a plan.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use signoff_plan::dialect::Dialect;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct PlanTask {
    /// What is to be done; `-` reads it from stdin
    #[arg(value_name = "TASK", required_unless_present_any = ["resume", "expand"])]
    pub(crate) task: Option<String>,
    /// Role whose agent drafts, instead of `[llm] agent`
    #[arg(long, value_name = "ROLE")]
    pub(crate) agent: Option<String>,
    /// Dialect of the plan
    #[arg(long, value_parser = dialect(), default_value = "workunit")]
    pub(crate) dialect: Dialect,
    /// A note about earlier work for the planner; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) memory: Vec<PathBuf>,
    /// A file of the project whose content the planner is shown; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) code: Vec<PathBuf>,
    /// Something that the plan must keep to; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) constraint: Vec<String>,
    /// Write the plan to this file instead of the store
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
    /// Run each contract once on the checkout as it is, in a copy that is thrown away and without a network, and send
    /// back those that already hold
    #[arg(long)]
    pub(crate) try_contracts: bool,
    /// Let the planner ask you at most five questions first: here, or in the inbox where there is no terminal
    #[arg(long)]
    pub(crate) interview: bool,
    /// Continue a planning interview after its questions were answered
    #[arg(long = "continue", value_name = "ID", conflicts_with_all = [
        "task", "agent", "dialect", "memory", "code", "constraint", "output", "try_contracts", "interview", "dry_run"
    ])]
    pub(crate) resume: Option<String>,
    /// Write out placeholder steps (`### 3–N.`) of this plan, or of this run's plan
    #[arg(long, value_name = "PLAN", conflicts_with_all = [
        "task", "resume", "agent", "dialect", "memory", "code", "constraint", "output", "try_contracts", "interview"
    ])]
    pub(crate) expand: Option<String>,
    /// Print the first prompt; ask no model
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// The dialects that planners write.
fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names = [Dialect::Workunit, Dialect::Toolplan, Dialect::Record].map(Dialect::as_str);
    PossibleValuesParser::new(names)
        .map(|name| Dialect::from_name(&name).expect("only these names are accepted"))
}
