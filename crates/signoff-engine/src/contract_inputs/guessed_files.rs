//! What a contract may read that its text does not name: by braces, patterns and variables, or by looking through directories.

use signoff_plan::glob;
use signoff_plan::model::{Step, Work};

use super::path_words;

/// Programs that look through directories.
const WALKERS: [&str; 8] = ["find", "fd", "fdfind", "xargs", "ls", "rg", "ag", "git"];

/// What the text of a contract leaves open.
#[derive(Debug, Default)]
pub(super) struct GuessedFiles {
    patterns: Vec<String>,
    /// Directories that it looks through; empty = the root.
    directories: Vec<String>,
}

impl GuessedFiles {
    pub(super) fn of(command: &str, programs: &[String]) -> Self {
        let is_end = |c: char| c.is_whitespace() || ";()<>|&\"'`=".contains(c);
        let words = || command.split(is_end).filter(|word| !word.is_empty());
        let mut found = Self::default();
        for pattern in words().filter_map(as_pattern) {
            // A variable may hold a directory.
            if pattern.starts_with('*') {
                found.patterns.push(format!("**/{pattern}"));
            }
            found.patterns.push(pattern);
        }
        let is_walker = |name: &String| WALKERS.contains(&name.as_str());
        let is_recursive = |word: &str| {
            let flags = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            word == "--recursive" || flags.is_some_and(|flags| flags.contains(['r', 'R']))
        };
        let greps = programs.iter().any(|name| name.ends_with("grep"));
        if programs.iter().any(is_walker) || (greps && words().any(is_recursive)) {
            let here = words().filter(|word| matches!(*word, "." | "./"));
            found.directories.extend(here.map(|_| String::new()));
            found
                .directories
                .extend(path_words(command).map(|word| folder(word).to_owned()));
        }
        found
    }

    /// Whether it may read this file.
    pub(super) fn may_be(&self, path: &str) -> bool {
        let is_in = |directory: &String| {
            directory.is_empty()
                || path
                    .strip_prefix(directory.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        self.patterns.iter().any(|one| glob::matches(one, path))
            || self.directories.iter().any(is_in)
    }
}

/// The patterns that a command searches for without quotes: the shell puts the names of files that match in their place.
pub(super) fn unquoted_patterns(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    // What is searched for comes next.
    let (mut of_search, mut awaited) = (false, false);
    for word in command.split(|c: char| c.is_whitespace() || ";()|&`".contains(c)) {
        match word {
            "" => {}
            "grep" | "egrep" | "fgrep" | "rg" | "ag" => (of_search, awaited) = (true, true),
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" => awaited = true,
            "-e" | "--regexp" if of_search => awaited = true,
            word if word.starts_with('-') => {}
            word => {
                let is_open =
                    word.contains(['*', '?', '[']) && !word.contains(['\'', '"', '\\', '$']);
                if awaited && is_open {
                    found.extend(as_pattern(word));
                }
                (of_search, awaited) = (false, false);
            }
        }
    }
    found
}

fn folder(word: &str) -> &str {
    super::plain_path(word).trim_end_matches('/')
}

/// A word with braces, wildcards or variables as a pattern over paths, if something of it is known.
fn as_pattern(word: &str) -> Option<String> {
    if !word.contains(['*', '?', '[', '{', '$']) {
        return None;
    }
    let (mut pattern, mut rest) = (String::new(), super::plain_path(word));
    while let Some(letter) = rest.chars().next() {
        let after = rest.get(letter.len_utf8()..).unwrap_or_default();
        rest = match letter {
            '$' => {
                pattern.push('*');
                after_variable(after)
            }
            '[' => {
                pattern.push('?');
                after.split_once(']').map_or("", |(_, rest)| rest)
            }
            letter => {
                pattern.push(letter);
                after
            }
        };
    }
    let is_known = pattern.chars().any(char::is_alphanumeric);
    (is_known && pattern.contains(['*', '?', ','])).then_some(pattern)
}

/// What follows the name of a variable.
pub(super) fn after_variable(text: &str) -> &str {
    if let Some(inside) = text.strip_prefix('{') {
        return inside.split_once('}').map_or("", |(_, rest)| rest);
    }
    text.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '#'))
}

/// Whether a step's task or what it produces names a file: then it was to be changed.
pub(super) fn is_told(step: &Step, path: &str) -> bool {
    match &step.work {
        Work::Agent { task, .. } => path_words(task).any(|word| {
            let word = word.trim_end_matches('.');
            super::plain_path(word) == path
        }),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_is_searched_for_without_quotes_is_found() {
        for (command, pattern) in [
            ("! grep -q TODO* app.py", "TODO*"),
            ("! grep -q [Tx]*ODO app.py", "?*ODO"),
            ("grep -e a? -e b x", "a?"),
            ("test -z \"$(find . -name *.tmp)\"", "*.tmp"),
            ("cd x && find a -type f -iname *.o", "*.o"),
        ] {
            assert_eq!(unquoted_patterns(command), [pattern], "{command}");
        }
        for command in [
            "! grep -q 'TODO*' app.py",
            "grep -q TODO src/*.py",
            "find . -name '*.tmp'",
            "find . -name \\*.tmp",
            "cat *.txt | grep -q x",
            "for f in t/*.sh; do sh $f; done",
            "rg \"a*\" *.c",
        ] {
            assert_eq!(unquoted_patterns(command), [""; 0], "{command}");
        }
    }
}
