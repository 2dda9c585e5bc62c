//! Tests the page in a real browser.

use crate::invocation::{Invocation, cache, root, target};
use crate::npm::{self, Scripts};
use crate::optional::optional;

/// What drives the browser, and what looks for barriers.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.0"];
const DIRECTORY: &str = "browser-1.65.1";

/// The tests as a command, once everything is there.
pub(crate) fn prepare_command(
    install_package: fn(&str) -> Result<(), String>,
) -> Result<Option<Invocation>, String> {
    optional("the page in a browser", prepare(install_package))
}

fn prepare(install_package: fn(&str) -> Result<(), String>) -> Result<Invocation, String> {
    if !Invocation::new("chromium", ["--version"]).succeeds() {
        install_package("chromium")?;
    }
    let packages = cache()?.join(DIRECTORY);
    let what = "the driver of the browser";
    npm::install(what, &PACKAGES, Scripts::Ignored, &packages)?;
    let packages = packages.display().to_string();
    let script = root().join("crates/signoff/tests/page/page.mjs");
    let signoff = target().join("debug/signoff");
    let (script, signoff) = (script.display().to_string(), signoff.display().to_string());
    Ok(Invocation::new(
        "node",
        [script.as_str(), signoff.as_str(), packages.as_str()],
    ))
}
