//! `mcp-proxy`: an agent's end of a tool server that the harness has.

use std::path::Path;

use signoff_runtime::mcp_proxy::pass_messages;

use crate::failure::Failure;

pub(crate) fn pass_through(socket: &Path) -> Result<u8, Failure> {
    let passed = pass_messages(socket, std::io::stdin(), std::io::stdout().lock());
    passed.map(|()| 0).map_err(|error| {
        let message = format!("the tool server cannot be reached: {error}");
        Failure::new(6, "no-server", message).hint("it ends with the attempt that it was for")
    })
}
