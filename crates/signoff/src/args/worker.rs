//! Arguments of the commands with which a machine takes part in runs that several share.

use std::net::SocketAddr;

use clap::Args;

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// The roles whose work this machine does, with commas between them; `tools` calls tools, and runs the contracts of steps without an agent
    #[arg(long, value_name = "ROLES", value_delimiter = ',', required_unless_present_any = ["migrate", "key", "drain"])]
    pub(crate) roles: Vec<String>,
    /// How many agents, calls and contracts at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) jobs: u32,
    /// Drive runs, too
    #[arg(long)]
    pub(crate) orchestrate: bool,
    /// Create or update the database tables, then exit
    #[arg(long, conflicts_with_all = ["roles", "orchestrate", "drain", "key"])]
    pub(crate) migrate: bool,
    /// Drain this machine's workers: finish current work, take no more, exit; waits for them
    #[arg(long, conflicts_with_all = ["roles", "orchestrate", "key"])]
    pub(crate) drain: bool,
    /// Print the public key of this machine, for the configurations of the others
    #[arg(long, conflicts_with_all = ["roles", "orchestrate"])]
    pub(crate) key: bool,
    #[command(flatten)]
    pub(crate) service: Service,
}

#[derive(Debug, Args)]
pub(crate) struct Orchestrator {
    #[command(flatten)]
    pub(crate) service: Service,
}

/// How a process that takes part is run.
#[derive(Debug, Args)]
pub(crate) struct Service {
    /// Answer `GET /` here with 200 as long as the process works
    #[arg(long, value_name = "ADDR")]
    pub(crate) health: Option<SocketAddr>,
    /// Seconds that a process may be silent before it counts as dead; the same on every machine
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(2..=3600))]
    pub(crate) lease: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}
