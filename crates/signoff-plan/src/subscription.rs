//! References to context: `file:PATH`, `file:PATH#L10-L40` and `topic:NAME`.

use crate::model::Subscription;

/// Reads `file:PATH`, `file:PATH#L10-L40` or `topic:NAME`.
pub fn parse(text: &str) -> Option<Subscription> {
    if let Some(name) = text.strip_prefix("topic:") {
        let clean = !name.is_empty() && !name.contains(['/', '\\', ' ']);
        return clean.then(|| Subscription::Topic(name.to_owned()));
    }
    let file = text.strip_prefix("file:")?;
    let (path, lines) = match file.split_once("#L") {
        Some((path, lines)) => (path, Some(line_range(lines)?)),
        None => (file, None),
    };
    let path = path.strip_prefix("./").unwrap_or(path);
    (!path.trim().is_empty()).then(|| Subscription::File {
        path: path.to_owned(),
        lines,
    })
}

fn line_range(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once("-L").unwrap_or((text, text));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from >= 1 && from <= to).then_some((from, to))
}
