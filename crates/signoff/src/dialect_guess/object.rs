//! What a file of keys and values looks like.

use signoff_plan::dialect::Dialect;

use super::is_slip;

/// How it is written, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Yaml,
    Json,
}

/// Keys that steps of a plan have, and seldom those of a pipeline.
const STRONG: [&str; 8] = [
    "index",
    "suggestedAgent",
    "acceptanceCriteria",
    "onFail",
    "executedBy",
    "contract",
    "currentStepIndex",
    "previousPlanId",
];

/// Keys that others have too.
const WEAK: [&str; 7] = [
    "description",
    "dependsOn",
    "instructions",
    "createdBy",
    "estimatedDuration",
    "tool",
    "args",
];

pub(super) fn guess_dialect(text: &str, form: Form) -> Option<Dialect> {
    let keys = Keys::of(text, form);
    let count = |names: &[&str]| names.iter().filter(|name| keys.has(name)).count();
    let (strong, weak) = (count(&STRONG), count(&WEAK) + usize::from(keys.task));
    let is_plan = keys.steps && strong + weak >= 2 && (strong > 0 || keys.task);
    let calls = keys.has("tool") && !keys.has("index") && !keys.task;
    match form {
        _ if !is_plan => None,
        Form::Json if calls => Some(Dialect::Toolplan),
        Form::Yaml | Form::Json => Some(Dialect::Record),
    }
}

struct Keys<'a> {
    all: Vec<&'a str>,
    /// `steps` where a plan has it: pipelines have theirs deeper inside.
    steps: bool,
    /// `task` of the plan; that of a step is somebody else's.
    task: bool,
}

impl<'a> Keys<'a> {
    fn of(text: &'a str, form: Form) -> Self {
        let mut keys = Self {
            all: Vec::new(),
            steps: false,
            task: false,
        };
        match form {
            Form::Yaml => keys.yaml(text),
            Form::Json => keys.json(text),
        }
        keys
    }

    fn add(&mut self, name: &'a str, top: bool) {
        self.steps |= top && is_slip(name, "steps");
        self.task |= top && name == "task";
        self.all.push(name);
    }

    fn yaml(&mut self, text: &'a str) {
        for line in text.lines() {
            let indented = line.starts_with([' ', '\t', '-']);
            for (at, piece) in line.split([',', '{', '[']).enumerate() {
                if let Some(name) = key(piece) {
                    self.add(name, at == 0 && !indented);
                }
            }
        }
    }

    /// Texts before a colon. A plan may be in a list, but not in another object: schemas and
    /// descriptions of interfaces have `steps` too.
    fn json(&mut self, text: &'a str) {
        let mut depth = 0_usize;
        let top = if text.trim_start().starts_with('[') {
            2
        } else {
            1
        };
        for line in text.lines() {
            // No text goes on in the next line, so that a quote that is missing harms one line only.
            let mut pieces = line.split('"');
            let mut outside = pieces.next();
            while let Some(between) = outside {
                depth += between.matches(['{', '[']).count();
                depth = depth.saturating_sub(between.matches(['}', ']']).count());
                let Some(name) = pieces.next() else { break };
                outside = pieces.next();
                if outside.is_some_and(|after| after.trim_start().starts_with(':')) {
                    self.add(name, depth <= top);
                }
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.all.contains(&name)
    }
}

/// The key that a piece of a line begins with.
fn key(piece: &str) -> Option<&str> {
    let (name, _) = piece.split_once(':')?;
    let name = name.trim_start_matches([' ', '\t', '-']).trim_end();
    let name = name.trim_matches(['"', '\'']);
    let plain = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}
