//! `fmt`: formats plans. Their meaning and their digest stay the same.

use std::path::PathBuf;

use signoff_api::formatted::{Formatted, RefusedFile, SCHEMA};
use signoff_plan::dialect::Dialect;
use signoff_plan::format::{format_as, format_source};
use signoff_plan::source::Source;
use signoff_store::atomic::replace;

use crate::args::Fmt;
use crate::failure::Failure;
use crate::plan_paths::{PlanCandidate, find, stdin_once};
use crate::session::Session;
use crate::shell_words::{STDIN, shell_word};
use crate::style::{CARE, ERROR, paint};

pub(crate) fn fmt(session: &mut Session, args: &Fmt) -> Result<u8, Failure> {
    stdin_once(&args.paths)?;
    let mut exit = 0;
    let mut outcome = Formatted {
        schema: SCHEMA.to_owned(),
        unchanged: Vec::new(),
        changed: Vec::new(),
        refused: Vec::new(),
    };
    for found in find(session, &args.paths, args.dialect) {
        let done = found.and_then(|found| format_plan(session, args, &found, &mut outcome));
        if let Err(failure) = done {
            exit = exit.max(session.report_failure(&failure));
        }
    }
    if session.is_json() {
        session.json(&outcome);
    } else {
        print_outcome(session, args, &outcome);
    }
    let failed = !outcome.refused.is_empty() || (args.check && !outcome.changed.is_empty());
    Ok(exit.max(u8::from(failed)))
}

fn format_plan(
    session: &mut Session,
    args: &Fmt,
    found: &PlanCandidate,
    outcome: &mut Formatted,
) -> Result<(), Failure> {
    let source = &found.source;
    let tidy = match formatted_source(source, found, args.dialect) {
        Ok(tidy) => tidy,
        Err(why) => {
            let path = source.name().to_owned();
            outcome.refused.push(RefusedFile { path, why });
            return Ok(());
        }
    };
    // Stdin has no file to change: the result goes to stdout.
    let is_stdin = source.name() == STDIN;
    if is_stdin && !args.check && !session.is_json() {
        session.out.write_unredacted(tidy.bytes());
        return Ok(());
    }
    for file in files(found, &tidy) {
        if file.before == file.after {
            outcome.unchanged.push(file.name);
            continue;
        }
        if !args.check && !is_stdin {
            replace(&file.path, Some(file.before), file.after, true)
                .map_err(|error| Failure::new(5, "replace", error.to_string()))?;
        }
        outcome.changed.push(file.name);
    }
    Ok(())
}

fn formatted_source(
    source: &Source,
    found: &PlanCandidate,
    dialect: Option<Dialect>,
) -> Result<Source, String> {
    let tidy = match (dialect, found.guessed_dialect) {
        (Some(dialect), _) => format_as(source, dialect),
        (None, None) => format_source(source),
        (None, Some(_)) => {
            let word = shell_word(source.name());
            return Err(format!(
                "it looks like a plan, but is not recognised as one: `signoff verify {word}` shows why"
            ));
        }
    };
    tidy.map_err(|why| why.to_string())
}

/// The text of a file before and after formatting.
struct FileChange<'a> {
    name: String,
    path: PathBuf,
    before: &'a [u8],
    after: &'a [u8],
}

/// The files of a plan: one, or many for a thread.
fn files<'a>(found: &'a PlanCandidate, tidy: &'a Source) -> Vec<FileChange<'a>> {
    let source = &found.source;
    if source.parts().is_empty() {
        return vec![FileChange {
            name: source.name().to_owned(),
            path: found.path.clone(),
            before: source.bytes(),
            after: tidy.bytes(),
        }];
    }
    let parts = source.parts().iter().zip(tidy.parts());
    parts
        .filter(|(part, other)| part.name == other.name && !part.name.ends_with('/'))
        .map(|(part, other)| FileChange {
            name: source.name_at(part.span.start),
            path: found.path.join(&part.name),
            before: source.part_bytes(part),
            after: tidy.part_bytes(other),
        })
        .collect()
}

fn print_outcome(session: &mut Session, args: &Fmt, outcome: &Formatted) {
    let word = if args.check {
        "would change"
    } else {
        "changed"
    };
    for name in &outcome.changed {
        session.out.answer(format!("{} {name}", paint(CARE, word)));
    }
    for refused in &outcome.refused {
        let line = format!(
            "{} {}: {}",
            paint(ERROR, "skipped"),
            refused.path,
            refused.why
        );
        session.out.say(line);
    }
    let (changed, all) = (outcome.changed.len(), outcome.unchanged.len());
    if args.check && changed > 0 {
        session
            .out
            .say("`signoff fmt` without `--check` formats them");
    } else if changed == 0 && all > 0 {
        let plural = if all == 1 { " is" } else { "s are" };
        session
            .out
            .say(format!("{all} file{plural} already formatted"));
    }
}
