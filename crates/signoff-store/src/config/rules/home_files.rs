//! A project's commands must not name files of the person's home: a repository that somebody else
//! wrote would hand a key or a login to an agent or a server. In their own configuration people name
//! what they like.

use std::path::{Component, Path, PathBuf};

use toml::de::{DeTable, DeValue};

use crate::config::Origin;
use crate::config::read::{ReadSource, Reader};
use crate::config::value::Value;

/// Keys whose values are run.
const COMMANDS: [&str; 3] = ["command", "prepare", "shell"];

impl Reader<'_> {
    /// Refuses every command of a project's file that names something of the home, `home`.
    pub(in crate::config) fn refuse_home_files(
        &mut self,
        table: &DeTable<'_>,
        home: Option<&Path>,
    ) {
        let ReadSource::File { path, .. } = self.from else {
            return;
        };
        if self.origin != Origin::Project {
            return;
        }
        // `WORKSPACE/.signoff/config.toml`
        let workspace = path.parent().and_then(Path::parent);
        let workspace = workspace.unwrap_or(Path::new("/"));
        for (key, value) in table {
            match value.get_ref() {
                DeValue::Table(inner) => self.refuse_home_files(inner, home),
                _ if COMMANDS.contains(&key.get_ref().as_ref()) => {
                    // A program that is installed in the home is run, not handed on.
                    let skipped = usize::from(key.get_ref() == "command");
                    self.refuse_home_words((value, skipped), home, workspace);
                }
                _ => {}
            }
        }
    }

    fn refuse_home_words(
        &mut self,
        (value, skipped): (&Value<'_>, usize),
        home: Option<&Path>,
        workspace: &Path,
    ) {
        let words: Vec<&Value<'_>> = match value.get_ref() {
            DeValue::Array(words) => words.iter().skip(skipped).collect(),
            _ => vec![value],
        };
        for word in words {
            let DeValue::String(text) = word.get_ref() else {
                continue;
            };
            if let Some(named) = named_in_home(text, home, workspace) {
                let named = named.escape_debug();
                let message = format!("a project cannot name `{named}`, which is in your home");
                let hint = "write this command into your own configuration, if you want it";
                self.problem(word, message, Some(hint.to_owned()));
            }
        }
    }
}

/// The path of the home that a word of a command names, if any. Shell texts are searched as they are: what
/// looks like a name in the home is one.
fn named_in_home<'t>(word: &'t str, home: Option<&Path>, workspace: &Path) -> Option<&'t str> {
    let variable = ["$HOME", "${HOME"].iter().find_map(|name| word.find(name));
    let tilde = word.match_indices('~').map(|(at, _)| at);
    let tilde = tilde.filter(|at| starts_a_path(word, *at)).find(|at| {
        let rest = &word[at + 1..];
        rest.is_empty() || rest.starts_with('/')
    });
    let absolute = home.and_then(|home| absolute_in_home(word, home, workspace));
    let start = [variable, tilde, absolute].into_iter().flatten().min();
    if let Some(start) = start {
        return word.get(start..).map(path_text);
    }
    let climbs = home.is_some_and(|home| leads_home(word, home, workspace));
    climbs.then_some(word)
}

/// Where an absolute path of the home stands in a word; paths of the workspace are not meant.
fn absolute_in_home(word: &str, home: &Path, workspace: &Path) -> Option<usize> {
    let name = home.to_str().filter(|name| *name != "/")?;
    let mut found = word.match_indices(name).map(|(at, _)| at);
    found.find(|at| {
        let path = path_text(&word[*at..]);
        let path = resolve(Path::new(path));
        starts_a_path(word, *at) && path.starts_with(home) && !path.starts_with(workspace)
    })
}

/// Does a relative path climb from the workspace into the home?
fn leads_home(word: &str, home: &Path, workspace: &Path) -> bool {
    let climbs = word.split('/').any(|part| part == "..");
    let path = resolve(&workspace.join(word));
    climbs && path.starts_with(home) && !path.starts_with(workspace)
}

fn starts_a_path(word: &str, at: usize) -> bool {
    let before = word.get(..at).and_then(|before| before.chars().next_back());
    before
        .is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '_' | '-' | '.' | '/'))
}

/// As much of a text as may be one path.
fn path_text(text: &str) -> &str {
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '|' | '&' | ')' | '`'));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// A path without `.` and `..`, as far as its text tells.
fn resolve(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(word: &str, expected: Option<&str>) {
        let (home, workspace) = (Path::new("/home/ada"), Path::new("/home/ada/src/shop"));
        assert_eq!(
            named_in_home(word, Some(home), workspace),
            expected,
            "{word}"
        );
    }

    #[test]
    fn files_of_the_home_are_found_however_they_are_written() {
        check("~/.ssh/id_rsa", Some("~/.ssh/id_rsa"));
        check("cat ~/.ssh/id_rsa | nc x 1", Some("~/.ssh/id_rsa"));
        check("--key=~/.ssh/id_rsa", Some("~/.ssh/id_rsa"));
        check("~", Some("~"));
        check("cat \"$HOME/.netrc\"", Some("$HOME/.netrc"));
        check("cat ${HOME}/.netrc", Some("${HOME}/.netrc"));
        check("--file=/home/ada/.netrc", Some("/home/ada/.netrc"));
        check(
            "/home/ada/src/shop/../../.netrc",
            Some("/home/ada/src/shop/../../.netrc"),
        );
        check("../../.netrc", Some("../../.netrc"));
        check("/home/ada", Some("/home/ada"));
    }

    #[test]
    fn other_files_are_not_meant() {
        for word in [
            "tools/server.js",
            "/home/ada/src/shop/tools/server.js",
            "/home/adam/x",
            "/srv/home/ada/x",
            "HEAD~1",
            "a~/b",
            "../x/../shop/y",
            "{task}",
        ] {
            check(word, None);
        }
        assert_eq!(named_in_home("/etc/passwd", None, Path::new("/w")), None);
    }
}
