//! Files that take the place of a module or a program that the runner itself uses.

use super::is_listed;
use super::modules::{is_known, is_runner, module_of};
use super::runners::{Family, Runners};
use crate::changes::ChangeDetails;

/// Where a contract starts Python.
#[derive(Debug, Default)]
pub(super) struct PythonStarts {
    /// Directories that scripts and modules of the contract are in; the root is always one.
    pub(super) directories: Vec<String>,
    /// Elsewhere, too: a make file, a script or a variable decides.
    pub(super) or_unknown: bool,
}

/// Whether a file, once it is there, is what the runner loads in the place of its own: `json.py` beside
/// the script that Python runs, or a program that `npx` finds before the installed one.
pub(super) fn is_loaded_instead(
    path: &str,
    runners: &Runners,
    starts: &PythonStarts,
    details: &ChangeDetails,
) -> bool {
    let is_program = path.starts_with("node_modules/.bin/") || path.contains("/node_modules/.bin/");
    if is_program {
        return runners.include(Family::JavaScript);
    }
    let is_new = is_listed(path, &details.new_modules);
    let Some(module) = module_of(path, is_new).filter(|_| runners.include(Family::Python)) else {
        return false;
    };
    let is_searched =
        module.directory.is_empty() || starts.directories.iter().any(|one| one == module.directory);
    (is_searched && (is_new || is_known(module.name)))
        || (is_new && is_runner(module.name))
        || (starts.or_unknown && is_listed(path, &details.loose_modules))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, starts: &[&str], path: &str, expected: bool) {
        let runners = Runners::of([command].into_iter(), "");
        let starts = PythonStarts {
            directories: starts.iter().map(|&one| one.to_owned()).collect(),
            or_unknown: false,
        };
        let found = is_loaded_instead(path, &runners, &starts, &ChangeDetails::default());
        assert_eq!(found, expected, "{command} {path}");
    }

    #[test]
    fn modules_are_found_where_python_looks_first() {
        for path in [
            "unittest.py",
            "json/__init__.py",
            "pytest.py",
            "sitecustomize.py",
            "tools/random.py",
            "tools/json/__init__.py",
            "re.cpython-311-x86_64-linux-gnu.so",
        ] {
            check("python3", &["tools"], path, true);
        }
        for path in [
            "app/json.py",
            "src/types.py",
            "tools/app.py",
            "json/encoder.py",
            "json.txt",
        ] {
            check("python3", &["tools"], path, false);
        }
        check("cargo", &[], "json.py", false);
    }

    #[test]
    fn programs_of_the_tree_are_found_before_installed_ones() {
        check("npx", &[], "node_modules/.bin/jest", true);
        check("npx", &[], "web/node_modules/.bin/jest", true);
        check("npx", &[], "node_modules/jest/index.js", false);
    }

    #[test]
    fn where_the_start_is_unknown_any_directory_may_be_it() {
        let path = "app/json.py".to_owned();
        let details = ChangeDetails {
            new_modules: vec![path.clone(), "app/unittest.py".to_owned()],
            loose_modules: vec![path.clone()],
            ..ChangeDetails::default()
        };
        let runners = Runners::of(["make"].into_iter(), "");
        let starts = |or_unknown| PythonStarts {
            directories: Vec::new(),
            or_unknown,
        };
        assert!(is_loaded_instead(&path, &runners, &starts(true), &details));
        assert!(!is_loaded_instead(
            &path,
            &runners,
            &starts(false),
            &details
        ));
        assert!(is_loaded_instead(
            "app/unittest.py",
            &runners,
            &starts(false),
            &details
        ));
    }
}
