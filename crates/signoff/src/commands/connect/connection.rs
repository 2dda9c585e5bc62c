//! `connect`: puts Signoff into a coding agent, or takes it out.

use signoff_api::connect::{Connection, FileAction, Scope};
use signoff_runtime::connect::{ConnectOptions, connect, has_changes};

use crate::args::Connect;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{CARE, GOOD, paint, sanitize};

pub(crate) fn connection(session: &mut Session, args: &Connect) -> Result<u8, Failure> {
    if !args.dry_run {
        // An agent that could disconnect itself would not be guarded.
        session.require_person("connect an agent")?;
    }
    let program = std::env::current_exe().map_err(|why| {
        Failure::new(6, "program", format!("this program cannot be found: {why}"))
    })?;
    let options = ConnectOptions {
        agent: args.agent,
        scope: if args.project {
            Scope::Project
        } else {
            Scope::User
        },
        undo: args.undo,
        dry_run: args.dry_run,
        program,
    };
    let report = connect(&session.process, &options)?;
    if session.is_json() {
        session.json(&report);
    } else {
        show(session, &report);
    }
    Ok(0)
}

fn show(session: &mut Session, report: &Connection) {
    for file in &report.files {
        let action = match file.action {
            FileAction::Created => "created",
            FileAction::Changed => "changed",
            FileAction::Unchanged => "unchanged",
            FileAction::Restored => "restored",
            FileAction::Removed => "removed",
            FileAction::Left => "left as it is, because somebody changed it:",
        };
        session
            .out
            .answer(format!("{action} {}", sanitize(&file.path)));
        // What was made or is gone as a whole needs no difference; what would be made is shown.
        let is_shown = match file.action {
            FileAction::Changed | FileAction::Restored => true,
            FileAction::Created => report.dry_run,
            FileAction::Unchanged | FileAction::Removed | FileAction::Left => false,
        };
        if is_shown {
            for line in file.difference.lines() {
                session.out.answer(format!("  {}", coloured_line(line)));
            }
        }
    }
    session.out.say(summary(report));
    for next in &report.next {
        session.out.say(format!("next: {next}"));
    }
}

fn coloured_line(line: &str) -> String {
    let text = sanitize(line);
    match line.as_bytes().first() {
        Some(b'+') => paint(GOOD, &text).to_string(),
        Some(b'-') => paint(CARE, &text).to_string(),
        _ => text,
    }
}

fn summary(report: &Connection) -> String {
    let Connection { agent, .. } = report;
    let place = match report.scope {
        Scope::User => "for you, in all projects",
        Scope::Project => "in this project",
    };
    match (report.undo, has_changes(report), report.dry_run) {
        (_, true, true) => "nothing was written: this was `--dry-run`".to_owned(),
        (false, true, false) => format!("{agent} is connected {place}"),
        (false, false, _) => format!("{agent} was connected {place} already"),
        (true, true, false) => format!("{agent} is disconnected {place}"),
        (true, false, _) => format!("{agent} was not connected {place}"),
    }
}
