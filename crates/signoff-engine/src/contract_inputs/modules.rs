//! Python's modules by the names of their files.

/// Modules that come with Python, and those that test runners are made of; sorted.
const MODULES: &str = include_str!("python_modules.txt");

/// Runners and what they are made of. No project needs a module of such a name, so it does not matter where Python is
/// started.
const RUNNERS: [&str; 16] = [
    "_pytest",
    "iniconfig",
    "nose",
    "nose2",
    "nox",
    "pluggy",
    "pytest",
    "pytest_asyncio",
    "pytest_cov",
    "pytest_django",
    "pytest_mock",
    "pytest_timeout",
    "pytest_xdist",
    "tox",
    "unittest",
    "xdist",
];

/// A package that is not installed, and that modules of Python load if it is there.
const OPTIONAL: &str = "org";

/// A file that Python may load as a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Module<'p> {
    /// The directory that it is found in.
    pub(super) directory: &'p str,
    pub(super) name: &'p str,
    /// A directory, by its `__init__`.
    pub(super) is_package: bool,
    /// Bytecode, which is loaded without comparing it with its source.
    pub(super) is_compiled: bool,
    /// `json.cpython-311-x86_64-linux-gnu.so`
    pub(super) is_extension: bool,
}

/// The module that a file is. A link without an ending may lead to a package.
pub(super) fn module_of(path: &str, is_link: bool) -> Option<Module<'_>> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    if is_link && !file.contains('.') {
        return Some(Module {
            directory: folder,
            name: file,
            is_package: true,
            is_compiled: false,
            is_extension: false,
        });
    }
    let (name, _) = file.split_once('.')?;
    let (_, ending) = file.rsplit_once('.')?;
    if let Some(directory) = optional_package(folder) {
        return matches!(ending, "py" | "pyc" | "so").then_some(Module {
            directory,
            name: OPTIONAL,
            is_package: true,
            is_compiled: false,
            is_extension: false,
        });
    }
    let is_compiled = matches!(ending, "pyc" | "pyo");
    let is_extension = matches!(ending, "so" | "pyd");
    if !(is_compiled || is_extension || ending == "py") {
        return None;
    }
    let is_package = name == "__init__";
    let (directory, name) = if is_package {
        folder.rsplit_once('/').unwrap_or(("", folder))
    } else {
        (folder, name)
    };
    Some(Module {
        directory,
        name,
        is_package,
        is_compiled,
        is_extension,
    })
}

/// The directory in which the package lies that `copy` and `pickle` try to load, of a folder within it.
fn optional_package(folder: &str) -> Option<&str> {
    let at = |part: &str| {
        let (before, rest) = folder.split_at_checked(folder.find(part)?)?;
        let rest = rest.get(part.len()..)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(before)
    };
    let whole = || folder.strip_prefix("org/python").map(|rest| ("", rest));
    match whole() {
        Some((before, rest)) if rest.is_empty() || rest.starts_with('/') => Some(before),
        Some(_) | None => at("/org/python"),
    }
}

/// Whether Python or a test runner has a module of this name.
pub(super) fn is_known(name: &str) -> bool {
    name == OPTIONAL || is_runner(name) || MODULES.lines().any(|known| known == name)
}

/// Whether a test runner is made of a module of this name.
pub(super) fn is_runner(name: &str) -> bool {
    RUNNERS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_what_matters() {
        let names: Vec<&str> = MODULES.lines().collect();
        assert!(names.is_sorted() && RUNNERS.is_sorted());
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

    #[test]
    fn the_package_that_modules_of_python_try_to_load_is_known() {
        for (path, directory) in [
            ("org/python/core.py", ""),
            ("scripts/org/python/core.py", "scripts"),
            ("org/python/core/__init__.py", ""),
        ] {
            let module = module_of(path, false).unwrap();
            assert_eq!(
                (module.directory, module.name),
                (directory, "org"),
                "{path}"
            );
        }
        assert_eq!(
            module_of("org/pythonic/core.py", false).unwrap().name,
            "core"
        );
        assert!(module_of("org/python/core.java", false).is_none());
        assert!(is_known("org"));
    }
}
