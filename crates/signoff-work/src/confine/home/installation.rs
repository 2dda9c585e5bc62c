//! Recognises the installation of a tool by the names in its directory.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What a tool consists of.
const PARTS: [&str; 25] = [
    ".bin",
    "bin",
    "condabin",
    "conda-meta",
    "include",
    "installs",
    "jmods",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "node_modules",
    "platform-tools",
    "platforms",
    "build-tools",
    "plugins",
    "pyvenv.cfg",
    "registry",
    "release",
    "sbin",
    "Scripts",
    "share",
    "shims",
    "toolchains",
    "versions",
];

/// Names that a tool may have beside its parts, in any case and with any ending.
const BESIDE: [&str; 15] = [
    ".gitignore",
    ".lock",
    "cachedir.tag",
    "changelog",
    "conf",
    "copying",
    "doc",
    "etc",
    "legal",
    "licence",
    "license",
    "man",
    "notice",
    "readme",
    "version",
];

/// Says that a directory is a tool, though more lies in it: somebody made an environment of Python in a project.
const MARK: &str = "pyvenv.cfg";

/// No installation has more in its uppermost directory.
const MOST: usize = 100;

/// The parts of a directory that belong to a tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Installation {
    /// All of it.
    Whole,
    /// These parts, beside other things.
    Parts { parts: Vec<PathBuf>, marked: bool },
}

/// The parts of a directory that belong to a tool.
pub(super) fn tool_parts(directory: &Path) -> Installation {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names: Vec<_> = entries.take(MOST).map(|entry| entry.file_name()).collect();
    let is_part = |name: &OsStr| PARTS.iter().any(|part| name == *part);
    let parts: Vec<PathBuf> = names
        .iter()
        .filter(|name| is_part(name))
        .map(PathBuf::from)
        .collect();
    let is_known = names.iter().all(|name| is_part(name) || is_beside(name));
    if !parts.is_empty() && is_known && names.len() < MOST {
        return Installation::Whole;
    }
    Installation::Parts {
        marked: parts.iter().any(|part| part == Path::new(MARK)),
        parts,
    }
}

fn is_beside(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    BESIDE.iter().any(|known| {
        let rest = name.strip_prefix(known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(entries: &[&str], expected: &Installation) {
        let folder = tempfile::tempdir().unwrap();
        for entry in entries {
            fs::write(folder.path().join(entry), "").unwrap();
        }
        let mut found = tool_parts(folder.path());
        if let Installation::Parts { parts, .. } = &mut found {
            parts.sort();
        }
        assert_eq!(&found, expected, "{entries:?}");
    }

    #[test]
    fn a_tool_is_told_from_a_folder_of_the_person() {
        let parts = |parts: &[&str], marked| Installation::Parts {
            parts: parts.iter().map(PathBuf::from).collect(),
            marked,
        };
        check(
            &["bin", "lib", "README.md", "LICENSE"],
            &Installation::Whole,
        );
        check(
            &["bin", "lib", "lib64", "pyvenv.cfg", ".gitignore"],
            &Installation::Whole,
        );
        check(&["bin", "notes.txt"], &parts(&["bin"], false));
        check(&["bin", "src"], &parts(&["bin"], false));
        check(
            &["bin", "lib", "pyvenv.cfg", "secret"],
            &parts(&["bin", "lib", "pyvenv.cfg"], true),
        );
        check(&["notes.txt"], &parts(&[], false));
        check(&[], &parts(&[], false));
    }
}
