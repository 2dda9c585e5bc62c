//! Failures to change or to add a plan.

use signoff_plan::edit::EditRefused;
use signoff_plan::field;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn nothing_revised() -> Failure {
    Failure::of(5, "nothing-revised").hint("edit it, or give the new text: `--with FILE`")
}

pub(super) fn nothing_edited() -> Failure {
    Failure::of(5, "nothing-edited").hint("`signoff show PLAN` shows what it says")
}

pub(super) fn not_a_plan() -> Failure {
    Failure::of(2, "not-a-plan").hint("`signoff propose -` hands in a new plan from standard input")
}

pub(super) fn thread_revision() -> Failure {
    Failure::of(2, "thread").hint("edit its files, then `signoff revise` without `--with`")
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
    match refused {
        EditRefused::UnknownField { of, nearest, .. } => {
            let failure = Failure::of(2, "no-field");
            match nearest {
                Some(_) => failure,
                None => failure.hint(format!("it has `{}`", field_names(of).join("`, `"))),
            }
        }
        EditRefused::UnknownStep(_) => Failure::of(2, "no-step"),
        EditRefused::BadValue(_) => Failure::of(2, "bad-value"),
        EditRefused::BreaksDependency { step, .. } => Failure::of(1, "order").hint(format!(
            "change what it waits for first: `signoff edit PLAN set {step} depends_on …`"
        )),
        EditRefused::NamedByNumber { step, .. } => {
            Failure::of(1, "order").hint(format!("`signoff edit PLAN set {step} id NAME`"))
        }
        EditRefused::Unreadable(_)
        | EditRefused::UnknownStatus(_)
        | EditRefused::NoPlace(_)
        | EditRefused::Shared(_)
        | EditRefused::NotOnlyField(_)
        | EditRefused::NotOnlyMarks(_) => {
            Failure::of(1, "invalid").hint("change the text itself, then `signoff revise`")
        }
    }
}

pub(super) fn unknown_step(step: &str, known: &[String]) -> Failure {
    let failure = Failure::of(2, "no-step");
    let near = |id: &&String| strsim::damerau_levenshtein(id, step) <= 2;
    match known.iter().find(near) {
        Some(id) => failure.hint(format!("did you mean `{id}`?")),
        None => failure.hint(format!(
            "its steps are {}, or their numbers",
            list_ids(known)
        )),
    }
}

fn list_ids(ids: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut names: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("`{id}`")).collect();
    if ids.len() > SHOWN {
        names.push("…".to_owned());
    }
    names.join(", ")
}

pub(super) fn bad_request() -> Failure {
    Failure::of(1, "invalid")
        .hint("it needs `title` and `steps`, each with `description`, `tool` and `operation`")
}

pub(super) fn other_dialect() -> Failure {
    Failure::of(1, "invalid")
        .hint("write what that dialect begins with, or name no dialect and let the text decide")
}

pub(super) fn bad_task() -> Failure {
    Failure::of(2, "bad-task")
        .hint("write the plan yourself: `signoff new NAME --template TEMPLATE`")
}

pub(super) fn unwritable_request() -> Failure {
    Failure::of(1, "invalid")
        .hint("a plan's file is a list of steps: a title is one line, and `##` in a context begins a section; use `###` and deeper")
}

pub(super) fn not_deletable(plan: &str) -> Failure {
    Failure::of(5, "state").hint(format!("`signoff cancel {}` first", shell_word(plan)))
}

pub(super) fn not_clonable() -> Failure {
    Failure::of(4, "person-only")
        .hint("`signoff show` shows the feedback; a rejected plan can be revised")
}

pub(super) fn not_finished(plan: &str) -> Failure {
    Failure::of(5, "state").hint(format!("`signoff cancel {}` cancels it", shell_word(plan)))
}

pub(super) fn not_kept(plan: &str) -> Failure {
    Failure::of(5, "not-kept").hint(format!(
        "`signoff delete {}` removes it from the list",
        shell_word(plan)
    ))
}

pub(super) fn name_taken() -> Failure {
    Failure::of(5, "name-taken").hint("rename one of them, then repeat the command")
}
