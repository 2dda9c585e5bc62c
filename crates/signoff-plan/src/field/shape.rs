//! The type of a field, and its members in the draft and in the model.

use std::time::Duration;

use serde_json::{Value, json};

use crate::draft::Spanned;
use crate::model::{Budget, OnFail, Subscription};
use crate::{budget, duration};

/// A field of the draft `D` and of the model `M`.
pub(crate) struct FieldSpec<D: 'static, M: 'static> {
    /// Its name in the model.
    pub(crate) name: &'static str,
    pub(crate) shape: Shape<D, M>,
    /// Whether the digest covers it.
    pub(crate) signed: bool,
    pub(crate) role: FieldRole,
}

/// What a change of a step's field means to a step that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldRole {
    /// It is another step: it is done anew.
    Defines,
    /// Its agent is told something else: it is done anew where somebody asks for what the plan says now.
    Told,
    /// It stays done.
    Schedules,
}

/// A field that the digest covers.
pub(super) const fn field<D, M>(name: &'static str, shape: Shape<D, M>) -> FieldSpec<D, M> {
    FieldSpec {
        name,
        shape,
        signed: true,
        role: FieldRole::Schedules,
    }
}

/// The same field as a part of what makes a step that step.
pub(super) const fn defines<D, M>(field: FieldSpec<D, M>) -> FieldSpec<D, M> {
    FieldSpec {
        role: FieldRole::Defines,
        ..field
    }
}

/// The same field as a part of what an agent receives beside its task.
pub(super) const fn as_told<D, M>(field: FieldSpec<D, M>) -> FieldSpec<D, M> {
    FieldSpec {
        role: FieldRole::Told,
        ..field
    }
}

/// A field that the digest does not cover: it says who, when or how far.
pub(super) const fn as_unsigned<D, M>(name: &'static str, shape: Shape<D, M>) -> FieldSpec<D, M> {
    FieldSpec {
        signed: false,
        ..field(name, shape)
    }
}

/// One text as written, if it is given.
pub(crate) type WrittenText = Option<Spanned<String>>;
/// Several texts as written.
pub(crate) type WrittenTexts = Vec<Spanned<String>>;

/// Words to choose from.
type Choices = &'static [&'static str];

/// Access to a member of the draft and to the member of the model that it becomes.
pub(crate) struct Accessors<D: 'static, W: 'static, M: 'static, V: 'static> {
    pub(crate) written: fn(&D) -> &W,
    pub(crate) written_mut: fn(&mut D) -> &mut W,
    pub(crate) value: fn(&M) -> &V,
    pub(crate) value_mut: fn(&mut M) -> &mut V,
}

impl<D, W, M, V: PartialEq> Accessors<D, W, M, V> {
    pub(crate) fn set(&self, model: &mut M, value: V) {
        // What it is already takes no room of its own in what is sparse.
        if *(self.value)(model) != value {
            *(self.value_mut)(model) = value;
        }
    }
}

impl<D, M, V> Accessors<D, WrittenText, M, V> {
    /// The text, if there is one.
    pub(crate) fn text<'d>(&self, draft: &'d D) -> Option<&'d Spanned<String>> {
        (self.written)(draft).as_ref()
    }
}

/// Makes the accessors from the member's name, or from its names in the draft and in the model.
macro_rules! slot {
    ($member:ident) => {
        slot!($member, $member)
    };
    ($written:ident, $value:ident) => {
        $crate::field::shape::Accessors {
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
    Text(Accessors<D, WrittenText, M, Option<String>>, TextStyle),
    /// One of some words.
    Choice(Accessors<D, WrittenText, M, Option<String>>, Choices),
    /// A whole number; its minimum, and its default if that is a number.
    Number(Accessors<D, WrittenText, M, Option<u64>>, u64, Option<u64>),
    /// A length of time.
    Duration(Accessors<D, WrittenText, M, Option<Duration>>),
    /// Limits.
    Budget(Accessors<D, WrittenText, M, Budget>),
    /// Yes or no; its default, and its words, of which the first means "yes".
    Flag(Accessors<D, WrittenText, M, bool>, bool, Choices),
    /// Yes or no; only "yes" is written, as the first word.
    Switch(Accessors<D, WrittenText, M, bool>, Choices),
    /// A failure policy.
    Policy(Accessors<D, WrittenText, M, OnFail>),
    /// Names, in whatever order.
    Names(Accessors<D, WrittenTexts, M, Vec<String>>),
    /// Sentences, in their order.
    Sentences(Accessors<D, WrittenTexts, M, Vec<String>>),
    /// References to context, in their order.
    References(Accessors<D, WrittenTexts, M, Vec<Subscription>>),
    /// Names of tools; an empty list is not the same as no list.
    Scope(Accessors<D, Option<WrittenTexts>, M, Option<Vec<String>>>),
    /// A field with its own code for reading and resolving.
    Custom(CustomField<M>),
}

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextStyle {
    /// An id.
    Id,
    /// One line.
    Line,
    /// One line; in JSON also a number or a boolean, as written.
    Word,
    /// Markdown of any length.
    Prose,
}

/// A field with its own code for reading and resolving.
pub(crate) struct CustomField<M: 'static> {
    pub(crate) value: fn(&M) -> Value,
    pub(crate) clear: fn(&mut M),
    /// Normalizes a value, or says why the field cannot have it.
    pub(crate) normalize: fn(&str, &Value) -> Result<Value, String>,
}

/// The member of a draft that a field is read into.
pub(crate) enum DraftMember<'d> {
    One(&'d mut WrittenText),
    Many(&'d mut WrittenTexts),
    Scope(&'d mut Option<WrittenTexts>),
}

impl<D, M> Shape<D, M> {
    /// The member that it is read into; `None` for a field with its own code.
    pub(crate) fn member<'d>(&self, draft: &'d mut D) -> Option<DraftMember<'d>> {
        Some(match self {
            Self::Text(slot, _) | Self::Choice(slot, _) => {
                DraftMember::One((slot.written_mut)(draft))
            }
            Self::Number(slot, ..) => DraftMember::One((slot.written_mut)(draft)),
            Self::Duration(slot) => DraftMember::One((slot.written_mut)(draft)),
            Self::Budget(slot) => DraftMember::One((slot.written_mut)(draft)),
            Self::Flag(slot, ..) | Self::Switch(slot, _) => {
                DraftMember::One((slot.written_mut)(draft))
            }
            Self::Policy(slot) => DraftMember::One((slot.written_mut)(draft)),
            Self::Names(slot) | Self::Sentences(slot) => {
                DraftMember::Many((slot.written_mut)(draft))
            }
            Self::References(slot) => DraftMember::Many((slot.written_mut)(draft)),
            Self::Scope(slot) => DraftMember::Scope((slot.written_mut)(draft)),
            Self::Custom(_) => return None,
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
            Self::Custom(special) => (special.value)(model),
        }
    }

    /// Whether it holds markdown of any length.
    pub(crate) fn is_prose(&self) -> bool {
        matches!(self, Self::Text(_, TextStyle::Prose))
    }

    /// The default and the words of a flag.
    pub(super) fn flag(&self) -> Option<(bool, Choices)> {
        if let Self::Flag(_, usual, words) = self {
            return Some((*usual, words));
        }
        None
    }

    /// Clears the value.
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
            Self::Names(slot) | Self::Sentences(slot) => slot.set(model, Vec::new()),
            Self::References(slot) => slot.set(model, Vec::new()),
            Self::Scope(slot) => slot.set(model, None),
            Self::Custom(special) => (special.clear)(model),
        }
    }
}
