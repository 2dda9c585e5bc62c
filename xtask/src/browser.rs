//! Tests the page in a real browser.

use std::path::PathBuf;

use crate::invocation::{Invocation, cache, root, target};

/// What drives the browser, and what looks for barriers.
const PACKAGES: [&str; 2] = ["playwright-core@1.65.1", "axe-core@4.14.0"];
const DIRECTORY: &str = "browser-1.65.1";

/// The tests as a command, once everything is there. Why they cannot run is said where nobody overlooks it; CI does not
/// accept it.
pub(crate) fn prepared(
    install_package: fn(&str) -> Result<(), String>,
) -> Result<Option<Invocation>, String> {
    match prepare(install_package) {
        Ok(tests) => Ok(Some(tests)),
        Err(reason) if std::env::var_os("CI").is_some() => {
            Err(format!("the page cannot be tested: {reason}"))
        }
        Err(reason) => {
            println!("── NOT TESTED: the page in a browser: {reason}");
            Ok(None)
        }
    }
}

fn prepare(install_package: fn(&str) -> Result<(), String>) -> Result<Invocation, String> {
    if !Invocation::new("chromium", ["--version"]).succeeds() {
        install_package("chromium")?;
    }
    let packages = install()?.display().to_string();
    let script = root().join("crates/signoff/tests/page/page.mjs");
    let signoff = target().join("debug/signoff");
    let (script, signoff) = (script.display().to_string(), signoff.display().to_string());
    Ok(Invocation::new(
        "node",
        [script.as_str(), signoff.as_str(), packages.as_str()],
    ))
}

/// Installs the packages where all clones find them; what is in their place is whole.
fn install() -> Result<PathBuf, String> {
    let directory = cache()?.join(DIRECTORY);
    if directory.is_dir() {
        return Ok(directory);
    }
    let partial = directory.with_added_extension("partial");
    let prefix = partial.display().to_string();
    let install = Invocation::new("npm", ["install", "--no-audit", "--no-fund", "--silent"])
        .args(&["--ignore-scripts", "--prefix", &prefix])
        .args(&PACKAGES);
    println!("── the driver of the browser is missing: {install}");
    install.run()?;
    std::fs::rename(&partial, &directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(directory)
}
