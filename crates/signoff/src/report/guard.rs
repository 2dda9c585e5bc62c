//! What the guard decided, for people.

use signoff_api::guard::{GuardReport, ReportRow};

use super::count::count_of;
use crate::style::{DIM, paint, sanitize};

/// Longest subject that is shown.
const SHOWN: usize = 60;

/// The totals, then one line for each kind of decision.
pub(crate) fn report_lines(report: &GuardReport) -> Vec<String> {
    let (Some(since), Some(until)) = (&report.since, &report.until) else {
        return vec!["the guard has denied nothing".to_owned()];
    };
    let mut lines = vec![format!(
        "{} denied, {} would have been denied (`[guard] mode = \"log\"`), from {} to {}",
        count_of(shown_rows(report.denied), "call", "calls"),
        count_of(shown_rows(report.would_deny), "call", "calls"),
        sanitize(since),
        sanitize(until),
    )];
    lines.extend(report.rows.iter().map(row_line));
    if report.unreadable > 0 {
        let lost = count_of(shown_rows(report.unreadable), "line", "lines");
        lines.push(format!(
            "{lost} of {} cannot be read",
            sanitize(&report.log)
        ));
    }
    lines
}

fn shown_rows(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn row_line(row: &ReportRow) -> String {
    let verb = match row.decision.as_str() {
        "would_deny" => "would have blocked",
        _ => "blocked",
    };
    let named = |text: &Option<String>| sanitize(text.as_deref().unwrap_or("?"));
    let (agent, tool) = (named(&row.agent), named(&row.tool));
    let subject = row.subject.as_deref().map(|text| {
        let text = text.lines().next().unwrap_or_default();
        let text: String = text.chars().take(SHOWN).collect();
        paint(DIM, format!(", last: {}", sanitize(&text))).to_string()
    });
    format!(
        "  {:>5} × {verb} {tool} of {agent} ({}){}",
        row.count,
        sanitize(&row.rule),
        subject.unwrap_or_default()
    )
}
