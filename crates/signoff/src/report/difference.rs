//! Differences between two versions of a plan, in full.

use signoff_plan::diff::{Change, full_lines};
use signoff_runtime::error::SignedDifference;

use crate::failure::UNSEEN_DIFFERENCE;
use crate::style::{CARE, ERROR, GOOD, TITLE, escape_command, paint};

/// The changes, grouped by step, with colours.
pub(crate) fn difference_text(changes: &[Change]) -> Vec<String> {
    let lines = full_lines(changes).into_iter();
    lines.map(|line| paint_line(&line)).collect()
}

/// What whoever signs agrees to that was not signed before: the plan's changes and those of its terms.
pub(crate) fn signed_difference_text(difference: &SignedDifference) -> Vec<String> {
    let escaped = |line: &String| escape_command(line);
    let mut lines: Vec<String> = difference.broken.iter().map(escaped).collect();
    lines.extend(difference_text(&difference.plan));
    lines.extend(difference.terms.iter().map(escaped));
    if difference.is_empty() {
        lines.push(UNSEEN_DIFFERENCE.to_owned());
    }
    lines
}

fn paint_line(line: &str) -> String {
    let text = escape_command(line);
    let style = match line.trim_start().chars().next() {
        Some('+') => GOOD,
        Some('-') => ERROR,
        _ if line.starts_with("  moved ") => CARE,
        _ if !line.starts_with(' ') => TITLE,
        _ => return text,
    };
    paint(style, text).to_string()
}
