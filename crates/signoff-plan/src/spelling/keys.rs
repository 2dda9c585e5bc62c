//! The names that dialects have for fields.

use super::{Dialect, object, proposal, thread, workunit};

/// A field under the name that a dialect has for it.
#[derive(Debug)]
pub(crate) struct FieldKey {
    /// The name. One with a dot is a member of an object: `contract.fewerTests`.
    pub(crate) key: &'static str,
    /// The field, by its name in [`crate::field`]; `None` if the key is only structure.
    pub(crate) field: Option<&'static str>,
}

/// Names of fields: `"name"` is called as it is in the model, `"name" => "field"` otherwise, and
/// `"name" => _` is not a field of the model.
macro_rules! keys {
    (@ $key:literal) => { Some($key) };
    (@ $key:literal _) => { None };
    (@ $key:literal $field:literal) => { Some($field) };
    ($($key:literal $(=> $field:tt)?),* $(,)?) => {
        [$($crate::spelling::keys::FieldKey { key: $key, field: keys!(@ $key $($field)?) }),*]
    };
}
pub(super) use keys;

/// Keys in several parts, some of which dialects share.
type Table = &'static [&'static [FieldKey]];

/// The names alone.
pub(super) const fn names<const N: usize>(keys: &[FieldKey; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = keys[at].key;
        at += 1;
    }
    names
}

/// The name of a field in messages, which is that of the native dialect.
pub(crate) fn label(field: &str) -> &str {
    Dialect::Workunit.step_key(field).unwrap_or(field)
}

/// A field of a step by the name that a dialect with labels has for it.
pub(crate) fn label_of(name: &str) -> Option<&'static str> {
    let mut keys = workunit::STEP.iter().chain(&thread::STEP);
    keys.find(|key| key.key == name)?.field
}

impl Dialect {
    /// Names of fields of a plan and of a step.
    const fn tables(self) -> (Table, Table) {
        match self {
            Self::Workunit => (&[&workunit::HEADER, &workunit::PLAN], &[&workunit::STEP]),
            Self::Thread => (&[&thread::PLAN], &[&thread::STEP]),
            Self::Proposal => (&[&proposal::PLAN], &[&proposal::STEP]),
            Self::Record => (object::RECORD_PLAN, object::RECORD_STEP),
            Self::Toolplan => (object::TOOLPLAN_PLAN, object::TOOLPLAN_STEP),
        }
    }

    /// Names of fields of a plan, in the order they are written in.
    pub(crate) fn plan_keys(self) -> impl Iterator<Item = &'static FieldKey> {
        self.tables().0.iter().copied().flatten()
    }

    /// Names of fields of a step, in the order they are written in.
    pub(crate) fn step_keys(self) -> impl Iterator<Item = &'static FieldKey> {
        self.tables().1.iter().copied().flatten()
    }

    /// The name of a plan's field in this dialect, if the dialect has it.
    pub(crate) fn plan_key(self, field: &str) -> Option<&'static str> {
        let key = self.plan_keys().find(|key| key.field == Some(field));
        Some(key?.key)
    }

    /// The name of a step's field in this dialect, if the dialect has it.
    pub(crate) fn step_key(self, field: &str) -> Option<&'static str> {
        let key = self.step_keys().find(|key| key.field == Some(field));
        Some(key?.key)
    }

    /// The plan's field with this name in this dialect.
    pub(crate) fn plan_field(self, key: &str) -> Option<&'static str> {
        self.plan_keys().find(|known| known.key == key)?.field
    }

    /// The step's field with this name in this dialect.
    pub(crate) fn step_field(self, key: &str) -> Option<&'static str> {
        self.step_keys().find(|known| known.key == key)?.field
    }
}

/// The first part of each name, once; with `outer`, the rest of its members' names.
pub(crate) fn members(
    keys: impl Iterator<Item = &'static FieldKey>,
    outer: Option<&str>,
) -> Vec<&'static str> {
    let mut names = Vec::new();
    for FieldKey { key, .. } in keys {
        let (first, rest) = key.split_once('.').unwrap_or((key, ""));
        let name = match outer {
            None => first,
            Some(outer) if outer == first => rest,
            Some(_) => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
