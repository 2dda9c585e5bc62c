//! Files that take the place of a module or a program that the runner itself uses.

use super::runners::{Family, Runners};

/// Modules that come with Python, and those that test runners are made of; sorted.
const MODULES: &str = include_str!("python_modules.txt");

/// Whether a file, once it is there, is what the runner loads in the place of its own: `json.py` beside
/// the script that Python runs, or a program that `npx` finds before the installed one.
///
/// `directories` are those that scripts and modules of the contract are in; the root is always one.
pub(super) fn shadows(path: &str, runners: &Runners, directories: &[String]) -> bool {
    let is_program = path.starts_with("node_modules/.bin/") || path.contains("/node_modules/.bin/");
    if is_program {
        return runners.include(Family::JavaScript);
    }
    runners.include(Family::Python)
        && module_of(path).is_some_and(|(directory, name)| {
            let is_searched =
                directory.is_empty() || directories.iter().any(|one| one == directory);
            is_searched && is_known_module(name)
        })
}

/// The directory that a module is found in, and its name.
fn module_of(path: &str) -> Option<(&str, &str)> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    if file == "__init__.py" {
        return Some(folder.rsplit_once('/').unwrap_or(("", folder)));
    }
    let name = file
        .strip_suffix(".py")
        .or_else(|| file.strip_suffix(".pyc"));
    // An extension module: `json.cpython-311-x86_64-linux-gnu.so`
    let name = name.or_else(|| file.strip_suffix(".so")?.split('.').next());
    Some((folder, name?))
}

fn is_known_module(name: &str) -> bool {
    MODULES.lines().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_where_python_looks_first() {
        let python = Runners::of(["python3"].into_iter(), "");
        let tools = ["tools".to_owned()];
        for path in [
            "unittest.py",
            "json/__init__.py",
            "pytest.py",
            "sitecustomize.py",
            "tools/random.py",
            "tools/json/__init__.py",
            "re.cpython-311-x86_64-linux-gnu.so",
        ] {
            assert!(shadows(path, &python, &tools), "{path}");
        }
        for path in [
            "app/json.py",
            "src/types.py",
            "tools/app.py",
            "json/encoder.py",
            "json.txt",
        ] {
            assert!(!shadows(path, &python, &tools), "{path}");
        }
        let rust = Runners::of(["cargo"].into_iter(), "");
        assert!(!shadows("json.py", &rust, &[]));
    }

    #[test]
    fn programs_of_the_tree_are_found_before_installed_ones() {
        let node = Runners::of(["npx"].into_iter(), "");
        assert!(shadows("node_modules/.bin/jest", &node, &[]));
        assert!(shadows("web/node_modules/.bin/jest", &node, &[]));
        assert!(!shadows("node_modules/jest/index.js", &node, &[]));
    }

    #[test]
    fn the_list_is_sorted_and_holds_what_matters() {
        let names: Vec<&str> = MODULES.lines().collect();
        assert!(names.is_sorted());
        for name in [
            "json",
            "unittest",
            "pytest",
            "sitecustomize",
            "usercustomize",
            "os",
        ] {
            assert!(names.contains(&name), "{name}");
        }
    }
}
