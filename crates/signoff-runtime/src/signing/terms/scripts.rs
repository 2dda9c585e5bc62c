//! The files of the workspace that a contract runs.

use std::collections::BTreeSet;
use std::path::Path;

use signoff_plan::model::Step;
use signoff_plan::shell::{Script, programs};

use super::{matching_files, plain_path, stays_inside};

/// Files of the workspace that a step's contract runs, as far as its text tells.
///
/// What it does not tell is said before signing (`contract-script-unknown`).
pub(super) fn scripts(step: &Step, root: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(contract) = &step.contract else {
        return found;
    };
    for script in programs(&contract.command).scripts {
        match script.value {
            Script::File(path) => add_file(root, &path, &mut found),
            Script::Pattern(pattern) => matching_files(root, &pattern, &mut found),
            Script::Module { directory, name } => {
                for file in module_files(&directory, &name) {
                    add_file(root, &file, &mut found);
                }
            }
            Script::Unknown(_) => {}
        }
    }
    found
}

fn add_file(root: &Path, path: &str, found: &mut BTreeSet<String>) {
    let inside = Path::new(path).strip_prefix(root).ok();
    let path = inside.and_then(Path::to_str).unwrap_or(path);
    let path = plain_path(path);
    if !stays_inside(path) {
        return;
    }
    let there = root.join(path);
    if there.is_file() {
        found.insert(path.to_owned());
    } else if there.is_dir() {
        // `go run ./cmd/check`, `python3 tools`, `node tools`
        for ending in ["go", "py", "js", "mjs", "ts"] {
            matching_files(root, &format!("{path}/*.{ending}"), found);
        }
    }
}

/// The files that Python loads for a module: the packages that it is in, and the module itself.
fn module_files(directory: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Where `pip install -e` usually leads.
    for base in [directory.to_owned(), join(directory, "src")] {
        let mut path = base;
        for part in name.split('.') {
            path = join(&path, part);
            found.push(format!("{path}/__init__.py"));
        }
        found.push(format!("{path}.py"));
        found.push(format!("{path}/__main__.py"));
    }
    found
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}
