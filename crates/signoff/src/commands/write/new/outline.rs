//! Whether two drafts differ in more than they should.

mod fields;

use std::collections::BTreeMap;
use std::fmt;

use signoff_plan::draft::Draft;

use self::fields::{Outline, Place};

/// How two drafts differ.
pub(super) struct Difference {
    kind: Kind,
    place: Place,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Added,
    Removed,
    Changed,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.place.field;
        match (self.kind, field) {
            (_, "form") => {
                return f.write_str("a line of it would be read as part of the form of the plan");
            }
            (Kind::Added, _) => write!(f, "it would add `{field}` to ")?,
            (Kind::Removed, _) => write!(f, "it would take `{field}` from ")?,
            (Kind::Changed, _) => write!(f, "it would not stand as it is in `{field}` of ")?,
        }
        match self.place.step {
            Some(at) => write!(f, "step {}", at + 1),
            None => f.write_str("the plan"),
        }
    }
}

/// The most telling way in which a draft says something else than another one does once words in it
/// are replaced.
pub(super) fn difference(
    before: &Draft,
    words: &BTreeMap<String, String>,
    after: &Draft,
) -> Option<Difference> {
    let (before, after) = (Outline::of(before).fields, Outline::of(after).fields);
    let filled = |text: &String| {
        let replace = |text: String, (word, value): (&String, &String)| text.replace(word, value);
        plain(&words.iter().fold(text.clone(), replace))
    };
    let same = before.len() == after.len();
    let mut pairs = before.iter().zip(&after);
    let changed = pairs
        .find(|((place, text), (other, found))| place != other || filled(text) != plain(found));
    if same && changed.is_none() {
        return None;
    }
    let more = |many: &[(Place, String)], few: &[(Place, String)]| {
        let count = |fields: &[(Place, String)], wanted: Place| {
            fields.iter().filter(|(place, _)| *place == wanted).count()
        };
        let mut places = many.iter().map(|(place, _)| *place);
        places.find(|place| count(many, *place) > count(few, *place))
    };
    let added = more(&after, &before).map(|place| (Kind::Added, place));
    let removed = || more(&before, &after).map(|place| (Kind::Removed, place));
    let changed = || changed.map(|((place, _), _)| (Kind::Changed, *place));
    let (kind, place) = added.or_else(removed).or_else(changed)?;
    Some(Difference { kind, place })
}

/// Text without the white space that no dialect keeps.
fn plain(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}
