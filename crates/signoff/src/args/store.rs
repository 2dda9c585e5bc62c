//! Arguments of the commands that look after the store.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use signoff_engine::PlanState;
use signoff_store::config::DriverName;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only plans in this state; can be given more than once. `proposed` is `verified`
    #[arg(long, value_name = "STATE", value_parser = states())]
    pub(crate) status: Vec<PlanState>,
    /// Include archived plans
    #[arg(long)]
    pub(crate) all: bool,
    /// Cancel plans that waited too long; more than three at once are cancelled only with this
    #[arg(long)]
    pub(crate) expire: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Only this section; without it, every one
    #[arg(value_enum, value_name = "SECTION")]
    pub(crate) section: Option<DoctorSection>,
    /// Have each installed agent, or those named, do a small task in the sandbox with a model on this machine: no key, no
    /// network, no cost
    #[arg(long, value_name = "AGENT", num_args = 0.., value_parser = agents())]
    pub(crate) probe: Option<Vec<String>>,
    /// With `guard`: only these agents; can be given more than once
    #[arg(long = "agent", value_name = "AGENT", value_parser = agents())]
    pub(crate) agents: Vec<String>,
    /// With `guard`: also test hook answers that Signoff itself never sends
    #[arg(long)]
    pub(crate) answers: bool,
    /// Accept from now on that this machine confines less than before
    #[arg(long)]
    pub(crate) accept_level: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// What `doctor` can look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DoctorSection {
    /// How agents and contracts are confined
    Sandbox,
    /// Which agents are installed and logged in, and what the configured roles need
    Agents,
    /// The shared database: reachable, live machines, queued work
    Engine,
    /// Whether a call that the guard denies is really not made, tried with each installed agent
    Guard,
}

#[derive(Debug, Args)]
pub(crate) struct Archive {
    /// The plan: its path, or its id
    #[arg(value_name = "PLAN")]
    pub(crate) plan: Option<String>,
    /// Take the plan out of the archive; without a plan, all that were moved there the last time
    #[arg(long)]
    pub(crate) restore: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Prune {
    /// Only these runs, which cannot be read or whose directories are gone
    #[arg(value_name = "RUN", conflicts_with_all = ["older_than", "records"])]
    pub(crate) runs: Vec<String>,
    /// Also delete commits of these runs that have not landed
    #[arg(long, requires = "runs")]
    pub(crate) force: bool,
    /// Only what has not changed for more than this many days; the default is `[plans] prune_after_days`
    #[arg(long, value_name = "DAYS")]
    pub(crate) older_than: Option<u64>,
    /// Only show what would be deleted
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also delete logs and signatures of deleted plans
    #[arg(long)]
    pub(crate) records: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(DriverName::ALL.into_iter().filter_map(DriverName::program))
}

fn states() -> impl TypedValueParser<Value = PlanState> {
    let names = PlanState::ALL.map(PlanState::name);
    PossibleValuesParser::new(names.into_iter().chain(["proposed"]))
        .try_map(|name| PlanState::from_name(&name).ok_or("no such state"))
}
