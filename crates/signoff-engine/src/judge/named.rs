//! Whether a step was told to change a file.

use std::collections::BTreeSet;

use signoff_plan::glob;
use signoff_plan::model::{Step, Work};

/// Files that hold what a project depends on. Who is told to add a dependency has been told to
/// change them.
const MANIFESTS: [&str; 3] = ["package.json", "pyproject.toml", "setup.cfg"];
const DEPENDENCY: [&str; 4] = [
    "dependency",
    "dependencies",
    "devdependency",
    "devdependencies",
];

/// Names that people write without their ending.
const SHORT: [(&str, &str); 5] = [
    ("conftest", "conftest.py"),
    ("pyproject", "pyproject.toml"),
    ("makefiles", "makefile"),
    ("spec_helper", "spec_helper.rb"),
    ("noxfile", "noxfile.py"),
];

/// What a step's text names.
#[derive(Debug)]
pub(super) struct Named<'a> {
    produces: &'a [String],
    /// In lower case: people write `makefile` and mean `Makefile`.
    words: BTreeSet<String>,
}

impl<'a> Named<'a> {
    pub(super) fn new(step: &'a Step) -> Self {
        let mut words = BTreeSet::new();
        for text in texts(step) {
            note(text, &mut words);
        }
        for (short, name) in SHORT {
            if words.contains(short) {
                words.insert(name.to_owned());
            }
        }
        Self {
            produces: &step.produces,
            words,
        }
    }

    pub(super) fn names(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let told = || {
            MANIFESTS.contains(&name) && DEPENDENCY.iter().any(|word| self.words.contains(*word))
        };
        self.produces
            .iter()
            .any(|pattern| glob::matches(pattern, path))
            || self.words.contains(&path.to_lowercase())
            || self.words.contains(&name.to_lowercase())
            || told()
    }
}

/// All that the agent is told and a person has signed.
fn texts(step: &Step) -> impl Iterator<Item = &str> {
    let task = match &step.work {
        Work::Agent { task, .. } => Some(task.as_str()),
        Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
    };
    let target = step.hint.as_ref().and_then(|hint| hint.target.as_deref());
    [
        Some(step.title.as_str()),
        task,
        step.instructions.as_deref(),
        target,
    ]
    .into_iter()
    .flatten()
    .chain(step.acceptance.iter().map(String::as_str))
    .chain(step.subtasks.iter().map(String::as_str))
}

/// Notes every stretch of a text that could be a path or a word.
fn note(text: &str, words: &mut BTreeSet<String>) {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '+' | '@');
    for word in text.split(|c| !part(c)) {
        // A full stop may end the sentence.
        let word = word.trim_end_matches('.');
        let word = word.strip_prefix("./").unwrap_or(word);
        if !word.is_empty() {
            words.insert(word.to_lowercase());
        }
    }
}
