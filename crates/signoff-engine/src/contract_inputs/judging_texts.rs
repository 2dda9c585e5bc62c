//! What is said by the scripts that were signed with a plan: which files they read, which programs they call, and where they have
//! things searched. The contract's own text shows none of it.

use std::collections::BTreeSet;

use signoff_plan::shell::{Script, programs};

use super::details::TreeChange;
use super::guessed_files::{GuessedFiles, after_variable};
use super::modules::module_of;
use super::search_settings::{SearchRule, takes_a_place};
use super::{named_settings, path_words, plain_path};
use crate::changes::{ChangeDetails, Displaced, NamedFile, NamedSettings, SearchedFile};

/// A text that judges the work, as it was before the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgingText {
    /// Its file; empty: a contract itself.
    pub path: String,
    /// The signed file by which it is run: itself, or one that calls it.
    pub by: String,
    pub text: String,
}

impl JudgingText {
    fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Whether it is for a shell: it says so, or its name says nothing else.
    fn is_shell(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match self
            .text
            .lines()
            .next()
            .filter(|line| line.starts_with("#!"))
        {
            Some(line) => line.contains("sh"),
            None => matches!(ending, "" | "sh" | "bash" | "dash" | "zsh" | "ksh" | "bats"),
        }
    }
}

/// The scripts that a text runs in turn, which may be started from the root or from where it lies.
pub fn called_scripts(text: &JudgingText) -> BTreeSet<String> {
    // `"$here/lib/check.sh"`, also from another language.
    let words = NamedPaths::of(text).words.into_iter();
    let mut found: BTreeSet<String> = words.filter(|word| is_for_shell(word)).collect();
    if text.is_shell() {
        for script in programs(&text.text).scripts {
            if let Script::File(path) = script.value {
                let path = path.trim_start_matches('/');
                found.extend([resolved("", path), resolved(text.folder(), path)]);
            }
        }
    }
    found
}

/// Whether a path is that of a script for a shell, by its ending.
fn is_for_shell(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| matches!(ending, "sh" | "bash"))
}

/// What must be known of a tree before the change to judge what these texts have searched: how paths end.
pub fn searched_endings(change: &TreeChange, texts: &[JudgingText]) -> BTreeSet<String> {
    let read: Vec<NamedPaths> = texts.iter().map(NamedPaths::of).collect();
    let rules = texts.iter().zip(&read);
    let rules: Vec<SearchRule<'_>> = rules
        .filter_map(|(text, named)| SearchRule::of(text, named))
        .collect();
    let added = || change.added.iter().map(|path| plain_path(path));
    let found = rules
        .iter()
        .flat_map(|rule| added().filter_map(|path| rule.found_as(path).map(str::to_owned)));
    found.collect()
}

/// Notes what these texts say of the files of a change.
pub fn note_judging_texts(
    details: &mut ChangeDetails,
    change: &TreeChange,
    texts: &[JudgingText],
    there_before: &BTreeSet<String>,
) {
    let stays = |path: &&String| !change.removed.contains(*path);
    let before: Vec<&str> = there_before
        .iter()
        .filter(stays)
        .map(String::as_str)
        .collect();
    for text in texts {
        let named = NamedPaths::of(text);
        if let Some(rule) = SearchRule::of(text, &named) {
            details.searched.extend(searched_by(&rule, change, &before));
        }
        if text.path.is_empty() {
            continue;
        }
        details.displaces.extend(packages_around(text, change));
        if text.is_shell() {
            note_started_modules(details, &text.text);
        }
        let called = CalledPrograms::of(text, change);
        for path in &change.files {
            let plain = plain_path(path);
            let may_be_settings = named_settings::may_be_settings(plain);
            // A new file is what the work had to make, if it is nothing that a program reads by itself.
            // What a pattern finds is read with the rest.
            let counts = may_be_settings || !change.added.contains(path) || named.may_be(plain);
            let guessed = || may_be_settings && called.may_read(plain);
            if counts && plain != text.path && (named.names(plain) || guessed()) {
                details.named.push(NamedFile {
                    file: path.clone(),
                    by: text.by.clone(),
                });
            }
            if may_be_settings && let Some(program) = called.read(plain) {
                details.settings.push(NamedSettings {
                    file: path.clone(),
                    program: program.to_owned(),
                });
            }
        }
    }
    details.named.sort();
    details.named.dedup();
    details.settings.sort();
    details.settings.dedup();
    details.searched.sort();
    details.searched.dedup();
}

fn is_python(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "py")
}

/// The new packages whose code runs before a signed module in them.
fn packages_around(text: &JudgingText, change: &TreeChange) -> Vec<Displaced> {
    let is_around = |path: &&String| {
        let folder = plain_path(path).strip_suffix("__init__.py");
        folder.is_some_and(|folder| folder.ends_with('/') && text.path.starts_with(folder))
    };
    let added = change.added.iter();
    if !is_python(&text.path) || text.by != text.path {
        return Vec::new();
    }
    added
        .filter(is_around)
        .map(|file| Displaced {
            file: plain_path(file).to_owned(),
            hides: text.path.clone(),
            maybe: true,
        })
        .collect()
}

/// Notes the new modules beside scripts that a text has Python run: there it looks first, also within a package.
fn note_started_modules(details: &mut ChangeDetails, text: &str) {
    let scripts = programs(text).scripts.into_iter();
    let folders: BTreeSet<String> = scripts
        .filter_map(|script| match script.value {
            Script::File(path) if is_python(&path) => {
                Some(path.rsplit_once('/')?.0.trim_start_matches("./").to_owned())
            }
            Script::File(_) | Script::Pattern(_) | Script::Module { .. } | Script::Unknown(_) => {
                None
            }
        })
        .collect();
    let is_beside = |path: &&String| {
        module_of(plain_path(path), false).is_some_and(|one| folders.contains(one.directory))
    };
    let beside = details.new_modules.iter().filter(is_beside);
    let new = beside.filter(|path| !details.loose_modules.contains(path));
    let new: Vec<String> = new.cloned().collect();
    details.loose_modules.extend(new);
}

/// The programs that a text calls, by the names that their settings have.
struct CalledPrograms {
    known: BTreeSet<String>,
    /// What may be one in a text that is for no shell.
    possible: BTreeSet<String>,
}

impl CalledPrograms {
    fn of(text: &JudgingText, change: &TreeChange) -> Self {
        let (mut known, mut possible) = (BTreeSet::new(), BTreeSet::new());
        if text.is_shell() {
            let called = programs(&text.text);
            known = named_settings::program_names(&called.invocations);
            let own = called
                .scripts
                .iter()
                .filter_map(|script| match &script.value {
                    Script::File(path) if !change.added.contains(path) => Some(path),
                    Script::File(_)
                    | Script::Pattern(_)
                    | Script::Module { .. }
                    | Script::Unknown(_) => None,
                });
            known.extend(own.filter_map(|path| named_settings::own_name(path)));
        } else {
            possible = named_settings::possible_names(&text.text);
        }
        known.extend(named_settings::own_name(&text.path));
        Self { known, possible }
    }

    /// The program that reads a file as its settings.
    fn read(&self, path: &str) -> Option<&str> {
        named_settings::settings_of(path, &self.known)
    }

    fn may_read(&self, path: &str) -> bool {
        named_settings::settings_of(path, &self.possible).is_some()
    }
}

/// The files of a change that may be found before what was there, by what one text says.
fn searched_by(rule: &SearchRule<'_>, change: &TreeChange, before: &[&str]) -> Vec<SearchedFile> {
    let files = change.files.iter();
    let there = files.filter(|path| !change.removed.contains(*path));
    let is_searched = |path: &&String| {
        let plain = plain_path(path);
        let takes_place = || {
            let found_as = rule.found_as(plain);
            let is_known = |name: &str| {
                let top = name.split(['/', '.']).next().unwrap_or(name);
                change.installed.contains(top)
            };
            found_as.is_some_and(|name| is_known(name) || takes_a_place(plain, name, before))
        };
        rule.is_archive(plain) || (change.added.contains(*path) && takes_place())
    };
    there
        .filter(is_searched)
        .map(|file| SearchedFile {
            file: file.clone(),
            by: rule.said_by().to_owned(),
        })
        .collect()
}

/// The paths that a text names.
#[derive(Debug)]
pub(super) struct NamedPaths {
    /// From the root, each as it stands there and as it is from where the text lies.
    words: BTreeSet<String>,
    /// It has the directory searched that it is started in.
    root: bool,
    guessed: GuessedFiles,
}

impl NamedPaths {
    pub(super) fn of(text: &JudgingText) -> Self {
        // `$ROOT/tools/x` is `tools/x`, wherever that is.
        let mut parts = text.text.split('$');
        let mut bare = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            bare.push(' ');
            bare.push_str(after_variable(part));
        }
        let mut words = BTreeSet::new();
        // `-Iinc`
        let value = |word| option_value(word).unwrap_or_default();
        let both = path_words(&bare).flat_map(|word| [word, value(word)]);
        for word in both.filter(|word| !word.is_empty()) {
            let word = word.trim_matches('/').trim_end_matches('.');
            words.extend([resolved("", word), resolved(text.folder(), word)]);
        }
        words.remove("");
        Self {
            words,
            root: names_root(&text.text),
            guessed: GuessedFiles::of(&text.text, &[]),
        }
    }

    /// Whether it has the directory searched that it is started in.
    pub(super) fn has_root(&self) -> bool {
        self.root
    }

    /// Whether it names a file of source code in exactly this directory; empty: the root.
    pub(super) fn has_file_in(&self, folder: &str) -> bool {
        const SOURCES: [&str; 7] = ["c", "cc", "cpp", "cxx", "C", "m", "mm"];
        self.words.iter().any(|word| {
            let (above, name) = word.rsplit_once('/').unwrap_or(("", word));
            let ending = name.rsplit_once('.').map(|(_, ending)| ending);
            above == folder && ending.is_some_and(|ending| SOURCES.contains(&ending))
        })
    }

    /// Whether a pattern of it means this file.
    fn may_be(&self, path: &str) -> bool {
        self.guessed.may_be(path)
    }

    /// Whether it has exactly this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.words.contains(path)
    }

    /// Whether it may mean this file: also by a pattern, or by the end of its path, as it changes the directory or joins names.
    fn names(&self, path: &str) -> bool {
        let ends = path.match_indices('/');
        let mut ends = ends.filter_map(|(at, _)| path.get(at + 1..));
        self.has(path)
            || ends.any(|end| end.contains(['.', '/']) && self.has(end))
            || self.guessed.may_be(path)
    }
}

/// Whether a text has the directory searched that it is started in: `-I.`, `-cp .`, `PATH=$PWD:$PATH`, `sys.path.insert(0, '.')`.
fn names_root(text: &str) -> bool {
    const OPTIONS: [&str; 7] = [
        "-I",
        "-L",
        "-cp",
        "-classpath",
        "--class-path",
        "-isystem",
        "-iquote",
    ];
    let is_root = |(at, name): (usize, &str)| {
        let (Some(before), Some(after)) = (text.get(..at), text.get(at + name.len()..)) else {
            return false;
        };
        let after = after.strip_prefix('/').unwrap_or(after);
        let ends = !after.starts_with(|c: char| c.is_alphanumeric() || "._-/".contains(c));
        let quoted = before.ends_with(['"', '\'']);
        let before = before.trim_end_matches(['"', '\'']);
        let is_value =
            before.ends_with(['=', ':']) || (quoted && before.ends_with(['(', ',', '[', ' ']));
        let option = before.trim_end();
        ends && (is_value || OPTIONS.iter().any(|one| option.ends_with(one)))
    };
    [".", "$PWD", "${PWD}", "$(pwd)"]
        .into_iter()
        .any(|name| text.match_indices(name).any(is_root))
}

/// The value that stands in an option of one letter: `inc` in `-Iinc`.
fn option_value(word: &str) -> Option<&str> {
    let rest = word.strip_prefix('-')?;
    let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
    rest.get(letter.len_utf8()..)
}

/// A path without `.` and `..`, from the root.
fn resolved(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// What a text says of these new and these old files, in a tree that has those.
    fn said(path: &str, text: &str, new: &[&str], old: &[&str], before: &[&str]) -> ChangeDetails {
        let judge = JudgingText {
            path: path.to_owned(),
            by: path.to_owned(),
            text: text.to_owned(),
        };
        let change = TreeChange {
            files: new.iter().chain(old).map(|&one| one.to_owned()).collect(),
            added: texts(new),
            ..TreeChange::default()
        };
        let judges = [judge];
        let endings = searched_endings(&change, &judges);
        let mut there = texts(before);
        there.retain(|path| {
            endings
                .iter()
                .any(|end| super::super::search_order::ends_in(path, end))
        });
        let mut details = ChangeDetails::default();
        note_judging_texts(&mut details, &change, &judges, &there);
        details
    }

    #[track_caller]
    fn check_searched(text: &str, new: &[&str], before: &[&str], expected: &[&str]) {
        for path in ["tools/check.py", ""] {
            let found = said(path, text, new, &[], before).searched;
            let found: Vec<&str> = found.iter().map(|one| one.file.as_str()).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn an_archive_where_a_text_says_what_is_searched_is_told() {
        for (text, archive) in [
            ("sys.path.insert(0, 'lib.zip')", "lib.zip"),
            ("sys.path[:0] = glob.glob('vendor/*')", "vendor/a.whl"),
            ("PYTHONPATH=x python3 c.py", "deep/below/lib.egg"),
            ("java -cp 'libs/*' Check", "libs/x.jar"),
            ("export CLASSPATH=a.jar", "a.jar"),
            ("NODE_PATH=vendor node c.js", "vendor/x.node"),
            ("PERL5LIB=lib.par perl c.pl", "lib.par"),
            ("LD_LIBRARY_PATH=build ./c", "build/libm.so.6"),
            ("LD_PRELOAD=$PWD/x.so ./c", "x.so"),
        ] {
            check_searched(text, &[archive], &[], &[archive]);
        }
        check_searched("print('hello')", &["lib.zip"], &[], &[]);
        check_searched("java -cp libs Check", &["notes.zip.txt"], &[], &[]);
        // Changed in place.
        let old = said(
            "c.py",
            "sys.path.insert(0, 'lib.zip')",
            &[],
            &["lib.zip"],
            &[],
        );
        assert_eq!(old.searched.len(), 1);
    }

    #[test]
    fn a_new_file_in_a_directory_that_is_searched_is_told_if_it_takes_a_place() {
        let before = &[
            "lib/spec.py",
            "lib/pkg/a.py",
            "README.md",
            "lib/__init__.py",
        ];
        let python = "sys.path[:0] = ['new', os.path.join(root, 'lib')]";
        check_searched(python, &["new/spec.py"], before, &["new/spec.py"]);
        check_searched(python, &["new/pkg/a.py"], before, &["new/pkg/a.py"]);
        check_searched(python, &["new/json.py"], before, &["new/json.py"]);
        check_searched(python, &["new/other.py"], before, &[]);
        check_searched(python, &["new/__init__.py"], before, &[]);
        check_searched(python, &["src/spec.py"], before, &[]);
        check_searched("PYTHONPATH=new x", &["new/README.md"], before, &[]);
        check_searched(
            "PATH=$PWD/bin:$PATH cmp a b",
            &["bin/cmp"],
            &[],
            &["bin/cmp"],
        );
        check_searched("PATH=$PWD/bin:$PATH x", &["bin/mine"], &[], &[]);
        check_searched(
            "NODE_PATH=a:b node c",
            &["a/x.js"],
            &["b/x.js"],
            &["a/x.js"],
        );
        check_searched("echo new", &["new/spec.py"], before, &[]);
        // `-I.`, `-Iinc`, and beside the file that is compiled.
        let headers = &["inc/want.h"];
        check_searched("gcc -I. t.c", &["stdlib.h"], &[], &["stdlib.h"]);
        check_searched("gcc -Iinc t.c", &["inc/assert.h"], &[], &["inc/assert.h"]);
        check_searched("g++ -I . t.cc", &["vector"], &[], &["vector"]);
        check_searched("gcc -Iinc t.c", &["want.h"], headers, &["want.h"]);
        check_searched("gcc -Iinc x/t.c", &["want.h", "lib.h"], headers, &[]);
        check_searched("gcc t.c", &["stdlib.h"], &[], &[]);
        check_searched(
            "prove -Ilib -It/lib t",
            &["lib/Want.pm"],
            &["t/lib/Want.pm"],
            &["lib/Want.pm"],
        );
        check_searched(
            "java -cp a:b T.java",
            &["a/want.properties"],
            &["b/want.properties"],
            &["a/want.properties"],
        );
        check_searched(
            "PATH=\"$PWD/scripts:$PATH\" sh t.sh",
            &["scripts/grep"],
            &[],
            &["scripts/grep"],
        );
        check_searched(
            "PYTHONPATH=src python3 -m unittest",
            &[
                "src/apport_python_hook.py",
                "src/sitecustomize.py",
                "src/shop.py",
            ],
            &[],
            &["src/apport_python_hook.py", "src/sitecustomize.py"],
        );
        // A point elsewhere, and what lies deeper, is nothing.
        let readme = &["docs/README.md", "src/app/x.py"];
        check_searched("PATH=$PWD/bin:$PATH pytest .", &["README.md"], readme, &[]);
        check_searched("PYTHONPATH=. pytest", &["app/x.py"], readme, &[]);
        for root in ["-cp .", "-cp a:.", "-cp \"$PWD\"", "-classpath ./"] {
            let text = format!("java {root} T");
            check_searched(
                &text,
                &["x.properties"],
                &["b/x.properties"],
                &["x.properties"],
            );
        }
        check_searched(
            "PYTHONPATH=. python3 a/t.py",
            &["json.py", "shop.py"],
            &[],
            &["json.py"],
        );
    }

    #[test]
    fn what_a_script_names_is_told_from_where_it_lies() {
        let named = |path: &str, text: &str, new: &[&str], old: &[&str]| {
            let found = said(path, text, new, old, &[]).named.into_iter();
            found.map(|one| one.file).collect::<Vec<_>>()
        };
        for (text, file) in [
            ("cmp out expected", "expected"),
            ("cmp out ../expected", "expected"),
            ("cmp out tools/data/a", "tools/data/a"),
            ("cmp out data/a", "tools/data/a"),
            ("\"$(dirname \"$0\")/docker\" run", "tools/docker"),
            ("$ROOT/scripts/x run", "scripts/x"),
            ("cd data && cmp a.txt b.txt", "data/a.txt"),
            ("cat {expected,x}.txt", "expected.txt"),
        ] {
            assert_eq!(named("tools/check", text, &[], &[file]), [file], "{text}");
        }
        assert_eq!(
            named("tools/check", "cmp out want", &["out"], &["other"]),
            [""; 0]
        );
        // What a pattern finds may be new, or gone.
        let every = "for f in checks.d/*; do . \"./$f\"; done";
        let both = ["checks.d/00.sh", "checks.d/10.sh"];
        assert_eq!(named("check.sh", every, &both[..1], &both[1..]), both);
        let python = "bad = [p for p in glob.glob('cases/*.txt')]";
        assert_eq!(
            named("t/run.py", python, &["cases/b.txt", "c"], &[]),
            ["cases/b.txt"]
        );
        // The data of a protected test.
        let test = "int(open(\"want.dat\").read())";
        assert_eq!(
            named("test_a.py", test, &[], &["want.dat", "lib.py"]),
            ["want.dat"]
        );
        // What a program reads by itself may be new.
        assert_eq!(named("c", ". ./c.conf", &["c.conf"], &[]), ["c.conf"]);
        let python = "subprocess.run(['docker', 'compose'])";
        let settings = ["compose.override.yaml", "docker.conf", "other.conf"];
        assert_eq!(named("c.py", python, &settings, &[]), &settings[..2]);
    }

    #[test]
    fn a_new_package_around_a_protected_module_is_told() {
        let displaces = |path: &str, new: &str| {
            let found = said(path, "import unittest", &[new], &[], &[]).displaces;
            found.into_iter().map(|one| one.hides).collect::<Vec<_>>()
        };
        let test = "pkg/test_a.py";
        assert_eq!(displaces(test, "pkg/__init__.py"), [test]);
        assert_eq!(displaces("pkg/sub/t.py", "pkg/__init__.py").len(), 1);
        for new in [
            "other/__init__.py",
            "pkg/a.py",
            "__init__.py",
            "k/__init__.py",
        ] {
            assert_eq!(displaces(test, new), [""; 0], "{new}");
        }
        assert_eq!(displaces("pkg/data.txt", "pkg/__init__.py"), [""; 0]);
    }

    #[test]
    fn a_module_beside_a_script_that_a_script_runs_is_loaded_also_in_a_package() {
        let loose = |text: &str| {
            let mut details = ChangeDetails {
                new_modules: vec!["tools/random.py".to_owned(), "app/types.py".to_owned()],
                ..ChangeDetails::default()
            };
            note_started_modules(&mut details, text);
            details.loose_modules
        };
        assert_eq!(loose("python3 tools/check.py"), ["tools/random.py"]);
        assert_eq!(loose("python3 ./tools/check.py -v"), ["tools/random.py"]);
        assert_eq!(loose("python3 check.py; sh tools/check.sh"), [""; 0]);
    }

    #[test]
    fn settings_of_what_a_script_calls_are_told() {
        let settings = |path: &str, text: &str, file: &str| {
            let found = said(path, text, &[file], &[], &[]).settings;
            found.into_iter().map(|one| one.program).collect::<Vec<_>>()
        };
        let check = |path, text, file, program: &str| {
            assert_eq!(settings(path, text, file), [program], "{text}");
        };
        check("check.sh", "tools/docker run", "docker.conf", "docker");
        check("check.sh", "yamllint .", ".yamllint", "yamllint");
        check("tools/shop.py", "pass", "shop.toml", "shop");
        assert_eq!(settings("check.sh", "cat x.conf", "cat.conf"), [""; 0]);
    }

    #[test]
    fn scripts_that_a_script_calls_are_found() {
        let called = |path: &str, text: &str| {
            called_scripts(&JudgingText {
                path: path.to_owned(),
                by: String::new(),
                text: text.to_owned(),
            })
        };
        let found = called("tools/check", "./a; bash ../b.sh; \"$here/c.sh\"");
        for path in ["a", "tools/a", "b.sh", "tools/c.sh"] {
            assert!(found.contains(path), "{path}: {found:?}");
        }
        assert!(called("c.py", "run(['sh', 'ci/x.sh'])").contains("ci/x.sh"));
        assert!(called("c.py", "import helper").is_empty());
    }
}
