//! Type-checks the scripts of `integrations/` against the types of the agents that load them.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::agent_clis::package_directory;
use crate::invocation::{Invocation, cache, root, target};

/// The compiler, and the types of the runtime that the agents have.
const PACKAGES: [&str; 2] = ["typescript@5.9.3", "@types/node@20.19.25"];
const DIRECTORY: &str = "typescript-5.9.3";
const SCRIPTS: [&str; 2] = [
    "integrations/pi/signoff.ts",
    "integrations/opencode/signoff.ts",
];

/// The check as a command, once the compiler and the types are there. Why it cannot be made is said where nobody overlooks
/// it; CI does not accept it.
pub(crate) fn prepared() -> Result<Option<Invocation>, String> {
    match prepare() {
        Ok(check) => Ok(Some(check)),
        Err(reason) if std::env::var_os("CI").is_some() => Err(format!(
            "the types of `integrations/` cannot be checked: {reason}"
        )),
        Err(reason) => {
            println!("── NOT TESTED: the types of `integrations/`: {reason}");
            Ok(None)
        }
    }
}

fn prepare() -> Result<Invocation, String> {
    let compiler = install()?;
    let pi = package_directory("pi")?;
    let settings = target().join("integrations-tsconfig.json");
    let text = settings_text(&compiler, &pi);
    std::fs::write(&settings, text).map_err(|error| format!("{}: {error}", settings.display()))?;
    let tsc = compiler.join("node_modules/.bin/tsc");
    let (tsc, settings) = (tsc.display().to_string(), settings.display().to_string());
    Ok(Invocation::new(&tsc, ["-p", settings.as_str()]))
}

/// Installs the compiler where all clones find it; what is in its place is whole.
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
    println!("── the TypeScript compiler is missing: {install}");
    install.run()?;
    std::fs::rename(&partial, &directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(directory)
}

fn settings_text(compiler: &Path, pi: &Path) -> String {
    let modules = pi.join("node_modules");
    let scripts = SCRIPTS.map(|script| root().join(script));
    let settings = json!({
        "compilerOptions": {
            "noEmit": true,
            "strict": true,
            "noUnusedLocals": true,
            "target": "es2022",
            "module": "esnext",
            "moduleResolution": "bundler",
            "skipLibCheck": true,
            "types": ["node"],
            "typeRoots": [compiler.join("node_modules/@types")],
            "paths": {
                "@earendil-works/pi-coding-agent":
                    [modules.join("@earendil-works/pi-coding-agent/dist/index.d.ts")],
                "typebox": [modules.join("typebox")],
            },
        },
        "files": scripts,
    });
    format!("{settings:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_checked() {
        let mut found = Vec::new();
        let root = root();
        for agent in std::fs::read_dir(root.join("integrations")).expect("it is there") {
            let agent = agent.expect("it can be read").path();
            for file in std::fs::read_dir(agent).expect("a directory").flatten() {
                let path = file.path();
                if path.extension().is_some_and(|extension| extension == "ts") {
                    let path = path.strip_prefix(&root).expect("it is below");
                    found.push(path.display().to_string());
                }
            }
        }
        found.sort();
        let mut expected = SCRIPTS.map(str::to_owned);
        expected.sort();
        assert_eq!(found, expected);
    }
}
