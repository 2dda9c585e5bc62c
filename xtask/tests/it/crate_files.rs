//! The source files of a crate, as text.

use std::fs;
use std::path::Path;

/// The files of a crate: path below `src`, with `/` between its parts, and text.
pub(crate) type Files = Vec<(String, String)>;

pub(crate) fn files_of(directory: &Path, prefix: &str, files: &mut Files) {
    let mut entries: Vec<_> = fs::read_dir(directory)
        .expect("a directory of sources")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().expect("a name").to_string_lossy();
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            files_of(&path, &format!("{name}/"), files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push((name, fs::read_to_string(&path).expect("text")));
        }
    }
}

/// The text without comments and test-only items.
///
/// Goes by the layout that `rustfmt` gives: what begins at a column ends at it.
pub(crate) fn without_tests(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        if code != "#[cfg(test)]" {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let indent = line.len() - code.len();
        for line in lines.by_ref() {
            let rest = line.trim_start();
            let ends = line.len() - rest.len() == indent
                && (rest.ends_with(';') || rest.starts_with('}') || rest.ends_with('}'));
            if ends {
                break;
            }
        }
    }
    out
}

/// Files that belong to a module for tests only.
pub(crate) fn test_files(files: &Files) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in files {
        let parent = match name.rsplit_once('/') {
            Some((parent, "mod.rs")) => format!("{parent}/"),
            None if matches!(name.as_str(), "lib.rs" | "main.rs") => String::new(),
            _ => format!("{}/", name.trim_end_matches(".rs")),
        };
        let mut lines = text.lines().map(str::trim);
        while let Some(line) = lines.next() {
            let module = (line == "#[cfg(test)]").then(|| lines.next()).flatten();
            let module = module.and_then(|line| line.rsplit_once("mod "));
            if let Some(module) = module.and_then(|(_, name)| name.strip_suffix(';')) {
                found.push(format!("{parent}{module}"));
            }
        }
    }
    found
}

pub(crate) fn is_in(file: &str, module: &str) -> bool {
    let rest = file.strip_prefix(module);
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}
