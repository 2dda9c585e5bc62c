//! Edits of dialects that are keys and values: which key a field is, and that nothing else changes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::members::Editor;
use super::{EditRefused, Splice, splice};
use crate::check::resolve;
use crate::dialect::object::{self, Tree};
use crate::draft::{self, Draft};
use crate::node::{Kind, Node};
use crate::source::Source;

/// A file of keys and values that is to be changed.
pub(super) struct File<'a> {
    pub(super) source: &'a Source,
    pub(super) draft: &'a Draft,
    pub(super) root: Node,
    pub(super) editor: Editor<'a>,
}

/// A way into the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Way {
    Key(&'static str),
    Item(usize),
}

/// One key that gets a value; `null` takes it away.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Change {
    pub(super) way: Vec<Way>,
    pub(super) key: String,
    pub(super) value: Value,
}

impl Change {
    pub(super) fn new(way: &[Way], key: impl Into<String>, value: Value) -> Self {
        Self {
            way: way.to_vec(),
            key: key.into(),
            value,
        }
    }
}

impl<'a> File<'a> {
    pub(super) fn new(source: &'a Source, draft: &'a Draft) -> Result<Self, EditRefused> {
        let Tree { format, root, .. } = object::tree(source, draft.dialect);
        let root = root.ok_or_else(|| EditRefused::Unreadable("it is empty".to_owned()))?;
        let editor = Editor {
            text: source.text(),
            format,
        };
        Ok(Self {
            source,
            draft,
            root,
            editor,
        })
    }

    /// What to write where for these changes, each of another key.
    pub(super) fn splices(&self, changes: &[Change]) -> Result<Vec<Splice>, EditRefused> {
        let mut splices = Vec::new();
        for Change { way, key, value } in changes {
            let node = at(&self.root, way)
                .ok_or_else(|| EditRefused::NotOnlyField("the shape of the file".to_owned()))?;
            splices.extend(self.editor.set(node, key, value)?);
        }
        Ok(splices)
    }

    /// The same, sure that reading it again gives exactly these changes.
    pub(super) fn checked(&self, changes: &[Change]) -> Result<Vec<Splice>, EditRefused> {
        let splices = self.splices(changes)?;
        let bytes = splice::apply(self.source.bytes(), splices.clone());
        let after = Source::new(self.source.name(), bytes);
        let tree = object::tree(&after, self.draft.dialect);
        let mut expected = self.root.to_json();
        for change in changes {
            apply(&mut expected, change);
        }
        let found = tree.root.map(|root| root.to_json());
        if !tree.problems.is_empty() || found != Some(expected) {
            return Err(EditRefused::NotOnlyField(
                "something else as well".to_owned(),
            ));
        }
        Ok(splices)
    }

    /// Position of each step in the file by its id.
    pub(super) fn steps(&self) -> BTreeMap<String, (usize, &'a draft::Step)> {
        let items = at(&self.root, &[Way::Key("steps")]);
        let items = match items.map(|node| &node.kind) {
            Some(Kind::Sequence(items)) => items.as_slice(),
            _ => &[],
        };
        let places: BTreeMap<usize, usize> = items
            .iter()
            .enumerate()
            .map(|(position, node)| (node.span.start, position))
            .collect();
        let mut steps = BTreeMap::new();
        for (id, step) in resolve::step_ids(self.draft)
            .into_iter()
            .zip(&self.draft.steps)
        {
            if let Some(position) = places.get(&step.span.start) {
                steps.entry(id).or_insert((*position, step));
            }
        }
        steps
    }

    /// The way to the step of this id.
    pub(super) fn way_to(&self, id: &str) -> Result<[Way; 2], EditRefused> {
        let unknown = || EditRefused::UnknownStep(id.to_owned());
        let (position, _) = *self.steps().get(id).ok_or_else(unknown)?;
        Ok([Way::Key("steps"), Way::Item(position)])
    }

    /// Sets a key, which may be one inside an object.
    pub(super) fn change(&self, way: &[Way], key: &'static str, value: Value) -> Change {
        match key.split_once('.') {
            None => Change::new(way, key, value),
            Some((outer, key)) => {
                let main = match outer {
                    "ask" => "question",
                    "contract" => "command",
                    _ => "",
                };
                self.nested(way, outer, main, key, value)
            }
        }
    }

    /// Sets a key of something that may be `{main, key, …}`, the text of `main` alone, or not there.
    fn nested(
        &self,
        way: &[Way],
        outer: &'static str,
        main: &'static str,
        key: &'static str,
        value: Value,
    ) -> Change {
        let inside: Vec<Way> = way.iter().cloned().chain([Way::Key(outer)]).collect();
        // Without what it is about there is nothing left of it.
        if key == main && value.is_null() {
            return Change::new(way, outer, Value::Null);
        }
        match at(&self.root, &inside).map(|node| (&node.kind, node.is_nothing())) {
            Some((Kind::Mapping(_), _)) => Change::new(&inside, key, value),
            Some((Kind::Scalar { .. }, false)) if key == main => Change::new(way, outer, value),
            Some((Kind::Scalar { text, .. }, false)) => {
                let members = [(main, Value::from(text.as_str())), (key, value)];
                Change::new(way, outer, object_of(members))
            }
            _ if value.is_null() => Change::new(way, outer, Value::Null),
            _ => Change::new(way, outer, object_of([(key, value)])),
        }
    }

    /// Whether a mapping has a key with a value.
    pub(super) fn has(&self, way: &[Way], key: &'static str) -> bool {
        let inside: Vec<Way> = way.iter().cloned().chain([Way::Key(key)]).collect();
        at(&self.root, &inside).is_some_and(|node| !node.is_nothing())
    }
}

fn object_of(members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let members = members.into_iter().filter(|(_, value)| !value.is_null());
    let members: Map<_, _> = members
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    Value::Object(members)
}

/// The node that a way leads to.
pub(super) fn at<'n>(root: &'n Node, way: &[Way]) -> Option<&'n Node> {
    way.iter()
        .try_fold(root, |node, step| match (step, &node.kind) {
            (Way::Key(key), Kind::Mapping(entries)) => {
                let entry = entries.iter().find(|entry| entry.key.value == *key)?;
                Some(&entry.value)
            }
            (Way::Item(position), Kind::Sequence(items)) => items.get(*position),
            _ => None,
        })
}

/// Makes a change in a value.
fn apply(root: &mut Value, change: &Change) {
    let mut place = Some(root);
    for step in &change.way {
        place = place.and_then(|value| match step {
            Way::Key(key) => value.get_mut(*key),
            Way::Item(position) => value.get_mut(*position),
        });
    }
    if let Some(Value::Object(members)) = place {
        if change.value.is_null() {
            members.shift_remove(&change.key);
        } else {
            members.insert(change.key.clone(), change.value.clone());
        }
    }
}
