//! `diff`: compares what a signature covers in two plans.

use signoff_api::diff::{ComparedPlan, Diff as Shape};
use signoff_plan::diff::compare;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{UnsignedChanges, changes_since_signed, unsigned_changes};

use crate::args::Diff;
use crate::commands::sign::locate_plan;
use crate::failure::Failure;
use crate::plan_paths::{read, stdin_once};
use crate::report::difference::difference_text;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{DIM, escape_command, paint, sanitize};

pub(crate) fn diff(session: &mut Session, args: &Diff) -> Result<u8, Failure> {
    let Some(after) = &args.after else {
        return diff_since_signed(session, args);
    };
    stdin_once([&args.before, after])?;
    let before = read(session, &args.before, args.dialect)?;
    let after = read(session, after, args.dialect)?;
    let changes = compare(&before.canonical(), &after.canonical());
    if session.is_json() {
        let shape = Shape::new(compared_plan(&before), compared_plan(&after), &changes);
        session.json(&shape);
    } else {
        for plan in [&before, &after]
            .into_iter()
            .filter(|plan| plan.checked.errors() > 0)
        {
            let name = plan.source.name();
            let note = format!(
                "{name} has errors; this compares what could be read: `signoff verify {}` shows them",
                shell_word(name)
            );
            session.out.say(paint(DIM, note));
        }
        for line in difference_text(&changes) {
            session.out.answer(line);
        }
        if changes.is_empty() {
            session
                .out
                .say("the plans are the same; a signature of one holds for the other");
        }
    }
    Ok(u8::from(!changes.is_empty()))
}

/// Compares one plan and its terms with what was last signed, or with what the run carries out that waits for it.
fn diff_since_signed(session: &mut Session, args: &Diff) -> Result<u8, Failure> {
    let project = session.project()?;
    let (path, _) = locate_plan(&project, &args.before.to_string_lossy())?;
    let plan = read(session, &path, args.dialect)?;
    let waiting = unsigned_changes(&project, &plan)?;
    let (label, note, digest, difference) = match waiting {
        Some(UnsignedChanges {
            before,
            run: Some(run),
            difference,
        }) => {
            let label = format!("what run {run} carries out");
            (
                label.clone(),
                format!("compared with {label}"),
                before,
                difference,
            )
        }
        _ => {
            let (signature, difference) = changes_since_signed(&project, &plan)?;
            let (by, at) = (sanitize(&signature.by), &signature.at);
            let note = format!("signed by {by}, {at} (proof: {})", signature.proof);
            let label = format!("signature of {at}");
            (label, note, signature.digest.to_string(), difference)
        }
    };
    if session.is_json() {
        let before = ComparedPlan {
            path: label,
            digest,
            ..compared_plan(&plan)
        };
        let shape = Shape::new(before, compared_plan(&plan), &difference.plan);
        session.json(&shape.with_terms(difference.terms.clone()));
        return Ok(u8::from(!difference.is_empty()));
    }
    session.out.say(paint(DIM, note));
    for line in difference_text(&difference.plan) {
        session.out.answer(line);
    }
    for line in &difference.terms {
        session.out.answer(escape_command(line));
    }
    if difference.is_empty() {
        session.out.say("nothing has changed since");
    }
    Ok(u8::from(!difference.is_empty()))
}

fn compared_plan(plan: &PlanFile) -> ComparedPlan {
    ComparedPlan {
        path: plan.source.name().to_owned(),
        dialect: plan.checked.dialect.as_str().to_owned(),
        digest: plan.digest().to_string(),
    }
}
