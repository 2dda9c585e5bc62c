//! How an agent's settings name our program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use signoff_api::connect::Scope;

const NAME: &str = "signoff";

/// The name that agents call us by. In a person's settings it is absolute, and where it leads to us through the PATH it
/// is spelled as found there, because an update replaces what a link leads to. A project is shared with other machines,
/// so its settings name the program alone, if the PATH finds us by it.
pub(super) fn spelling(program: &Path, path: &OsStr, scope: Scope) -> PathBuf {
    let real = program
        .canonicalize()
        .unwrap_or_else(|_| program.to_owned());
    let found = std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(NAME))
        .find(|candidate| candidate.is_file());
    let found = found.filter(|found| found.canonicalize().is_ok_and(|found| found == real));
    match (found, scope) {
        (Some(_), Scope::Project) => PathBuf::from(NAME),
        (Some(found), Scope::User) => found,
        (None, _) => real,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_path_decides_how_we_are_called() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path().canonicalize().expect("it is there");
        let program = dir.join("v1");
        fs::write(&program, "").expect("a file");
        for (name, target) in [("linked", "v1"), ("other", "v2")] {
            fs::create_dir(dir.join(name)).expect("a directory");
            symlink(dir.join(target), dir.join(name).join(NAME)).expect("a link");
        }
        fs::write(dir.join("v2"), "").expect("a file");
        let check = |path: &[&str], scope, expected: &Path| {
            let path = std::env::join_paths(path.iter().map(|name| dir.join(name)));
            let path = path.expect("a PATH");
            assert_eq!(spelling(&program, &path, scope), expected);
        };
        check(&["linked"], Scope::User, &dir.join("linked/signoff"));
        check(&["linked"], Scope::Project, Path::new("signoff"));
        // Another program of this name comes first.
        check(&["other", "linked"], Scope::User, &program);
        check(&["other", "linked"], Scope::Project, &program);
        check(&[], Scope::Project, &program);
    }
}
