//! `edit`: changes one thing in a plan's file and nothing else.

use serde_json::Value;
use signoff_plan::edit::{NewStep, StepPlace};
use signoff_plan::field::{plan_name, step_name, typed_value};
use signoff_plan::model::Plan;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{ActorContext, EditOptions, EditReport, PlanChange};

use super::{locate_plan, print_report};
use crate::agent_check::actor;
use crate::args::{AddStep, Edit, EditCommand, SetField};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{CARE, paint, sanitize};

pub(crate) fn edit(session: &mut Session, args: &Edit) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &clock,
    };
    let (path, name) = locate_plan(&project, &args.plan)?;
    let seen = PlanFile::read(&path, &name, &project.workspace())?;
    let change = change(&seen.checked.plan, &args.change)?;
    let options = EditOptions {
        expect_version: args.expect_version,
        expect_digest: args.expect_digest.clone(),
    };
    let done = signoff_runtime::plans::edit(context, &path, &name, &[change], &options);
    let report = done.map_err(|error| super::approve::show_problems(session, error))?;
    show(session, &report);
    Ok(0)
}

fn show(session: &mut Session, report: &EditReport) {
    for sentence in &report.changes {
        session.out.say(sanitize(sentence));
    }
    if report.voids_signature {
        let note = "the plan was signed, and no longer is: the signature covers the text before";
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    let next = super::then_approve(&report.done);
    print_report(session, &report.done, "edited", Some(next));
}

fn change(plan: &Plan, command: &EditCommand) -> Result<PlanChange, Failure> {
    Ok(match command {
        EditCommand::Set(args) => set(plan, args)?,
        EditCommand::Add(args) => add(plan, args)?,
        EditCommand::Move(args) => PlanChange::MoveStep {
            step: args.step.clone(),
            place: step_place(args.before.as_ref(), args.after.as_ref()),
        },
        EditCommand::Skip { step } => PlanChange::SkipStep { step: step.clone() },
    })
}

fn step_place(before: Option<&String>, after: Option<&String>) -> StepPlace {
    match (before, after) {
        (Some(step), _) => StepPlace::Before(step.clone()),
        (None, Some(step)) => StepPlace::After(step.clone()),
        (None, None) => StepPlace::Last,
    }
}

fn set(plan: &Plan, args: &SetField) -> Result<PlanChange, Failure> {
    let mut words = args.words.iter();
    let step = if args.of_plan { None } else { words.next() };
    let (field, value, more) = (words.next(), words.next(), words.next());
    let (Some(field), None) = (field, more) else {
        return Err(wrong_words());
    };
    let name = match step {
        Some(_) => step_name(field),
        None => plan_name(field),
    };
    let value = match (value, args.clear) {
        (Some(text), false) => typed_value(plan, name.unwrap_or(field), text),
        (None, true) => Value::Null,
        _ => return Err(wrong_words()),
    };
    let field = field.clone();
    Ok(match step {
        Some(step) => PlanChange::SetStep {
            step: step.clone(),
            field,
            value,
        },
        None => PlanChange::SetPlan { field, value },
    })
}

fn wrong_words() -> Failure {
    Failure::new(
        2,
        "usage",
        "`set` takes a step, a field and a value".to_owned(),
    )
    .hint("`set STEP FIELD VALUE`, `set --plan FIELD VALUE`, `set STEP FIELD --clear`")
}

fn add(plan: &Plan, args: &AddStep) -> Result<PlanChange, Failure> {
    let mut fields = Vec::new();
    for pair in &args.set {
        let Some((field, text)) = pair.split_once('=') else {
            let message = format!("`--set {pair}` has no `=`");
            return Err(Failure::new(2, "usage", message).hint("`--set FIELD=VALUE`"));
        };
        let name = step_name(field).unwrap_or(field);
        fields.push((field.to_owned(), typed_value(plan, name, text)));
    }
    Ok(PlanChange::AddStep {
        step: NewStep {
            title: args.title.clone(),
            fields,
        },
        place: step_place(args.before.as_ref(), args.after.as_ref()),
    })
}
