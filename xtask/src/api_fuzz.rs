//! Asks the server everything that its OpenAPI document describes, by schemathesis.

use std::path::PathBuf;

use crate::invocation::{Invocation, cache, root, target};
use crate::optional::optional;

const PACKAGE: &str = "schemathesis==4.32.5";
const DIRECTORY: &str = "schemathesis-4.32.5";

/// Examples for each route where everything is tested, and where there is time.
const FEW: &str = "3";
const MANY: &str = "300";

/// How thoroughly it asks.
#[derive(Clone, Copy)]
pub(crate) enum Thoroughness {
    /// Less than half a minute.
    Short,
    /// Many minutes.
    Long,
}

/// The requests as a command, once everything is there.
pub(crate) fn prepare_command(thoroughness: Thoroughness) -> Result<Option<Invocation>, String> {
    optional("the API by its OpenAPI document", prepare(thoroughness))
}

fn prepare(thoroughness: Thoroughness) -> Result<Invocation, String> {
    let packages = install()?.display().to_string();
    let script = root().join("crates/signoff/tests/api/fuzz.py");
    let signoff = target().join("debug/signoff");
    let (script, signoff) = (script.display().to_string(), signoff.display().to_string());
    let examples = match thoroughness {
        Thoroughness::Short => FEW,
        Thoroughness::Long => MANY,
    };
    Ok(Invocation::new(
        "python3",
        [
            script.as_str(),
            signoff.as_str(),
            packages.as_str(),
            examples,
        ],
    ))
}

/// Installs the package where all clones find it; what is in its place is whole.
fn install() -> Result<PathBuf, String> {
    let directory = cache()?.join(DIRECTORY);
    let whole = directory.join("whole");
    if whole.is_file() {
        return Ok(directory);
    }
    let place = directory.display().to_string();
    let make = Invocation::new("python3", ["-m", "venv", "--clear", place.as_str()]);
    println!("── schemathesis is missing: {make}");
    make.run()?;
    let pip = directory.join("bin/pip").display().to_string();
    Invocation::new(pip, ["install", "--quiet", PACKAGE]).run()?;
    // A virtual environment knows its own path: it cannot be made elsewhere and moved.
    std::fs::write(&whole, "").map_err(|error| format!("{}: {error}", whole.display()))?;
    Ok(directory)
}
