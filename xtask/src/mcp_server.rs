//! A public MCP tool server from npm, for the tests of `signoff-work`.

use crate::invocation::{Invocation, target};

/// The package, and the file of it that is started; `crates/signoff-work/tests/it/tools/real_server.rs` looks for it.
const PACKAGE: &str = "@modelcontextprotocol/server-everything";
const VERSION: &str = "2026.8.31";

/// Installs it below the target directory, unless it is there. Without node or a registry its tests are
/// skipped, and that is reported where it is not overlooked.
pub(crate) fn install() {
    let directory = target().join("mcp-server");
    if directory.join("node_modules").join(PACKAGE).is_dir() {
        return;
    }
    let directory = directory.display().to_string();
    let package = format!("{PACKAGE}@{VERSION}");
    let install = Invocation::new("npm", ["install", "--no-audit", "--no-fund"]).args(&[
        "--ignore-scripts",
        "--silent",
        "--prefix",
        &directory,
        &package,
    ]);
    println!("── a real tool server is missing: {install}");
    if let Err(reason) = install.run() {
        println!("!! SKIPPED: the tests against {package}: {reason}");
    }
}
