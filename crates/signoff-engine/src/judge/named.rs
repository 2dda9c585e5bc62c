//! Whether a step was told to change a file.

mod ban;
mod sentences;

use std::collections::BTreeSet;

use signoff_plan::glob;
use signoff_plan::model::{Step, Work};

use self::ban::banned_from;
use self::sentences::{Kind, sentences};

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
    told: BTreeSet<String>,
    /// Named by a sentence that forbids something. What one sentence names and another forbids is
    /// not named: when in doubt, the plan has to say it in `produces`.
    banned: BTreeSet<String>,
}

impl<'a> Named<'a> {
    pub(super) fn new(step: &'a Step) -> Self {
        let mut named = Self {
            produces: &step.produces,
            told: BTreeSet::new(),
            banned: BTreeSet::new(),
        };
        for text in texts(step) {
            named.note(text);
        }
        for words in [&mut named.told, &mut named.banned] {
            let known = SHORT.iter().filter(|(short, _)| words.contains(*short));
            let known: Vec<String> = known.map(|(_, name)| (*name).to_owned()).collect();
            words.extend(known);
        }
        named
    }

    /// Whether the plan says that the step makes this file.
    pub(super) fn produces(&self, path: &str) -> bool {
        let mut patterns = self.produces.iter();
        patterns.any(|pattern| glob::matches(pattern, path))
    }

    pub(super) fn names(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (low_path, low_name) = (path.to_lowercase(), name.to_lowercase());
        let among =
            |words: &BTreeSet<String>| words.contains(&low_path) || words.contains(&low_name);
        let depends =
            || MANIFESTS.contains(&name) && DEPENDENCY.iter().any(|word| self.told.contains(*word));
        self.produces(path) || (!among(&self.banned) && (among(&self.told) || depends()))
    }

    /// Notes what a text names, and whether it tells or forbids it.
    fn note(&mut self, text: &str) {
        // What is forbidden under a heading, or by the line before a list.
        let (mut under, mut before) = (false, false);
        for sentence in sentences(text) {
            let banned = banned_from(&sentence.words);
            let all = match sentence.kind {
                Kind::Heading => {
                    under = banned.is_some();
                    before = false;
                    under
                }
                Kind::Item => under || before,
                Kind::Plain => {
                    before = banned.is_some() && !sentence.is_closed;
                    under
                }
            };
            let from = if all { Some(0) } else { banned };
            for (at, word) in sentence.words.into_iter().enumerate() {
                match from {
                    Some(from) if at >= from => self.banned.insert(word.text),
                    _ => self.told.insert(word.text),
                };
            }
        }
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
