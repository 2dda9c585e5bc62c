//! The protocol's own conformance suite, from npm, against the server of `signoff serve`.

use crate::invocation::{Invocation, cache, root};
use crate::npm::{self, Scripts};

/// The newest version that loads on Node 20.
const PACKAGE: &str = "@modelcontextprotocol/conformance";
const VERSION: &str = "0.1.13";

/// The suite as a command for this program; nothing, if it cannot be installed, which is reported where it is not overlooked.
pub(crate) fn prepare_command(signoff: &str) -> Result<Option<Invocation>, String> {
    let directory = cache()?.join(format!("mcp-conformance-{VERSION}"));
    let package = format!("{PACKAGE}@{VERSION}");
    let what = "the conformance suite";
    if let Err(reason) = npm::install(what, &[&package], Scripts::Ignored, &directory) {
        println!("── NOT TESTED: {PACKAGE} {VERSION}: {reason}");
        return Ok(None);
    }
    let suite = directory.join("node_modules").join(PACKAGE);
    let suite = suite.join("dist/index.js").display().to_string();
    let file = |name: &str| root().join("xtask/src").join(name).display().to_string();
    let (script, expected) = (file("mcp_conformance.mjs"), file("mcp_conformance.yml"));
    let words = [script.as_str(), signoff, suite.as_str(), expected.as_str()];
    Ok(Some(Invocation::new("node", words)))
}
