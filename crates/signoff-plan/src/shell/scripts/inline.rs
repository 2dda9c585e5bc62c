//! Code that an interpreter is given as text (`python3 -c`, `node -e`): which files it does nothing but run.
//!
//! A file that the code uses and then looks at is the work itself; one that it only loads is what judges.

/// What a text of code runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct InlineCode {
    pub(super) files: Vec<String>,
    /// Modules of Python.
    pub(super) modules: Vec<String>,
    /// It runs something that the text does not tell.
    pub(super) or_unknown: bool,
    /// It goes to another directory first.
    pub(super) moves: bool,
}

/// What runs another file in Python.
const RUNS: [&str; 4] = ["exec(", "execfile(", "run_path(", "SourceFileLoader("];
/// What runs a module by its name.
const RUNS_MODULE: [&str; 3] = ["run_module(", "import_module(", "__import__("];

pub(super) fn python(code: &str) -> InlineCode {
    let mut found = InlineCode {
        moves: code.contains("chdir"),
        ..InlineCode::default()
    };
    let runs = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let (runs_file, runs_module) = (runs(&RUNS), runs(&RUNS_MODULE));
    let mut only_loads = true;
    for statement in code.split([';', '\n']).map(str::trim) {
        match imported_modules(statement) {
            Some(modules) => found.modules.extend(modules),
            None => only_loads &= is_setting(statement),
        }
    }
    if !only_loads {
        found.modules.clear();
    }
    let literals = literals(code);
    if runs_file {
        let is_script =
            |text: &&String| text.trim_matches('.').contains('.') && !text.contains(' ');
        found
            .files
            .extend(literals.iter().filter(is_script).cloned());
    }
    if runs_module {
        let is_name = |text: &&String| !text.is_empty() && text.split('.').all(is_identifier);
        found
            .modules
            .extend(literals.iter().filter(is_name).cloned());
    }
    found.or_unknown =
        (runs_file && found.files.is_empty()) || (runs_module && found.modules.is_empty());
    found
}

/// JavaScript that does nothing but load files of the tree.
pub(super) fn javascript(code: &str) -> InlineCode {
    let mut found = InlineCode::default();
    for statement in code.split([';', '\n']).map(str::trim) {
        let loads = ["require(", "import(", "import ", "await import("];
        let is_load = loads.iter().any(|word| statement.starts_with(word));
        let literals = literals(statement);
        match literals.as_slice() {
            _ if statement.is_empty() => {}
            [path] if is_load && ends_there(statement) => {
                if path.starts_with(['.', '/']) {
                    found.files.push(path.clone());
                }
            }
            _ => return InlineCode::default(),
        }
    }
    found
}

/// Whether nothing is done with what was loaded.
fn ends_there(statement: &str) -> bool {
    let rest = statement
        .rsplit(['"', '\'', '`'])
        .next()
        .unwrap_or_default();
    matches!(rest.trim(), "" | ")")
}

/// The modules of `import a.b, c as d` and `from a import b`.
fn imported_modules(statement: &str) -> Option<Vec<String>> {
    if let Some(names) = statement.strip_prefix("import ") {
        let names = names
            .split(',')
            .filter_map(|name| name.split_whitespace().next());
        return Some(names.map(str::to_owned).collect());
    }
    let (module, names) = statement.strip_prefix("from ")?.split_once(" import ")?;
    let module = module.trim();
    // `from a import b` loads `a.b`, if that is a module.
    let names = names
        .split(',')
        .filter_map(|name| name.split_whitespace().next());
    let inner = names.map(|name| format!("{module}.{name}"));
    Some(std::iter::once(module.to_owned()).chain(inner).collect())
}

/// A statement that only says where modules are found.
fn is_setting(statement: &str) -> bool {
    statement.is_empty() || statement.starts_with("sys.path") || statement.starts_with("os.chdir")
}

fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// The texts in quotes.
fn literals(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (Some(quote), Some(after)) = (rest.get(at..=at), rest.get(at + 1..)) else {
            break;
        };
        let Some((inside, after)) = after.split_once(quote) else {
            break;
        };
        found.push(inside.to_owned());
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: &InlineCode, files: &[&str], modules: &[&str], or_unknown: bool) {
        assert_eq!(found.files, files);
        assert_eq!(found.modules, modules);
        assert_eq!(found.or_unknown, or_unknown);
    }

    #[test]
    fn python_that_only_runs_something_is_told_from_a_check() {
        check(
            &python("import scripts.check"),
            &[],
            &["scripts.check"],
            false,
        );
        check(
            &python("import sys; sys.path.insert(0, 'x'); from a import b"),
            &[],
            &["sys", "a", "a.b"],
            false,
        );
        check(
            &python("exec(open(\"check.py\").read())"),
            &["check.py"],
            &[],
            false,
        );
        let moved = python("import os; os.chdir('..'); import runpy; runpy.run_path('s/c.py')");
        check(&moved, &["s/c.py"], &[], false);
        assert!(moved.moves);
        check(&python("__import__('a.b')"), &[], &["a.b"], false);
        check(&python("exec(open(name).read())"), &[], &[], true);
        // The module is what is looked at.
        check(
            &python("import app; assert app.add(1, 2) == 3"),
            &[],
            &[],
            false,
        );
        check(&python("from app import x\nx()"), &[], &[], false);
        check(&python("open('app.py').read()"), &[], &[], false);
    }

    #[test]
    fn javascript_too() {
        check(
            &javascript("require(\"./s/check.js\")"),
            &["./s/check.js"],
            &[],
            false,
        );
        check(&javascript("import('./a.mjs');"), &["./a.mjs"], &[], false);
        check(&javascript("require('fs')"), &[], &[], false);
        check(&javascript("require('./app').add(1)"), &[], &[], false);
        let used = "const a = require('./app'); if (a.x !== 1) process.exit(1)";
        check(&javascript(used), &[], &[], false);
    }
}
