//! Failures to change or to add a plan.

use std::path::Path;

use signoff_engine::PlanState;
use signoff_plan::dialect::Dialect;

use super::Failure;
use crate::shell_words::shell_word;

pub(super) fn nothing_revised(plan: &str) -> Failure {
    Failure::new(5, "nothing-revised", format!("{plan} has not changed"))
        .hint("edit it, or give the new text: `--with FILE`")
}

pub(super) fn thread_revision(plan: &str) -> Failure {
    Failure::new(
        2,
        "thread",
        format!("{plan} is a directory: one text cannot replace it, and one file cannot hold it"),
    )
    .hint("edit its files, then `signoff revise` without `--with`")
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
    .hint("`##` begins a section of the plan's file: use `###` and deeper in a context")
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
