//! Edits of dialects that are keys and values: which key a field is, and that nothing else changes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::members::MemberEditor;
use super::{EditRefused, Splice, splice};
use crate::check::resolve;
use crate::dialect::object::{self, Tree};
use crate::draft::{self, Draft};
use crate::node::{Node, NodeKind};
use crate::source::Source;

/// A file of keys and values to edit.
pub(super) struct KeyedFile<'a> {
    pub(super) source: &'a Source,
    pub(super) draft: &'a Draft,
    pub(super) root: Node,
    pub(super) editor: MemberEditor<'a>,
}

/// A way into the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathSegment {
    Key(&'static str),
    Item(usize),
}

/// One key that gets a value; `null` takes it away.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyChange {
    pub(super) way: Vec<PathSegment>,
    pub(super) key: String,
    pub(super) value: Value,
}

impl KeyChange {
    pub(super) fn new(way: &[PathSegment], key: impl Into<String>, value: Value) -> Self {
        Self {
            way: way.to_vec(),
            key: key.into(),
            value,
        }
    }
}

impl<'a> KeyedFile<'a> {
    pub(super) fn new(source: &'a Source, draft: &'a Draft) -> Result<Self, EditRefused> {
        let Tree { format, root, .. } = object::tree(source, draft.dialect);
        let root = root.ok_or_else(|| EditRefused::Unreadable("it is empty".to_owned()))?;
        let editor = MemberEditor {
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
    pub(super) fn splices(&self, changes: &[KeyChange]) -> Result<Vec<Splice>, EditRefused> {
        let mut splices = Vec::new();
        for KeyChange { way, key, value } in changes {
            let node = at(&self.root, way)
                .ok_or_else(|| EditRefused::NotOnlyField("the shape of the file".to_owned()))?;
            splices.extend(self.editor.set(node, key, value)?);
        }
        Ok(splices)
    }

    /// The same, after checking that the file reads back with exactly these changes.
    pub(super) fn checked_splices(
        &self,
        changes: &[KeyChange],
    ) -> Result<Vec<Splice>, EditRefused> {
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
    pub(super) fn steps(&self) -> BTreeMap<String, (usize, &'a draft::DraftStep)> {
        let items = at(&self.root, &[PathSegment::Key("steps")]);
        let items = match items.map(|node| &node.kind) {
            Some(NodeKind::Sequence(items)) => items.as_slice(),
            _ => &[],
        };
        let positions: BTreeMap<usize, usize> = items
            .iter()
            .enumerate()
            .map(|(position, node)| (node.span.start, position))
            .collect();
        let mut steps = BTreeMap::new();
        for (id, step) in resolve::step_ids(self.draft)
            .into_iter()
            .zip(&self.draft.steps)
        {
            if let Some(position) = positions.get(&step.span.start) {
                steps.entry(id).or_insert((*position, step));
            }
        }
        steps
    }

    /// The way to the step of this id.
    pub(super) fn way_to(&self, id: &str) -> Result<[PathSegment; 2], EditRefused> {
        let unknown = || EditRefused::UnknownStep(id.to_owned());
        let (position, _) = *self.steps().get(id).ok_or_else(unknown)?;
        Ok([PathSegment::Key("steps"), PathSegment::Item(position)])
    }

    /// Sets a key, which may be one inside an object.
    pub(super) fn change(&self, way: &[PathSegment], key: &'static str, value: Value) -> KeyChange {
        match key.split_once('.') {
            None => KeyChange::new(way, key, value),
            Some((outer, key)) => {
                let main = match outer {
                    "ask" => "question",
                    "contract" => "command",
                    _ => "",
                };
                self.nested_change(way, outer, main, key, value)
            }
        }
    }

    /// Sets a key of something that may be `{main, key, …}`, the text of `main` alone, or not there.
    fn nested_change(
        &self,
        way: &[PathSegment],
        outer: &'static str,
        main: &'static str,
        key: &'static str,
        value: Value,
    ) -> KeyChange {
        let inside: Vec<PathSegment> = way
            .iter()
            .cloned()
            .chain([PathSegment::Key(outer)])
            .collect();
        // Without its main member, the object is removed.
        if key == main && value.is_null() {
            return KeyChange::new(way, outer, Value::Null);
        }
        match at(&self.root, &inside).map(|node| (&node.kind, node.is_nothing())) {
            Some((NodeKind::Mapping(_), _)) => KeyChange::new(&inside, key, value),
            Some((NodeKind::Scalar { .. }, false)) if key == main => {
                KeyChange::new(way, outer, value)
            }
            Some((NodeKind::Scalar { text, .. }, false)) => {
                let members = [(main, Value::from(text.as_str())), (key, value)];
                KeyChange::new(way, outer, object_of(members))
            }
            _ if value.is_null() => KeyChange::new(way, outer, Value::Null),
            _ => KeyChange::new(way, outer, object_of([(key, value)])),
        }
    }

    /// Whether a mapping has a key with a value.
    pub(super) fn has(&self, way: &[PathSegment], key: &'static str) -> bool {
        let inside: Vec<PathSegment> = way.iter().cloned().chain([PathSegment::Key(key)]).collect();
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
pub(super) fn at<'n>(root: &'n Node, way: &[PathSegment]) -> Option<&'n Node> {
    way.iter()
        .try_fold(root, |node, step| match (step, &node.kind) {
            (PathSegment::Key(key), NodeKind::Mapping(entries)) => {
                let entry = entries.iter().find(|entry| entry.key.value == *key)?;
                Some(&entry.value)
            }
            (PathSegment::Item(position), NodeKind::Sequence(items)) => items.get(*position),
            _ => None,
        })
}

/// Makes a change in a value.
fn apply(root: &mut Value, change: &KeyChange) {
    let mut value_at = Some(root);
    for step in &change.way {
        value_at = value_at.and_then(|value| match step {
            PathSegment::Key(key) => value.get_mut(*key),
            PathSegment::Item(position) => value.get_mut(*position),
        });
    }
    if let Some(Value::Object(members)) = value_at {
        if change.value.is_null() {
            members.shift_remove(&change.key);
        } else {
            members.insert(change.key.clone(), change.value.clone());
        }
    }
}
