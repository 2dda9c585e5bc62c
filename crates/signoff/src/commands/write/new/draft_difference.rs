//! Finds unexpected differences between two drafts.

mod fields;

use std::collections::BTreeMap;
use std::fmt;

use signoff_plan::draft::Draft;

use self::fields::{DraftFields, FieldPath};

/// How two drafts differ.
pub(super) struct DraftDifference {
    kind: DifferenceKind,
    path: FieldPath,
}

#[derive(Debug, Clone, Copy)]
enum DifferenceKind {
    Added,
    Removed,
    Changed,
}

impl fmt::Display for DraftDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.path.field;
        match (self.kind, field) {
            (_, "form") => {
                return f.write_str("a line of it would change the structure of the plan");
            }
            (DifferenceKind::Added, _) => write!(f, "it would add `{field}` to ")?,
            (DifferenceKind::Removed, _) => write!(f, "it would remove `{field}` from ")?,
            (DifferenceKind::Changed, _) => {
                write!(f, "it would be read differently in `{field}` of ")?;
            }
        }
        match self.path.step {
            Some(at) => write!(f, "step {}", at + 1),
            None => f.write_str("the plan"),
        }
    }
}

/// The first unexpected difference between two drafts, after replacing `words` in the first one. Added fields come
/// before removed ones, and those before changed ones.
pub(super) fn difference(
    before: &Draft,
    words: &BTreeMap<String, String>,
    after: &Draft,
) -> Option<DraftDifference> {
    let (before, after) = (
        DraftFields::of(before).fields,
        DraftFields::of(after).fields,
    );
    let filled = |text: &String| {
        let replace = |text: String, (word, value): (&String, &String)| text.replace(word, value);
        without_trailing_space(&words.iter().fold(text.clone(), replace))
    };
    let same = before.len() == after.len();
    let mut pairs = before.iter().zip(&after);
    let changed = pairs.find(|((path, text), (other, found))| {
        path != other || filled(text) != without_trailing_space(found)
    });
    if same && changed.is_none() {
        return None;
    }
    let more = |many: &[(FieldPath, String)], few: &[(FieldPath, String)]| {
        let count = |fields: &[(FieldPath, String)], wanted: FieldPath| {
            fields.iter().filter(|(path, _)| *path == wanted).count()
        };
        let mut paths = many.iter().map(|(path, _)| *path);
        paths.find(|path| count(many, *path) > count(few, *path))
    };
    let added = more(&after, &before).map(|path| (DifferenceKind::Added, path));
    let removed = || more(&before, &after).map(|path| (DifferenceKind::Removed, path));
    let changed = || changed.map(|((path, _), _)| (DifferenceKind::Changed, *path));
    let (kind, path) = added.or_else(removed).or_else(changed)?;
    Some(DraftDifference { kind, path })
}

/// Removes the white space that no dialect keeps.
fn without_trailing_space(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}
