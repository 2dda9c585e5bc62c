//! Texts that say where programs, modules or libraries are searched: what a step adds there may be found before what was there.

use super::judging_texts::{JudgingText, NamedPaths};
use super::modules;
use super::named_settings::is_ordinary_program;
use super::runners::is_runner;
use super::search_order::{HEADERS, ends_in};

/// How a kind of things is searched.
#[derive(Debug)]
pub(super) struct SearchKind {
    /// What a text says that sets it.
    signs: &'static [&'static str],
    /// Endings of what is found in a directory; none: any file.
    found: &'static [&'static str],
    /// Endings of archives and libraries: what is in them, no name tells.
    archives: &'static [&'static str],
}

impl SearchKind {
    fn is_of_headers(&self) -> bool {
        self.found.contains(&"h")
    }
}

const KINDS: [SearchKind; 10] = [
    SearchKind {
        signs: &[
            "PATH=",
            "fish_add_path",
            "environ[\"PATH\"]",
            "environ['PATH']",
            "env.PATH",
        ],
        found: &[],
        archives: &[],
    },
    SearchKind {
        signs: &[
            "sys.path",
            "PYTHONPATH",
            "PYTHONHOME",
            "PYTHONUSERBASE",
            "addsitedir",
            "zipimport",
        ],
        found: &["py", "pyc", "so", "pyd"],
        archives: &["zip", "egg", "whl", "pyz", "pyzw"],
    },
    SearchKind {
        signs: &[
            "CLASSPATH",
            "-cp",
            "-classpath",
            "--class-path",
            "--module-path",
            "-javaagent",
            "ClassLoader",
            "-Xbootclasspath",
        ],
        found: &["class", "java", "properties", "groovy", "kts"],
        archives: &["jar", "zip", "war", "ear", "jmod"],
    },
    SearchKind {
        signs: &[
            "NODE_PATH",
            "module.paths",
            "globalPaths",
            "--import",
            "--loader",
            "--require",
            "moduleDirectories",
        ],
        found: &["js", "cjs", "mjs", "ts", "cts", "mts", "json", "node"],
        archives: &["asar", "node", "tgz", "zip"],
    },
    SearchKind {
        signs: &[
            "PERL5LIB", "PERLLIB", "use lib", "@INC", "prove -", "perl -",
        ],
        found: &["pm", "pl", "pmc"],
        archives: &["par", "zip"],
    },
    SearchKind {
        signs: &[
            "RUBYLIB",
            "LOAD_PATH",
            "$:.",
            "GEM_PATH",
            "GEM_HOME",
            "ruby -",
            "rspec -",
        ],
        found: &["rb", "so"],
        archives: &["gem"],
    },
    SearchKind {
        signs: &["include_path", "phar"],
        found: &["php", "inc"],
        archives: &["phar", "zip", "tar", "gz", "bz2"],
    },
    SearchKind {
        signs: &["LUA_PATH", "LUA_CPATH", "package.path", "package.cpath"],
        found: &["lua", "so"],
        archives: &["so"],
    },
    SearchKind {
        signs: &[
            "LD_LIBRARY_PATH",
            "LD_PRELOAD",
            "DYLD_",
            "LIBRARY_PATH",
            "-rpath",
            "-Wl,-rpath",
            "dlopen",
            "CDLL",
            "-L",
        ],
        found: &["so", "dylib", "dll", "a", "la"],
        archives: &["so", "dylib", "dll", "a", "la"],
    },
    SearchKind {
        signs: &[
            "CPATH",
            "C_INCLUDE_PATH",
            "CPLUS_INCLUDE_PATH",
            "-isystem",
            "-iquote",
            "-I",
        ],
        found: &[
            "h", "hh", "hpp", "hxx", "inc", "inl", "ipp", "gch", "pm", "rb", "mk",
        ],
        archives: &[],
    },
];

/// Headers of the system that a test relies on; those of C++ have no ending.
const SYSTEM_HEADERS: [&str; 44] = [
    "algorithm",
    "assert.h",
    "cassert",
    "cmath",
    "complex.h",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctype.h",
    "dirent.h",
    "errno.h",
    "fcntl.h",
    "float.h",
    "functional",
    "getopt.h",
    "inttypes.h",
    "iostream",
    "iso646.h",
    "limits.h",
    "locale.h",
    "map",
    "math.h",
    "memory",
    "memory.h",
    "poll.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdexcept",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string",
    "string.h",
    "strings.h",
    "time.h",
    "unistd.h",
    "utility",
    "vector",
    "wchar.h",
    "wctype.h",
];

/// Whether a text says where anything is searched.
pub fn sets_search(text: &str) -> bool {
    kinds_in(text).next().is_some()
}

fn kinds_in(text: &str) -> impl Iterator<Item = &'static SearchKind> {
    KINDS
        .iter()
        .filter(move |kind| kind.signs.iter().any(|sign| says(text, sign)))
}

/// Whether a text has this sign, and not as the end of a longer name: `PATH=`, but not `PYTHONPATH=`.
fn says(text: &str, sign: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || (sign.starts_with('-') && c == '-');
    let is_start = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(is_part)
    };
    text.match_indices(sign).any(|(at, _)| is_start(at))
}

/// Where one text says that something is searched.
#[derive(Debug)]
pub(super) struct SearchRule<'t> {
    text: &'t JudgingText,
    named: &'t NamedPaths,
    kinds: Vec<&'static SearchKind>,
}

impl<'t> SearchRule<'t> {
    pub(super) fn of(text: &'t JudgingText, named: &'t NamedPaths) -> Option<Self> {
        let kinds: Vec<_> = kinds_in(&text.text).collect();
        (!kinds.is_empty()).then_some(Self { text, named, kinds })
    }

    /// The file that says so; empty: a contract.
    pub(super) fn said_by(&self) -> &str {
        &self.text.path
    }

    /// Whether a changed file is an archive or a library that would be searched.
    pub(super) fn is_archive(&self, path: &str) -> bool {
        let ending = ending_of(path);
        self.kinds
            .iter()
            .any(|kind| kind.archives.contains(&ending))
    }

    /// The names by which a new file is found in a directory that the text names: `pkg/x.py` of `new/pkg/x.py`.
    pub(super) fn found_as<'p>(&self, path: &'p str) -> Option<&'p str> {
        let ending = ending_of(path);
        let is_searched =
            |kind: &&SearchKind| kind.found.is_empty() || kind.found.contains(&ending);
        let of_headers = self.kinds.iter().any(|kind| kind.is_of_headers());
        let is_system_header = of_headers && SYSTEM_HEADERS.contains(&path_name(path));
        if !is_system_header && !self.kinds.iter().any(is_searched) {
            return None;
        }
        let mut cuts = path.match_indices('/');
        let is_header = is_system_header || HEADERS.contains(&ending);
        // A header is looked for beside the file that asks for it, too.
        let is_searched = |folder: &str| {
            self.named.has(folder) || (of_headers && is_header && self.named.has_file_in(folder))
        };
        if let Some((at, _)) = cuts.find(|(at, _)| path.get(..*at).is_some_and(is_searched)) {
            return path.get(at + 1..);
        }
        // Of what lies deeper than that most is the project's own.
        let is_on_top = !path
            .strip_suffix("/__init__.py")
            .unwrap_or(path)
            .contains('/');
        let from_root = self.named.has_root() || (is_header && is_searched(""));
        (is_on_top && from_root).then_some(path)
    }
}

/// Whether a new file takes the place of something if it is found by this name.
pub(super) fn takes_a_place(path: &str, found_as: &str, before: &[&str]) -> bool {
    let is_alone = !found_as.contains('/');
    let module = modules::module_of(found_as, false);
    let is_unnamed = is_alone && module.is_some_and(|one| one.name.is_empty());
    let of_language =
        module.is_some_and(|one| modules::is_known(top(found_as)) || modules::is_runner(one.name));
    let is_tool = is_alone && (is_runner(found_as) || is_ordinary_program(found_as));
    let is_elsewhere = |one: &&&str| **one != path && ends_in(one, found_as);
    let is_header = is_alone && SYSTEM_HEADERS.contains(&found_as);
    of_language
        || is_tool
        || is_header
        || (!is_unnamed && before.iter().any(|one| is_elsewhere(&one)))
}

/// The first name of a path, without its ending.
fn top(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    first.split('.').next().unwrap_or(first)
}

fn path_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The ending of a path in small letters that lists have; `so` of `libm.so.6`.
fn ending_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.contains(".so.") {
        return "so";
    }
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}
