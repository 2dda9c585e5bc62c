//! Which packages Python finds installed. Directories are listed; nothing is started.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Directories in which projects keep their environments.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];
/// Names that packages put beside their own by mistake, and that projects need themselves.
const COMMON: [&str; 12] = [
    "app",
    "benchmarks",
    "bin",
    "build",
    "docs",
    "example",
    "examples",
    "lib",
    "scripts",
    "src",
    "test",
    "tests",
];
/// Entries of a directory that are read.
const MOST: usize = 100_000;

/// Top-level names of modules that are installed: in the environments of a project, in the active one, and where the
/// Python that PATH finds has them.
pub fn installed_modules(
    project: &Path,
    search: Option<&OsStr>,
    active: Option<&OsStr>,
) -> BTreeSet<String> {
    let mut prefixes: BTreeSet<PathBuf> =
        ENVIRONMENTS.iter().map(|name| project.join(name)).collect();
    prefixes.extend(active.map(PathBuf::from));
    for folder in search.into_iter().flat_map(std::env::split_paths) {
        for name in ["python3", "python"] {
            let program = folder.join(name);
            prefixes.extend(prefix_of(&program));
            prefixes.extend(program.canonicalize().ok().as_deref().and_then(prefix_of));
        }
    }
    let mut found = BTreeSet::new();
    for prefix in prefixes {
        for library in ["lib", "lib64", "local/lib"] {
            note_below(&prefix.join(library), &mut found);
        }
    }
    found.retain(|name| !COMMON.contains(&name.as_str()));
    found
}

/// `/usr` of `/usr/bin/python3`, if that is there.
fn prefix_of(program: &Path) -> Option<PathBuf> {
    let prefix = program.parent()?.parent()?;
    program.exists().then(|| prefix.to_owned())
}

fn note_below(library: &Path, found: &mut BTreeSet<String>) {
    for (version, path) in entries(library) {
        if !version.starts_with("python3") && !version.starts_with("pypy3") {
            continue;
        }
        for packages in ["site-packages", "dist-packages"] {
            let names = entries(&path.join(packages));
            found.extend(names.iter().filter_map(|(name, _)| module_name(name)));
        }
    }
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| {
        (
            entry.file_name().to_string_lossy().into_owned(),
            entry.path(),
        )
    });
    named.take(MOST).collect()
}

/// The module that an entry of `site-packages` is: a directory, a source or an extension.
fn module_name(entry: &str) -> Option<String> {
    let name = match entry.split_once('.') {
        None => entry,
        Some((name, ending)) => {
            let last = ending.rsplit('.').next().unwrap_or_default();
            matches!(last, "py" | "pyc" | "so" | "pyd").then_some(name)?
        }
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && name != "__pycache__").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_environments_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for file in [
            "p/.venv/lib/python3.11/site-packages/anyio/__init__.py",
            "p/.venv/lib/python3.11/site-packages/anyio-4.0.dist-info/METADATA",
            "p/.venv/lib/python3.11/site-packages/six.py",
            "p/.venv/lib/python3.11/site-packages/_yaml.cpython-311-x86_64-linux-gnu.so",
            "p/.venv/lib/python3.11/site-packages/tests/__init__.py",
            "p/.venv/lib/python3.11/site-packages/x.pth",
            "p/other/lib/python3.11/site-packages/hidden/__init__.py",
            "usr/bin/python3",
            "usr/lib/python3/dist-packages/hamcrest/__init__.py",
            "active/lib/python3.12/site-packages/mine.py",
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let search = root.join("usr/bin");
        let active = root.join("active");
        let found = installed_modules(
            &root.join("p"),
            Some(search.as_os_str()),
            Some(active.as_os_str()),
        );
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["_yaml", "anyio", "hamcrest", "mine", "six"]);
        assert_eq!(installed_modules(&root.join("none"), None, None).len(), 0);
    }
}
