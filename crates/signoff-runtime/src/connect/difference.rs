//! The lines in which two texts differ.

use std::fmt::Write as _;

/// Unchanged lines around a difference.
const CONTEXT: usize = 2;
/// Texts with more different lines than this are shown as one block: comparing all pairs takes too long.
const LARGEST: usize = 2000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// A unified difference without headers; empty if there is none.
pub(super) fn unified_difference(old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let lines = compare(&split(old), &split(new));
    let is_change = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let near = |at: usize| {
        let from = at.saturating_sub(CONTEXT);
        let to = (at + CONTEXT + 1).min(lines.len());
        lines[from..to].iter().any(is_change)
    };
    let mut text = String::new();
    let mut skipped = false;
    for (at, line) in lines.iter().enumerate() {
        if !near(at) {
            skipped = true;
            continue;
        }
        if skipped {
            text.push_str("@@\n");
            skipped = false;
        }
        let (sign, line) = match line {
            Line::Same(line) => (' ', line),
            Line::Old(line) => ('-', line),
            Line::New(line) => ('+', line),
        };
        writeln!(text, "{sign}{}", line.trim_end_matches(['\n', '\r'])).expect("a string grows");
        if !line.ends_with('\n') {
            text.push_str("\\ no newline at the end\n");
        }
    }
    text
}

fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn compare<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tail.take_while(same).count();
    let (old_middle, new_middle) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut lines: Vec<Line<'_>> = old[..head].iter().map(|line| Line::Same(line)).collect();
    lines.extend(middle(old_middle, new_middle));
    lines.extend(old[old.len() - tail..].iter().map(|line| Line::Same(line)));
    lines
}

/// By the longest common subsequence.
fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Line<'t>> {
    if old.len().max(new.len()) > LARGEST {
        let old = old.iter().map(|line| Line::Old(line));
        return old.chain(new.iter().map(|line| Line::New(line))).collect();
    }
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            lengths[a * width + b] = if old[a] == new[b] {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let mut lines = Vec::new();
    let (mut a, mut b) = (0, 0);
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            lines.push(Line::Same(old[a]));
            (a, b) = (a + 1, b + 1);
        } else if a < old.len()
            && (b == new.len() || lengths[(a + 1) * width + b] >= lengths[a * width + b + 1])
        {
            lines.push(Line::Old(old[a]));
            a += 1;
        } else {
            lines.push(Line::New(new[b]));
            b += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::unified_difference;

    #[test]
    fn only_what_differs_is_shown_with_a_little_around_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nX\nd\ne\nf\ng\nh\nY";
        assert_eq!(
            unified_difference(old, new),
            "@@\n b\n c\n+X\n d\n e\n@@\n g\n h\n+Y\n\\ no newline at the end\n"
        );
        assert_eq!(unified_difference("a\n", "a\n"), "");
        assert_eq!(unified_difference("", "a\n"), "+a\n");
        assert_eq!(unified_difference("a\r\n", "b\r\n"), "-a\n+b\n");
    }
}
