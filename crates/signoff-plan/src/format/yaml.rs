//! A record in YAML: block style, two spaces, steps in the order of their indexes.

use serde_json::Value;

use crate::source::Source;
use crate::yaml::{self, emit};

/// Writes the file anew. Not where it holds comments or blank lines: those are the author's, and would
/// be lost.
pub(super) fn format(source: &Source) -> Option<Source> {
    let start = source.byte_order_mark_len();
    let text = source.text().get(start..)?;
    let blank = text.trim_end().lines().any(|line| line.trim().is_empty());
    if blank || text.contains('#') {
        return None;
    }
    let (root, problems) = yaml::parse(text, start);
    let mut value = root?.to_json();
    if !problems.is_empty() || !value.is_object() {
        return None;
    }
    if let Some(Value::Array(steps)) = value.get_mut("steps") {
        let index = |step: &Value| step.get("index").and_then(Value::as_u64);
        if steps.iter().all(|step| index(step).is_some()) {
            steps.sort_by_key(index);
        }
    }
    let mark = source.text().get(..start)?;
    let mut tidy = format!("{mark}{}", emit::document(&value));
    if text.contains("\r\n") {
        tidy = tidy.replace('\n', "\r\n");
    }
    Some(Source::new(source.name(), tidy.into_bytes()))
}
