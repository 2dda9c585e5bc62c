//! Arguments of `serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use signoff_server::PublicUrl;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4180")]
    pub(crate) addr: SocketAddr,
    /// The address that people type to reach it through a reverse proxy, which has the TLS
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<PublicUrl>,
    /// Answer agents at `/mcp` that have the token in this file; it is made if there is none
    #[arg(long, value_name = "FILE")]
    pub(crate) agent_token: Option<PathBuf>,
    /// Make a token for a person, show it and the line for your own configuration, and end
    #[arg(long, value_name = "NAME", conflicts_with_all = ["addr", "url", "agent_token"])]
    pub(crate) add_person: Option<String>,
}
