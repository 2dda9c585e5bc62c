//! What a field can hold, and where it stands.

use std::time::Duration;

use serde_json::{Value, json};

use crate::draft::Spanned;
use crate::model::{Budget, OnFail, Subscription};
use crate::{budget, duration};

/// A field of `D`, which is what was written, and of `M`, which is what it means.
pub(crate) struct Field<D: 'static, M: 'static> {
    /// Its name in the model.
    pub(crate) name: &'static str,
    pub(crate) shape: Shape<D, M>,
    /// Whether the digest covers it.
    pub(crate) signed: bool,
}

/// A field that the digest covers.
pub(super) const fn field<D, M>(name: &'static str, shape: Shape<D, M>) -> Field<D, M> {
    Field {
        name,
        shape,
        signed: true,
    }
}

/// A field that says who, when or how far: no part of the digest.
pub(super) const fn unsigned<D, M>(name: &'static str, shape: Shape<D, M>) -> Field<D, M> {
    Field {
        signed: false,
        ..field(name, shape)
    }
}

/// One text as written, if it is given.
pub(crate) type One = Option<Spanned<String>>;
/// Several texts as written.
pub(crate) type Many = Vec<Spanned<String>>;

/// Words to choose from.
type Words = &'static [&'static str];

/// A member of a draft, and the member of the model that is made of it.
pub(crate) struct Slot<D: 'static, W: 'static, M: 'static, V: 'static> {
    pub(crate) written: fn(&D) -> &W,
    pub(crate) written_mut: fn(&mut D) -> &mut W,
    pub(crate) value: fn(&M) -> &V,
    pub(crate) value_mut: fn(&mut M) -> &mut V,
}

impl<D, W, M, V> Slot<D, W, M, V> {
    pub(crate) fn set(&self, model: &mut M, value: V) {
        *(self.value_mut)(model) = value;
    }
}

impl<D, M, V> Slot<D, One, M, V> {
    /// The text, if there is one.
    pub(crate) fn text<'d>(&self, draft: &'d D) -> Option<&'d Spanned<String>> {
        (self.written)(draft).as_ref()
    }
}

/// The members of a draft and of the model that have one name, or two.
macro_rules! slot {
    ($member:ident) => {
        slot!($member, $member)
    };
    ($written:ident, $value:ident) => {
        $crate::field::shape::Slot {
            written: |draft| &draft.$written,
            written_mut: |draft| &mut draft.$written,
            value: |model| &model.$value,
            value_mut: |model| &mut model.$value,
        }
    };
}
pub(super) use slot;

/// What a field can hold.
pub(crate) enum Shape<D: 'static, M: 'static> {
    /// Text.
    Text(Slot<D, One, M, Option<String>>, Style),
    /// One of some words.
    Choice(Slot<D, One, M, Option<String>>, Words),
    /// A whole number; the least it may be, and what holds where nothing is said, if that is a number.
    Number(Slot<D, One, M, Option<u64>>, u64, Option<u64>),
    /// A length of time.
    Duration(Slot<D, One, M, Option<Duration>>),
    /// Limits.
    Budget(Slot<D, One, M, Budget>),
    /// Yes or no; what holds where nothing is said, and words of which the first is how "yes" is written.
    Flag(Slot<D, One, M, bool>, bool, Words),
    /// Yes or no, of which only "yes" has a value: the first word.
    Switch(Slot<D, One, M, bool>, Words),
    /// A failure policy.
    Policy(Slot<D, One, M, OnFail>),
    /// Names, in whatever order.
    Names(Slot<D, Many, M, Vec<String>>),
    /// Sentences, in their order.
    Sentences(Slot<D, Many, M, Vec<String>>),
    /// References to context, in their order.
    References(Slot<D, Many, M, Vec<Subscription>>),
    /// Names of tools; none at all is not the same as not said.
    Scope(Slot<D, Option<Many>, M, Option<Vec<String>>>),
    /// What is read and resolved by code of its own.
    Special(Special<M>),
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// What others call it by.
    Id,
    /// One line.
    Line,
    /// One line; in JSON a number or a truth value as well, as it is written.
    Word,
    /// Markdown of any length.
    Prose,
}

/// A field that is read and resolved by code of its own.
pub(crate) struct Special<M: 'static> {
    pub(crate) value: fn(&M) -> Value,
    pub(crate) clear: fn(&mut M),
    /// The one spelling of a value; or why the field cannot have it.
    pub(crate) normal: fn(&str, &Value) -> Result<Value, String>,
}

/// The member of a draft that a field is read into.
pub(crate) enum Place<'d> {
    One(&'d mut One),
    Many(&'d mut Many),
    Scope(&'d mut Option<Many>),
}

impl<D, M> Shape<D, M> {
    /// Where it is read into; `None`: by code of its own.
    pub(crate) fn place<'d>(&self, draft: &'d mut D) -> Option<Place<'d>> {
        Some(match self {
            Self::Text(slot, _) | Self::Choice(slot, _) => Place::One((slot.written_mut)(draft)),
            Self::Number(slot, ..) => Place::One((slot.written_mut)(draft)),
            Self::Duration(slot) => Place::One((slot.written_mut)(draft)),
            Self::Budget(slot) => Place::One((slot.written_mut)(draft)),
            Self::Flag(slot, ..) | Self::Switch(slot, _) => Place::One((slot.written_mut)(draft)),
            Self::Policy(slot) => Place::One((slot.written_mut)(draft)),
            Self::Names(slot) | Self::Sentences(slot) => Place::Many((slot.written_mut)(draft)),
            Self::References(slot) => Place::Many((slot.written_mut)(draft)),
            Self::Scope(slot) => Place::Scope((slot.written_mut)(draft)),
            Self::Special(_) => return None,
        })
    }

    /// Its value; `null` where it is not given.
    pub(crate) fn value(&self, model: &M) -> Value {
        match self {
            Self::Text(slot, _) | Self::Choice(slot, _) => {
                json!((slot.value)(model))
            }
            Self::Number(slot, ..) => json!((slot.value)(model)),
            Self::Duration(slot) => json!((slot.value)(model).map(duration::format)),
            Self::Budget(slot) => {
                let limits = (slot.value)(model);
                json!((!limits.is_empty()).then(|| budget::format(limits)))
            }
            Self::Flag(slot, ..) => json!((slot.value)(model)),
            Self::Switch(slot, words) => {
                json!((slot.value)(model).then_some(words.first()))
            }
            Self::Policy(slot) => json!((slot.value)(model).to_string()),
            Self::Names(slot) | Self::Sentences(slot) => json!((slot.value)(model)),
            Self::References(slot) => (slot.value)(model)
                .iter()
                .map(ToString::to_string)
                .collect(),
            Self::Scope(slot) => json!((slot.value)(model)),
            Self::Special(special) => (special.value)(model),
        }
    }

    /// Whether it holds markdown of any length.
    pub(crate) fn is_prose(&self) -> bool {
        matches!(self, Self::Text(_, Style::Prose))
    }

    /// Of a flag, what holds where nothing is said, and its words.
    pub(super) fn flag(&self) -> Option<(bool, Words)> {
        if let Self::Flag(_, usual, words) = self {
            return Some((*usual, words));
        }
        None
    }

    /// Takes the value away.
    pub(crate) fn clear(&self, model: &mut M) {
        match self {
            Self::Text(slot, _) | Self::Choice(slot, _) => {
                slot.set(model, None);
            }
            Self::Number(slot, ..) => slot.set(model, None),
            Self::Duration(slot) => slot.set(model, None),
            Self::Budget(slot) => slot.set(model, Budget::default()),
            Self::Flag(slot, usual, _) => slot.set(model, *usual),
            Self::Switch(slot, _) => slot.set(model, false),
            Self::Policy(slot) => slot.set(model, OnFail::DEFAULT),
            Self::Names(slot) | Self::Sentences(slot) => (slot.value_mut)(model).clear(),
            Self::References(slot) => (slot.value_mut)(model).clear(),
            Self::Scope(slot) => slot.set(model, None),
            Self::Special(special) => (special.clear)(model),
        }
    }
}
