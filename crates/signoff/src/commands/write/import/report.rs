//! What a person is told about an import: how it was read, what is lost, and what is open.

use std::path::Path;

use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::import::{ImportLoss, Imported};
use signoff_plan::source::Source;
use signoff_runtime::plan_file::PlanFile;

use crate::report::count::count;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, DIM, ERROR, paint, sanitize};

/// How many of the same kind are spelled out.
const SHOWN: usize = 3;

/// How many letters of a lost value are shown.
const LONGEST: usize = 60;

pub(super) fn report(
    session: &mut Session,
    source: &Source,
    imported: &Imported,
    plan: &PlanFile,
    output: Option<&Path>,
) {
    let name = sanitize(source.name());
    let (format, sign) = (imported.format, &imported.sign);
    session.out.say(format!("read {name} as {format}: {sign}"));
    for note in &imported.notes {
        session.out.say(format!("note: {}", sanitize(note)));
    }
    for lines in by_kind(&imported.losses, |loss| {
        (kind(&loss.field), loss.why.clone())
    }) {
        session.out.say(format!(
            "{} {}",
            paint(CARE, "left out:"),
            loss_line(&lines)
        ));
    }
    for same in by_kind(&plan.checked.diagnostics, |one| (one.severity, one.code)) {
        session.out.say(open(&same));
    }
    let steps = count(imported.steps, "step");
    let Some(shown) = output else {
        let next = format!("{steps}; next: write it to a file with `-o FILE`");
        session.out.say(paint(DIM, next));
        return;
    };
    let path = shown.display().to_string();
    session
        .out
        .say(format!("wrote {}: {steps}", sanitize(&path)));
    let next = format!(
        "next: read it and add what is open, above all contracts, then `signoff verify {}`",
        shell_word(&path)
    );
    session.out.say(paint(DIM, next));
}

/// Groups of the same kind, in the order of their first members.
fn by_kind<T, K: PartialEq>(all: &[T], kind: impl Fn(&T) -> K) -> Vec<Vec<&T>> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for one in all {
        let kind = kind(one);
        match groups.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, group)) => group.push(one),
            None => groups.push((kind, vec![one])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// What a loss is, without the step that it belongs to.
fn kind(field: &str) -> String {
    field.split(" of step").next().unwrap_or(field).to_owned()
}

/// `created_at of line 3 (2025-…), line 4 (…) and 7 more: why`
fn loss_line(group: &[&ImportLoss]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let places: Vec<String> = group
        .iter()
        .take(SHOWN)
        .map(|loss| loss_place(loss))
        .collect();
    let more = match group.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more (`--format json` has all)"),
    };
    let text = format!(
        "`{}`: {}{more}: {}",
        kind(&first.field),
        places.join(", "),
        first.why
    );
    sanitize(&text)
}

fn loss_place(loss: &ImportLoss) -> String {
    let line = loss.value.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or_default();
    let short: String = line.chars().take(LONGEST).collect();
    let short = if short.len() < loss.value.trim_end().len() {
        format!("{short}…")
    } else {
        short
    };
    match loss.line {
        Some(line) => format!("{short} (line {line})"),
        None => short,
    }
}

/// `open: warning[missing-contract]: 12 times, first: …`
fn open(group: &[&Diagnostic]) -> String {
    let Some(first) = group.first() else {
        return String::new();
    };
    let style = match first.severity {
        Severity::Error => ERROR,
        Severity::Warning | Severity::Note => CARE,
    };
    let head = format!("{}[{}]:", first.severity, first.code);
    let message = sanitize(&first.message);
    let more = match group.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    format!("open: {} {message}{more}", paint(style, head))
}
