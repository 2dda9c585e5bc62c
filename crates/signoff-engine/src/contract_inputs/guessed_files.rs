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
