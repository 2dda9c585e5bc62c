//! Items of lists with everything that stands below them.

use super::markdown::{ListItem, MarkdownKind, MarkdownLine};

/// An item and its lines.
#[derive(Debug, Clone)]
pub(super) struct ItemBlock<'s> {
    /// Position of its first line.
    pub(super) start: usize,
    /// Position after its last line.
    pub(super) end: usize,
    pub(super) item: ListItem<'s>,
    /// Its first line without marker and box, and the lines below it without their indentation.
    pub(super) text: String,
}

/// The outermost items that are chosen, in the order they stand in.
pub(super) fn outermost_items<'s>(
    lines: &[MarkdownLine<'s>],
    chosen: impl Fn(usize, &ListItem<'s>) -> bool,
) -> Vec<ItemBlock<'s>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let item = line.kind.item();
        match item.filter(|item| !item.text.is_empty() && chosen(at, item)) {
            Some(item) => {
                let end = end_of_item(lines, at);
                found.push(block(lines, at, end, item));
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    found
}

/// The chosen items at any depth: each ends where the next one begins.
pub(super) fn all_items<'s>(
    lines: &[MarkdownLine<'s>],
    chosen: impl Fn(&ListItem<'s>) -> bool,
) -> Vec<ItemBlock<'s>> {
    let items = lines.iter().enumerate();
    let items = items.filter_map(|(at, line)| Some((at, line.kind.item()?)));
    let items: Vec<_> = items
        .filter(|(_, item)| chosen(item) && !item.text.is_empty())
        .collect();
    let nexts = items.iter().skip(1).map(|(at, _)| *at);
    let nexts = nexts.chain([lines.len()]);
    (items.iter().zip(nexts))
        .map(|((at, item), next)| {
            let own = lines.get(..next).unwrap_or(lines);
            block(lines, *at, end_of_item(own, *at), *item)
        })
        .collect()
}

/// The item that begins at a line, with the lines up to another one.
pub(super) fn block<'s>(
    lines: &[MarkdownLine<'s>],
    start: usize,
    end: usize,
    item: ListItem<'s>,
) -> ItemBlock<'s> {
    let below = lines.get(start + 1..end).unwrap_or_default();
    let below = dedent(below);
    let text = if below.is_empty() {
        item.text.to_owned()
    } else {
        format!("{}\n{below}", item.text)
    };
    ItemBlock {
        start,
        end,
        item,
        text,
    }
}

/// Where the lines of an item end; blank lines at the end belong to nothing.
fn end_of_item(lines: &[MarkdownLine<'_>], start: usize) -> usize {
    let indent = lines.get(start).map_or(0, |line| line.indent);
    let mut end = start + 1;
    let mut blank = false;
    let mut before = None;
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let outside = line.indent <= indent;
        let ends = match &line.kind {
            MarkdownKind::Blank => {
                blank = true;
                continue;
            }
            MarkdownKind::Block(block) => outside && before != Some(*block),
            MarkdownKind::Heading(_) | MarkdownKind::Item(_) | MarkdownKind::Rule => outside,
            // A paragraph may go on without indentation.
            MarkdownKind::Text => outside && (blank || starts_anew(line.text)),
        };
        if ends {
            break;
        }
        before = line.kind.block();
        blank = false;
        end = at + 1;
    }
    end
}

/// Whether an unindented line is more likely a new paragraph than the next line of an item.
fn starts_anew(text: &str) -> bool {
    ["**", "|", "<", ">"]
        .iter()
        .any(|start| text.trim_start().starts_with(start))
}

/// The lines without the indentation that they share. Blank lines inside stay.
pub(super) fn dedent(lines: &[MarkdownLine<'_>]) -> String {
    let filled = || lines.iter().filter(|line| !line.text.trim().is_empty());
    let shared = filled().map(|line| line.indent).min().unwrap_or(0);
    let texts: Vec<String> = lines
        .iter()
        .map(|line| without_indent(line.text, shared))
        .collect();
    texts
        .join("\n")
        .replace('\r', "\n")
        .trim_matches('\n')
        .trim_end()
        .to_owned()
}

fn without_indent(line: &str, columns: usize) -> String {
    let mut left = columns;
    let mut rest = line;
    while left > 0 {
        match rest.chars().next() {
            Some(' ') => left -= 1,
            Some('\t') if left >= 4 => left -= 4,
            // Part of a tab: as many spaces as it would still have taken.
            Some('\t') => {
                let spaces = " ".repeat(4 - left);
                return format!("{spaces}{}", rest.get(1..).unwrap_or_default());
            }
            _ => break,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    rest.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::markdown::lines;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let lines = lines(text);
        let found = outermost_items(&lines, |_, item| item.mark.is_some());
        let found: Vec<&str> = found.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn an_item_has_all_that_is_indented_below_it() {
        check("- [ ] a\n- [ ] b\n", &["a", "b"]);
        check(
            "- [ ] a\n  more\n  - [x] b\n\n  end\n\nprose\n",
            &["a\nmore\n- [x] b\n\nend"],
        );
        check("- [ ] a\nlazy\n\nprose\n- [ ] b\n", &["a\nlazy", "b"]);
        check("- [ ] a\n**Checkpoint**: x\n", &["a"]);
        check(
            "- [ ] a\n  ```sh\n\n  - [ ] no\n  ```\n- [ ] b",
            &["a\n```sh\n\n- [ ] no\n```", "b"],
        );
        check("- [ ] a\n```sh\n- [ ] no\n```\n", &["a"]);
        check("- group\n    - [ ] a\n\t- [ ] b\n", &["a", "b"]);
        check("- [ ]\n- [ ] a\n# h\n", &["a"]);
    }
}
