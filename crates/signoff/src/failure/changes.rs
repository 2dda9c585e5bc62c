//! Failures to change or to add a plan.

use std::path::Path;

use signoff_engine::PlanState;
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::EditRefused;
use signoff_plan::field;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn nothing_revised(plan: &str) -> Failure {
    Failure::new(5, "nothing-revised", format!("{plan} has not changed"))
        .hint("edit it, or give the new text: `--with FILE`")
}

pub(super) fn nothing_edited(plan: &str) -> Failure {
    let message = format!("{plan} has not changed: it says that already");
    Failure::new(5, "nothing-edited", message).hint("`signoff show PLAN` shows what it says")
}

pub(super) fn not_a_plan(file: &str) -> Failure {
    let message = format!("{file} is not a plan, so that no plan's text takes its place");
    Failure::new(2, "not-a-plan", message)
        .hint("`signoff propose -` hands in a new plan from standard input")
}

pub(super) fn thread_revision(plan: &str) -> Failure {
    Failure::new(
        2,
        "thread",
        format!("{plan} is a directory: one text cannot replace it, and one file cannot hold it"),
    )
    .hint("edit its files, then `signoff revise` without `--with`")
}

fn field_names(of: &str) -> Vec<&'static str> {
    if of == "plan" {
        field::plan_names().collect()
    } else {
        field::step_names().collect()
    }
}

/// An edit that was not made. What was asked for wrongly is wrong use, the rest is about the plan.
pub(super) fn uneditable(refused: &EditRefused) -> Failure {
    let message = refused.to_string();
    match refused {
        EditRefused::UnknownField { of, nearest, .. } => {
            let failure = Failure::new(2, "no-field", message);
            match nearest {
                Some(_) => failure,
                None => failure.hint(format!("it has `{}`", field_names(of).join("`, `"))),
            }
        }
        EditRefused::UnknownStep(_) => Failure::new(2, "no-step", message),
        EditRefused::BadValue(_) => Failure::new(2, "bad-value", message),
        EditRefused::BreaksDependency { step, .. } => Failure::new(1, "order", message).hint(
            format!("change what it waits for first: `signoff edit PLAN set {step} depends_on …`"),
        ),
        EditRefused::NamedByNumber { step, .. } => Failure::new(1, "order", message)
            .hint(format!("`signoff edit PLAN set {step} id NAME`")),
        EditRefused::Unreadable(_)
        | EditRefused::UnknownStatus(_)
        | EditRefused::NoPlace(_)
        | EditRefused::Shared(_)
        | EditRefused::NotOnlyField(_)
        | EditRefused::NotOnlyMarks(_) => Failure::new(1, "invalid", message)
            .hint("change the text itself, then `signoff revise`"),
    }
}

pub(super) fn unknown_step(plan: &str, step: &str, known: &[String]) -> Failure {
    let failure = Failure::new(2, "no-step", format!("{plan} has no step `{step}`"));
    let near = |id: &&String| strsim::damerau_levenshtein(id, step) <= 2;
    match known.iter().find(near) {
        Some(id) => failure.hint(format!("did you mean `{id}`?")),
        None => failure.hint(format!("its steps are {}, or their numbers", listed(known))),
    }
}

fn listed(ids: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
    if ids.len() > SHOWN {
        names.push("…".to_owned());
    }
    names.join(", ")
}

pub(super) fn bad_request(why: &str) -> Failure {
    Failure::new(1, "invalid", format!("this is not a proposal: {why}"))
        .hint("it needs `title` and `steps`, each with `description`, `tool` and `operation`")
}

pub(super) fn other_dialect(asked: Dialect, found: Option<Dialect>) -> Failure {
    let found = match found {
        Some(found) => format!("it is read as a plan of dialect `{found}`"),
        None => "it is not recognised as a plan".to_owned(),
    };
    let message = format!("this text is no plan of dialect `{asked}`: {found}");
    Failure::new(1, "invalid", message)
        .hint("write what that dialect begins with, or name no dialect and let the text decide")
}

pub(super) fn bad_task(why: &str) -> Failure {
    Failure::new(
        2,
        "bad-task",
        format!("this task cannot become a plan: {why}"),
    )
    .hint("write the plan yourself: `signoff new NAME --template TEMPLATE`")
}

pub(super) fn unwritable_request(why: &str) -> Failure {
    Failure::new(
        1,
        "invalid",
        format!("this proposal cannot be stored: {why}"),
    )
    .hint("a plan's file is a list of steps: a title is one line, and `##` in a context begins a section; use `###` and deeper")
}

pub(super) fn not_deletable(plan: &str, state: PlanState) -> Failure {
    Failure::new(
        5,
        "state",
        format!("{plan} is {state}: a plan whose run has not ended cannot be deleted"),
    )
    .hint(format!("`signoff cancel {}` first", shell_word(plan)))
}

pub(super) fn not_clonable(plan: &str, state: PlanState) -> Failure {
    Failure::new(
        4,
        "person-only",
        format!("{plan} is {state}: only a person may clone it"),
    )
    .hint("`signoff show` shows the feedback; a rejected plan can be revised")
}

pub(super) fn not_finished(plan: &str, state: PlanState) -> Failure {
    Failure::new(
        5,
        "state",
        format!("{plan} is {state}: only a finished plan can be archived"),
    )
    .hint(format!("`signoff cancel {}` cancels it", shell_word(plan)))
}

pub(super) fn not_kept(plan: &str) -> Failure {
    Failure::new(
        5,
        "not-kept",
        format!("{plan} is a file of the project and stays where it is"),
    )
    .hint(format!(
        "`signoff delete {}` removes it from the list",
        shell_word(plan)
    ))
}

pub(super) fn name_taken(path: &Path) -> Failure {
    Failure::new(
        5,
        "name-taken",
        format!("{} already exists", path.display()),
    )
    .hint("rename one of them, then repeat the command")
}
