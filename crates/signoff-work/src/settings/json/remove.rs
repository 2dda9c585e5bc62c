//! Takes an entry out again.

use super::parse::{Node, parse};
use super::{Entry, created_deepest_first, layout};
use crate::settings::Uneditable;

/// The text without the entry, and without the containers that were made for it and are empty now.
pub(super) fn remove(
    text: &str,
    entry: &Entry,
    created: &[Vec<String>],
) -> Result<String, Uneditable> {
    let Some(root) = parse(text)? else {
        return Ok(text.to_owned());
    };
    let Some(container) = descend(&root, &entry.path) else {
        return Ok(text.to_owned());
    };
    let Some(found) = entry.find(container.items().unwrap_or_default()) else {
        return Ok(text.to_owned());
    };
    let mut text = without_item(text, container, found);
    let is_above = |path: &&Vec<String>| entry.path.starts_with(path);
    for path in created_deepest_first(created).into_iter().filter(is_above) {
        text = without_empty(&text, path)?;
    }
    Ok(text)
}

fn descend<'n>(root: &'n Node, path: &[String]) -> Option<&'n Node> {
    path.iter()
        .try_fold(root, |node, key| Some(&node.member(key)?.value))
}

fn without_empty(text: &str, path: &[String]) -> Result<String, Uneditable> {
    let Some((last, above)) = path.split_last() else {
        return Ok(text.to_owned());
    };
    let root = parse(text)?;
    let parent = root.as_ref().and_then(|root| descend(root, above));
    let Some(parent) = parent else {
        return Ok(text.to_owned());
    };
    let items = parent.items().unwrap_or_default();
    let is_empty = |node: &Node| {
        let no_items = node.items().is_some_and(<[_]>::is_empty);
        // A comment inside is a person's.
        no_items
            && text[node.span.start + 1..node.span.end - 1]
                .trim()
                .is_empty()
    };
    let found = items
        .iter()
        .position(|item| item.is_named(last) && is_empty(&item.value));
    Ok(match found {
        Some(found) => without_item(text, parent, found),
        None => text.to_owned(),
    })
}

/// Removes an item with its comma and its line; the item before it loses its comma if it is the last one now.
fn without_item(text: &str, container: &Node, at: usize) -> String {
    let items = container.items().unwrap_or_default();
    let item = &items[at];
    let end = item.comma.map_or(item.span.end, |comma| comma + 1);
    let is_last = at + 1 == items.len();
    let start = start_of(text, container, at);
    let mut edited = text[..start].to_owned();
    let before = at.checked_sub(1).map(|before| &items[before]);
    if let Some(comma) = before.and_then(|before| before.comma)
        && is_last
        && item.comma.is_none()
    {
        edited.remove(comma);
    }
    let rest = &text[end..];
    let is_only = items.len() == 1;
    let close = &text[end..container.span.end - 1];
    if is_only && text[container.span.start + 1..start].trim().is_empty() && close.trim().is_empty()
    {
        // `{` and `}` meet again.
        edited.truncate(container.span.start + 1);
        return edited + &text[container.span.end - 1..];
    }
    if !is_last && before.is_none() && layout::own_indent(text, item).is_none() {
        return edited + rest.trim_start_matches(' ');
    }
    edited + rest
}

/// Where the removal begins: with the line of the item, or behind what is before it in the same line.
fn start_of(text: &str, container: &Node, at: usize) -> usize {
    let items = container.items().unwrap_or_default();
    let item = &items[at];
    if let Some(indent) = layout::own_indent(text, item) {
        let line = item.span.start - indent.len();
        let before = text[..line].strip_suffix('\n').unwrap_or(&text[..line]);
        return before.strip_suffix('\r').unwrap_or(before).len();
    }
    match at.checked_sub(1).map(|before| &items[before]) {
        Some(before) => before.comma.map_or(before.span.end, |comma| comma + 1),
        None => item.span.start,
    }
}
