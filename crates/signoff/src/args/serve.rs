//! Arguments of `serve`.

use std::net::SocketAddr;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4180")]
    pub(crate) addr: SocketAddr,
}
