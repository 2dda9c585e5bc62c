//! Type-checks the scripts of `integrations/` against the types of the agents that load them.

use std::path::Path;

use serde_json::json;

use crate::agent_clis::package_directory;
use crate::invocation::{Invocation, cache, root, target};
use crate::npm::{self, Scripts};
use crate::optional::optional;

/// The compiler, and the types of the runtime that the agents have.
const PACKAGES: [&str; 2] = ["typescript@5.9.3", "@types/node@20.19.25"];
const DIRECTORY: &str = "typescript-5.9.3";
const SCRIPTS: [&str; 2] = [
    "integrations/pi/signoff.ts",
    "integrations/opencode/signoff.ts",
];

/// The check as a command, once the compiler and the types are there.
pub(crate) fn prepare_command() -> Result<Option<Invocation>, String> {
    optional("the types of `integrations/`", prepare())
}

fn prepare() -> Result<Invocation, String> {
    let compiler = cache()?.join(DIRECTORY);
    let what = "the TypeScript compiler";
    npm::install(what, &PACKAGES, Scripts::Ignored, &compiler)?;
    let pi = package_directory("pi")?;
    let settings = target().join("integrations-tsconfig.json");
    let text = settings_text(&compiler, &pi);
    std::fs::write(&settings, text).map_err(|error| format!("{}: {error}", settings.display()))?;
    let tsc = compiler.join("node_modules/.bin/tsc");
    let (tsc, settings) = (tsc.display().to_string(), settings.display().to_string());
    Ok(Invocation::new(&tsc, ["-p", settings.as_str()]))
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
