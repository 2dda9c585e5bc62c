//! Arguments of `connect`.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use signoff_plan::guard::Agent;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The agent
    #[arg(value_parser = agents())]
    pub(crate) agent: Agent,
    /// In your own settings, for all projects; this is the default
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// In the settings of this project
    #[arg(long)]
    pub(crate) project: bool,
    /// Undo it; files that nobody changed since are restored byte for byte
    #[arg(long)]
    pub(crate) undo: bool,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

fn agents() -> impl TypedValueParser<Value = Agent> {
    PossibleValuesParser::new(Agent::ALL.map(Agent::name))
        .try_map(|name| Agent::of_name(&name).ok_or("it is not a known agent"))
}
