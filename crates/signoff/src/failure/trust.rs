//! Failures of trust: in a project, or in the files that it runs.

use std::path::Path;

use signoff_store::config::ConfigErrors;

use super::Failure;
use crate::shell_words::shell_word;
use crate::style::sanitize;

/// The store lies below another one.
pub(super) fn nested_store(inner: &Path, outer: &Path) -> Failure {
    let [inner, outer] = [inner, outer].map(|path| path.display().to_string());
    let root = |store: &str| {
        let ends = ["/.signoff", "/.pi/plans", "/.rawko/plans"];
        let root = ends.iter().find_map(|end| store.strip_suffix(end));
        shell_word(root.unwrap_or(store))
    };
    Failure::of(6, "nested-store")
    .hint(format!(
        "work in the outer project: `cd {}`; if you did not make the inner store, an agent may have made it: inspect it, then remove it",
        root(&outer)
    ))
    .hint(format!(
        "if {} is a project of its own, move it out of the other one",
        root(&inner)
    ))
}

/// The project has the id of another one, whose signatures do not count here yet.
pub(super) fn copied_project() -> Failure {
    Failure::of(4, "copied-project")
    .hint("if it is a clone or a copy of yours, type `signoff trust`: then signatures of that project count here too")
    .hint("if it is another project, remove .signoff/project.json: it gets a new id, and you sign its plans again")
}

/// Files that would run have changed since the person trusted them.
pub(super) fn helpers_changed(differences: &[String]) -> Failure {
    let failure = Failure::of(4, "helpers-changed");
    let failure = differences
        .iter()
        .fold(failure, |failure, one| failure.detail(sanitize(one)));
    failure.hint("read them, then type `signoff trust`")
}

pub(super) fn no_store() -> Failure {
    Failure::of(6, "no-store").hint("`signoff init` sets up a project here")
}

pub(super) fn config(errors: &ConfigErrors) -> Failure {
    errors
        .problems
        .iter()
        .fold(Failure::of(6, "config"), |failure, problem| {
            failure.detail(problem.to_string())
        })
}

pub(super) fn untrusted() -> Failure {
    Failure::of(4, "untrusted").hint("read it, then type `signoff trust`")
}
