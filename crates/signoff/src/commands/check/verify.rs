//! `verify`: every problem of every plan, at once.

use std::collections::BTreeMap;

use signoff_api::diagnostics::{Diagnostic, Diagnostics};
use signoff_plan::diagnostic::{self, Code};
use signoff_plan::dialect::parse_as;
use signoff_plan::source::{Source, Span};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::Project;

use crate::args::{Verify, VerifyFormat};
use crate::failure::Failure;
use crate::plan_paths::{find, stdin_once, workspace};
use crate::report::count::count;
use crate::report::problems::text::{concise, render};
use crate::report::problems::{github, sarif};
use crate::session::Session;
use crate::style::{CARE, ERROR, GOOD, paint};

pub(crate) fn verify(session: &mut Session, args: &Verify) -> Result<u8, Failure> {
    stdin_once(&args.paths)?;
    let workspace = workspace(session)?;
    let mut plans = Vec::new();
    let mut exit = 0;
    for found in find(session, &args.paths, args.dialect) {
        match found {
            Ok(found) => {
                let guessed = args.dialect.is_none() && found.guessed_dialect.is_some();
                let plan = found.check(args.dialect, &workspace);
                if guessed {
                    exit = exit.max(report_unrecognised(session, &plan));
                }
                plans.push(plan);
            }
            // A plan that could not be checked outweighs the problems of others.
            Err(failure) => exit = exit.max(session.report_failure(&failure)),
        }
    }
    report_duplicate_ids(&mut plans);
    let outcomes: Vec<_> = plans
        .iter()
        .map(|plan| VerifyOutcome::new(plan, args))
        .collect();
    match args.format {
        VerifyFormat::Json => {
            let shapes = problems(&plans).map(|(one, source)| Diagnostic::new(one, source));
            let shape = Diagnostics::new(shapes.collect());
            session.json(&shape);
        }
        VerifyFormat::Sarif => {
            let found: Vec<_> = problems(&plans).collect();
            session.json(&sarif::sarif(&found));
        }
        VerifyFormat::Human | VerifyFormat::Concise | VerifyFormat::Github => {
            print_outcomes(session, args.format, &plans, &outcomes);
        }
    }
    if args.format == VerifyFormat::Human {
        for (plan, _) in (plans.iter().zip(&outcomes))
            .filter(|(_, outcome)| **outcome == VerifyOutcome::Verified)
        {
            mark_verified(session, plan);
        }
    }
    let passed = outcomes
        .iter()
        .all(|outcome| *outcome == VerifyOutcome::Verified);
    Ok(exit.max(u8::from(!passed)))
}

/// Writes `verified` into a draft of the store's project. A file outside one, or from stdin, is only read.
fn mark_verified(session: &mut Session, plan: &PlanFile) {
    let Ok(project) = Project::open(&session.process) else {
        return;
    };
    let note = match signoff_runtime::plans::mark_verified(&project, plan) {
        Ok(note) => note,
        Err(error) => Some(Failure::from(error).message),
    };
    if let Some(note) = note {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
}

/// Reports a file that looks like a plan but is not recognised. It never passes: if its diagnostics show no
/// error, this does.
fn report_unrecognised(session: &mut Session, plan: &PlanFile) -> u8 {
    if plan.checked.errors() > 0 {
        return 1;
    }
    let (name, dialect) = (plan.source.name(), plan.checked.dialect);
    let message = format!("{name} looks like a plan, but is not recognised as one");
    let hint = format!("`--dialect {dialect}` reads it as that dialect");
    session.report_failure(&Failure::new(1, "unrecognised", message).hint(hint))
}

/// The result for one plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VerifyOutcome {
    Verified,
    /// It has warnings, and they are denied.
    Denied,
    Invalid,
}

impl VerifyOutcome {
    fn new(plan: &PlanFile, args: &Verify) -> Self {
        if plan.checked.errors() > 0 {
            Self::Invalid
        } else if args.denies_warnings() && plan.checked.warnings() > 0 {
            Self::Denied
        } else {
            Self::Verified
        }
    }
}

fn problems(plans: &[PlanFile]) -> impl Iterator<Item = (&diagnostic::Diagnostic, &Source)> {
    plans.iter().flat_map(|plan| {
        let all = plan.checked.diagnostics.iter();
        all.map(|one| (one, &plan.source))
    })
}

fn print_outcomes(
    session: &mut Session,
    format: VerifyFormat,
    plans: &[PlanFile],
    outcomes: &[VerifyOutcome],
) {
    for (plan, outcome) in plans.iter().zip(outcomes) {
        for diagnostic in &plan.checked.diagnostics {
            match format {
                VerifyFormat::Concise => session.out.answer(concise(diagnostic, &plan.source)),
                VerifyFormat::Github => {
                    let line = github::command(diagnostic, &plan.source);
                    session.out.answer(line);
                }
                VerifyFormat::Human | VerifyFormat::Json | VerifyFormat::Sarif => {
                    session.out.answer(render(diagnostic, &plan.source));
                    session.out.answer("");
                }
            }
        }
        session.out.say(summary(plan, *outcome));
    }
    if plans.len() > 1 {
        session.out.say(total(outcomes));
    }
}

fn summary(plan: &PlanFile, outcome: VerifyOutcome) -> String {
    let (errors, warnings) = (plan.checked.errors(), plan.checked.warnings());
    let word = match outcome {
        VerifyOutcome::Invalid => paint(ERROR, "invalid"),
        VerifyOutcome::Denied => paint(ERROR, "denied"),
        VerifyOutcome::Verified if warnings > 0 => paint(CARE, "verified"),
        VerifyOutcome::Verified => paint(GOOD, "verified"),
    };
    let steps = count(plan.checked.plan.steps.len(), "step");
    let notes = plan.checked.diagnostics.len() - errors - warnings;
    let mut problems = match (errors, warnings) {
        (0, 0) => format!("{steps}, no problems"),
        (0, _) => format!("{steps}, {}", count(warnings, "warning")),
        _ => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    if notes > 0 {
        problems = format!("{problems}, {}", count(notes, "note"));
    }
    format!("{word}: {}: {problems}", plan.source.name())
}

fn total(outcomes: &[VerifyOutcome]) -> String {
    let parts: Vec<String> = [
        (VerifyOutcome::Verified, "verified"),
        (VerifyOutcome::Denied, "denied"),
        (VerifyOutcome::Invalid, "invalid"),
    ]
    .into_iter()
    .map(|(wanted, word)| (outcomes.iter().filter(|one| **one == wanted).count(), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    format!("{}: {}", count(outcomes.len(), "plan"), parts.join(", "))
}

/// Reports plans with the same id: they would share signatures and runs.
fn report_duplicate_ids(plans: &mut [PlanFile]) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for plan in plans {
        let Some(id) = plan.checked.plan.id.clone() else {
            continue;
        };
        match known.get(&id) {
            Some(first) => {
                let message = format!("plan id `{id}` is not unique: {first} has it too");
                let dialect = plan.checked.dialect;
                let problem =
                    diagnostic::Diagnostic::new(Code::DuplicateId, dialect, id_span(plan), message)
                        .help("give one of the two another id");
                let all = &mut plan.checked.diagnostics;
                let index = all.partition_point(|one| one.span <= problem.span);
                all.insert(index, problem);
            }
            None => {
                known.insert(id, plan.source.name().to_owned());
            }
        }
    }
}

fn id_span(plan: &PlanFile) -> Span {
    parse_as(&plan.source, plan.checked.dialect)
        .id
        .map_or(Span::at(0), |id| id.span)
}
