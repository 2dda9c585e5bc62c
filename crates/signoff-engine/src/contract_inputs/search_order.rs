//! Files that a language finds before one that was there: by its rules of search, not by lists of names.

use super::modules::module_of;
use super::runners::{Family, Runners};

/// Endings of modules in JavaScript. A name without any is found first; of the others each program has an order of its own.
const MODULES: [&str; 10] = [
    "js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "json", "node",
];

/// Endings that scripts leave out when they look for a file by several names.
const OTHER_SCRIPTS: [&str; 7] = ["sh", "bash", "py", "pl", "rb", "php", "lua"];

/// Endings of headers.
pub(super) const HEADERS: [&str; 7] = ["h", "hh", "hpp", "hxx", "inc", "inl", "ipp"];

/// What a compiler of Java and its relatives takes a class from where no newer class lies in its way.
const CLASS_SOURCES: [&str; 4] = ["java", "kt", "scala", "groovy"];

/// The folder of a path, and its name without the ending, and the ending.
fn split_path(path: &str) -> (&str, &str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (folder, stem, ending),
        Some(_) | None => (folder, name, ""),
    }
}

fn join_path(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

/// The files beside a new one that are no longer found where a module is asked for without its ending.
pub(super) fn displaced_siblings(path: &str) -> Vec<String> {
    let (folder, stem, ending) = split_path(path);
    let stem = join_path(folder, stem);
    if ending == "pmc" {
        return vec![format!("{stem}.pm")];
    }
    if ending == "gch" {
        // A header that was compiled is taken before the header.
        return vec![stem];
    }
    if matches!(ending, "so" | "dylib") {
        // A linker takes the library that is shared first.
        return vec![format!("{stem}.a")];
    }
    if !(ending.is_empty() || MODULES.contains(&ending)) {
        return Vec::new();
    }
    let mut hidden = Vec::new();
    if ending.is_empty() {
        hidden.extend(MODULES.map(|other| format!("{stem}.{other}")));
    }
    // A file is found before the directory of its name.
    hidden.extend(MODULES.map(|other| format!("{stem}/index.{other}")));
    hidden.push(format!("{stem}/package.json"));
    hidden
}

/// The files beside a new one that a program might have meant by the name, depending on its order.
pub(super) fn maybe_beside(path: &str) -> Vec<String> {
    let (folder, stem, ending) = split_path(path);
    let others: &[&str] = match ending {
        "" => &OTHER_SCRIPTS,
        // Every order has this one behind the code.
        "json" => &["node"],
        "class" => &CLASS_SOURCES,
        // A checker of types reads the stub alone.
        "pyi" => &["py"],
        ending if MODULES.contains(&ending) => &MODULES,
        _ => &[],
    };
    let others = others.iter().filter(|other| **other != ending);
    others
        .map(|other| join_path(folder, &format!("{stem}.{other}")))
        .collect()
}

/// How the paths end of files in other directories that a new one may be found before: which directory is searched first only
/// the program that runs knows.
pub(super) fn displaced_endings(path: &str) -> Vec<String> {
    let (_, stem, ending) = split_path(path);
    if HEADERS.contains(&ending) || matches!(ending, "pm" | "rb") {
        return vec![format!("{stem}.{ending}")];
    }
    if ending == "class" {
        return CLASS_SOURCES
            .map(|source| format!("{stem}.{source}"))
            .to_vec();
    }
    let Some(module) = module_of(path, false).filter(|one| !one.is_compiled) else {
        return Vec::new();
    };
    let is_test = module.name.starts_with("test_") || module.name.ends_with("_test");
    // These are not imported by name.
    let is_run = matches!(
        module.name,
        "__main__" | "conftest" | "setup" | "manage" | "tests"
    );
    if is_run || module.name.is_empty() || (is_test && !module.directory.is_empty()) {
        return Vec::new();
    }
    vec![
        format!("{}.py", module.name),
        format!("{}/__init__.py", module.name),
    ]
}

/// Whether a path ends so, by whole names.
pub(super) fn ends_in(path: &str, ending: &str) -> bool {
    path.strip_suffix(ending)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a new file takes the place of the other one whenever somebody asks for that by its name, so that it counts although
/// nobody protects the other: modules of JavaScript beside each other, and stubs for checkers of types.
pub(super) fn always_counts(path: &str, hidden: &str, commands: &[String]) -> bool {
    const CHECKERS: [&str; 7] = [
        "mypy",
        "dmypy",
        "pyright",
        "basedpyright",
        "pyre",
        "pytype",
        "ty",
    ];
    let (_, _, ending) = split_path(path);
    let (_, _, other) = split_path(hidden);
    if ending == "pyi" {
        return commands
            .iter()
            .any(|name| CHECKERS.contains(&name.as_str()));
    }
    (ending.is_empty() || MODULES.contains(&ending)) && MODULES.contains(&other)
}

/// Whether one of these runners loads the file that is hidden.
pub(super) fn is_loaded_by(hidden: &str, runners: &Runners) -> bool {
    let (_, _, ending) = split_path(hidden);
    let families: &[Family] = match ending {
        "py" => &[Family::Python],
        "pm" | "pl" => &[Family::Perl],
        "rb" => &[Family::Ruby],
        ending if CLASS_SOURCES.contains(&ending) => &[Family::Java],
        "php" => &[Family::Php],
        "sh" | "bash" | "lua" => return !runners.is_none(),
        "a" => &[Family::C, Family::CMake, Family::Rust],
        _ if HEADERS.contains(&ending) => &[Family::C, Family::CMake],
        _ => &[Family::JavaScript],
    };
    families.iter().any(|family| runners.include(*family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_ending_and_a_file_beside_a_directory_are_found_first() {
        for (new, hidden) in [
            ("helper", "helper.js"),
            ("a/helper", "a/helper.mjs"),
            ("spec.js", "spec/index.js"),
            ("spec.json", "spec/index.js"),
            ("spec", "spec/package.json"),
            ("lib/Foo.pmc", "lib/Foo.pm"),
            ("src/a.h.gch", "src/a.h"),
            ("lib/libcheck.so", "lib/libcheck.a"),
            ("libcheck.dylib", "libcheck.a"),
        ] {
            assert!(
                displaced_siblings(new).contains(&hidden.to_owned()),
                "{new}"
            );
        }
        for (new, other) in [
            ("x.json", "x.js"),
            ("x.css", "x.js"),
            ("x.d.ts", "x.js"),
            ("x.js", "y.js"),
            ("x.pm", "x.pmc"),
        ] {
            assert!(
                !displaced_siblings(new).contains(&other.to_owned()),
                "{new}"
            );
        }
        assert!(maybe_beside("x.js").contains(&"x.json".to_owned()));
        assert_eq!(maybe_beside("a/x.pyi"), ["a/x.py"]);
        assert!(maybe_beside("x.ts").contains(&"x.js".to_owned()));
        assert!(!maybe_beside("x.json").contains(&"x.js".to_owned()));
        assert!(maybe_beside("lib").contains(&"lib.sh".to_owned()));
        assert!(maybe_beside("lib.txt").is_empty());
    }

    #[test]
    fn what_is_looked_for_in_several_directories_is_compared_by_name() {
        for (new, ending) in [
            ("spec/__init__.py", "spec.py"),
            ("tests/spec.py", "spec/__init__.py"),
            ("tests/spec.h", "spec.h"),
            ("t/Spec.pm", "Spec.pm"),
            ("V.class", "V.java"),
        ] {
            assert!(displaced_endings(new).contains(&ending.to_owned()), "{new}");
        }
        for new in ["app/test_x.py", "a/conftest.py", "x.txt", "src/a.c"] {
            assert!(displaced_endings(new).is_empty(), "{new}");
        }
        assert!(ends_in("lib/spec.py", "spec.py") && !ends_in("lib/myspec.py", "spec.py"));
    }
}
