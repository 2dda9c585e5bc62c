//! What stands around the steps of a markdown file, and which headings each step stands under.

use std::collections::BTreeSet;
use std::ops::Range;

use super::markdown::{MarkdownKind, MarkdownLine};

/// The text around steps.
#[derive(Debug, Default)]
pub(super) struct SourceContext {
    /// Everything that is not a step, without the title.
    pub(super) text: String,
    /// For each step the headings that it stands under, joined; `None` where all stand under the same ones.
    pub(super) parts: Vec<Option<String>>,
}

/// The title: the first heading, if it is of the first level.
pub(super) fn title_line(lines: &[MarkdownLine<'_>]) -> Option<usize> {
    let headings = lines.iter().enumerate();
    let mut headings = headings.filter_map(|(at, line)| Some((at, line.kind.heading()?)));
    let (at, first) = headings.next()?;
    (first.level == 1 && !first.text.is_empty()).then_some(at)
}

/// The text of the heading at a position.
pub(super) fn heading_text<'s>(lines: &[MarkdownLine<'s>], at: usize) -> &'s str {
    let heading = lines.get(at).and_then(|line| line.kind.heading());
    heading.map_or("", |heading| heading.text)
}

/// Takes the steps, which stand in these lines in order, out of a file.
pub(super) fn context_around(
    lines: &[MarkdownLine<'_>],
    steps: &[Range<usize>],
    title: Option<usize>,
) -> SourceContext {
    let paths = heading_paths(lines, steps, title);
    let distinct: BTreeSet<&Vec<usize>> = paths.iter().collect();
    let several = distinct.len() > 1;
    let told: BTreeSet<usize> = (paths.iter().flatten().copied())
        .filter(|_| several)
        .collect();
    let parts = paths.iter().map(|path| {
        let texts: Vec<&str> = path.iter().map(|at| heading_text(lines, *at)).collect();
        (several && !texts.is_empty()).then(|| texts.join(" › "))
    });
    SourceContext {
        parts: parts.collect(),
        text: text_around(lines, steps, title, &told),
    }
}

/// For each step the positions of the headings above it, from the outermost on.
fn heading_paths(
    lines: &[MarkdownLine<'_>],
    steps: &[Range<usize>],
    title: Option<usize>,
) -> Vec<Vec<usize>> {
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut paths = Vec::new();
    let mut steps = steps.iter().peekable();
    for (at, line) in lines.iter().enumerate() {
        if steps.peek().is_some_and(|step| step.start == at) {
            steps.next();
            paths.push(path.iter().map(|(_, at)| *at).collect());
        } else if let MarkdownKind::Heading(heading) = line.kind {
            path.retain(|(level, _)| *level < heading.level);
            if title != Some(at) && !heading.text.is_empty() {
                path.push((heading.level, at));
            }
        }
    }
    paths
}

/// The lines that do not belong to a step. A heading that steps are told of, and that has no text of its own, is left out.
fn text_around(
    lines: &[MarkdownLine<'_>],
    steps: &[Range<usize>],
    title: Option<usize>,
    told: &BTreeSet<usize>,
) -> String {
    let mut kept = String::new();
    let mut waiting: Option<&str> = None;
    let mut blank = false;
    let mut steps = steps.iter().peekable();
    for (at, line) in lines.iter().enumerate() {
        while steps.peek().is_some_and(|step| step.end <= at) {
            steps.next();
        }
        let in_step = steps.peek().is_some_and(|step| step.contains(&at));
        let separates = matches!(line.kind, MarkdownKind::Blank | MarkdownKind::Rule);
        if in_step || separates || title == Some(at) {
            blank = true;
            continue;
        }
        let is_heading = matches!(line.kind, MarkdownKind::Heading(_));
        if told.contains(&at) {
            waiting = Some(line.text);
            continue;
        }
        if is_heading {
            waiting = None;
        }
        if let Some(heading) = waiting.take() {
            push_line(&mut kept, heading, true);
            blank = true;
        }
        push_line(&mut kept, line.text, blank || is_heading);
        blank = is_heading;
    }
    kept.replace('\r', "\n")
}

fn push_line(text: &mut String, line: &str, apart: bool) {
    if !text.is_empty() {
        text.push_str(if apart { "\n\n" } else { "\n" });
    }
    text.push_str(line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::super::lists::outermost_items;
    use super::super::markdown::lines;
    use super::*;

    #[track_caller]
    fn check(text: &str, around_steps: &str, expected: &[Option<&str>]) {
        let lines = lines(text);
        let steps = outermost_items(&lines, |_, item| item.mark.is_some());
        let steps: Vec<_> = steps.iter().map(|step| step.start..step.end).collect();
        let found = context_around(&lines, &steps, title_line(&lines));
        assert_eq!(found.text, around_steps);
        let parts: Vec<_> = found.parts.iter().map(Option::as_deref).collect();
        assert_eq!(parts, expected);
    }

    #[test]
    fn headings_of_groups_go_with_their_steps() {
        check(
            "# T\n\nWhy.\n\n## Tasks\n- [ ] a\n- [ ] b\n",
            "Why.\n\n## Tasks",
            &[None, None],
        );
        check(
            "# T\n## A\n- [ ] a\n---\n## B\ntext\n\n### C\n- [ ] b\n\n## D\nend\nof it\n",
            "## B\n\ntext\n\n## D\n\nend\nof it",
            &[Some("A"), Some("B › C")],
        );
    }
}
