//! `diff`: compares what a signature covers in two plans.

use signoff_api::diff::{ComparedPlan, Diff as Shape};
use signoff_plan::diff::{Change, compare};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::changes_since_signed;

use crate::args::Diff;
use crate::commands::sign::locate;
use crate::failure::Failure;
use crate::plan_paths::{read, stdin_once};
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, escape_command, paint, sanitize};

pub(crate) fn diff(session: &mut Session, args: &Diff) -> Result<u8, Failure> {
    let Some(after) = &args.after else {
        return since(session, args);
    };
    stdin_once([&args.before, after])?;
    let before = read(session, &args.before, args.dialect)?;
    let after = read(session, after, args.dialect)?;
    let changes = compare(&before.canonical(), &after.canonical());
    if session.is_json() {
        let shape = Shape::new(side(&before), side(&after), &changes);
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
        tell(session, &changes);
        if changes.is_empty() {
            session
                .out
                .say("the plans are the same; a signature of one holds for the other");
        }
    }
    Ok(u8::from(!changes.is_empty()))
}

/// Compares one plan and its terms with what was last signed.
fn since(session: &mut Session, args: &Diff) -> Result<u8, Failure> {
    let project = session.project()?;
    let (path, _) = locate(&project, &args.before.to_string_lossy())?;
    let plan = read(session, &path, args.dialect)?;
    let (signature, difference) = changes_since_signed(&project, &plan)?;
    if session.is_json() {
        let before = ComparedPlan {
            path: format!("signature of {}", signature.at),
            digest: signature.digest.to_string(),
            ..side(&plan)
        };
        let shape = Shape::new(before, side(&plan), &difference.plan);
        session.json(&shape.with_terms(difference.terms.clone()));
        return Ok(u8::from(!difference.is_empty()));
    }
    let by = sanitize(&signature.by);
    let note = format!(
        "signed by {by}, {} (proof: {})",
        signature.at, signature.proof
    );
    session.out.say(paint(DIM, note));
    tell(session, &difference.plan);
    for line in &difference.terms {
        session.out.answer(escape_command(line));
    }
    if difference.is_empty() {
        session.out.say("nothing has changed since");
    }
    Ok(u8::from(!difference.is_empty()))
}

fn side(plan: &PlanFile) -> ComparedPlan {
    ComparedPlan {
        path: plan.source.name().to_owned(),
        dialect: plan.checked.dialect.as_str().to_owned(),
        digest: plan.digest().to_string(),
    }
}

/// Prints the changes, grouped by step.
fn tell(session: &mut Session, changes: &[Change]) {
    let mut current: Option<&Option<String>> = None;
    for change in changes {
        if current != Some(&change.step) && change.field != "step" {
            let owner = match &change.step {
                Some(step) => format!("step {}", sanitize(step)),
                None => "plan".to_owned(),
            };
            session.out.answer(paint(TITLE, owner));
        }
        current = Some(&change.step);
        for line in change_lines(change) {
            session.out.answer(line);
        }
    }
}

fn change_lines(change: &Change) -> Vec<String> {
    let step = sanitize(change.step.as_deref().unwrap_or_default());
    match (change.field.as_str(), &change.before, &change.after) {
        ("step", None, Some(title)) => {
            vec![paint(GOOD, format!("+ step {step}: {}", sanitize(title))).to_string()]
        }
        ("step", Some(title), _) => {
            vec![paint(ERROR, format!("- step {step}: {}", sanitize(title))).to_string()]
        }
        ("position", Some(before), Some(after)) => {
            vec![paint(CARE, format!("  moved from position {before} to {after}")).to_string()]
        }
        (field, before, after) => {
            let mut lines = vec![format!("  {}", sanitize(field))];
            let mut add = |style, sign: char, text: &Option<String>| {
                for line in text.iter().flat_map(|text| text.lines()) {
                    lines.push(
                        paint(style, format!("    {sign} {}", escape_command(line))).to_string(),
                    );
                }
            };
            add(ERROR, '-', before);
            add(GOOD, '+', after);
            lines
        }
    }
}
