//! Sums up what the guard refused, and what it would have refused.

use std::collections::BTreeMap;
use std::path::Path;

use signoff_api::guard::{GuardReport, LoggedDecision, REPORT_SCHEMA, ReportRow};
use signoff_store::guard::decisions::{self, Logged};

use crate::error::Error;

/// Reads the log of a state directory.
pub fn report(state_dir: &Path) -> Result<GuardReport, Error> {
    let log = decisions::path(state_dir).display().to_string();
    Ok(summary(log, &decisions::read(state_dir)?))
}

fn summary(log: String, logged: &Logged) -> GuardReport {
    let found = &logged.decisions;
    let count = |decision: &str| {
        let fits = found.iter().filter(|one| one.decision == decision);
        fits.count() as u64
    };
    GuardReport {
        schema: REPORT_SCHEMA.to_owned(),
        log,
        since: found.first().map(|one| one.at.clone()),
        until: found.last().map(|one| one.at.clone()),
        denied: count("denied"),
        would_deny: count("would_deny"),
        unreadable: logged.unreadable,
        rows: report_rows(found),
    }
}

fn report_rows(found: &[LoggedDecision]) -> Vec<ReportRow> {
    let mut rows: BTreeMap<_, ReportRow> = BTreeMap::new();
    for one in found {
        let key = (&one.agent, &one.tool, &one.rule, &one.decision);
        let row = rows.entry(key).or_insert_with(|| ReportRow {
            agent: one.agent.clone(),
            tool: one.tool.clone(),
            rule: one.rule.clone(),
            decision: one.decision.clone(),
            count: 0,
            last: String::new(),
            subject: None,
        });
        row.count += 1;
        row.last.clone_from(&one.at);
        row.subject.clone_from(&one.subject);
    }
    let mut rows: Vec<ReportRow> = rows.into_values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows
}
