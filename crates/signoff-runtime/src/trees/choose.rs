//! In place or in worktrees?

use signoff_engine::Isolation;
use signoff_plan::model::Plan;
use signoff_plan::overlap::agents_can_overlap;
use signoff_store::config::Isolation as Wanted;
use signoff_work::git::Repository;

use super::{all, repository};
use crate::error::Error;
use crate::project::Project;

/// Where a run works, and what a person should know about it.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) isolation: Isolation,
    /// The repository, if snapshots of the checkout can be had.
    pub(crate) repository: Option<Repository>,
    pub(crate) note: Option<String>,
}

/// Worktrees where agent steps can overlap and the repository allows it, or where somebody wants them.
pub(crate) fn choose(
    project: &Project,
    plan: &Plan,
    asked: Option<Wanted>,
) -> Result<Chosen, Error> {
    let wanted = asked.unwrap_or(project.config.run.isolation.value);
    let insists: Vec<String> = plan
        .steps
        .iter()
        .filter(|step| step.isolation.as_deref() == Some("worktree"))
        .map(|step| format!("step `{}` asks for a worktree", step.id))
        .collect();
    if wanted == Wanted::Shared && !insists.is_empty() {
        let why = if asked.is_some() {
            "`--isolation shared` was asked for"
        } else {
            "the settings say `isolation = \"shared\"`"
        };
        return Err(Error::NoWorktrees {
            asked: insists,
            why: vec![why.to_owned()],
            insists: true,
        });
    }
    let overlap = agents_can_overlap(plan).is_some();
    let needed = wanted == Wanted::Worktree || !insists.is_empty();
    let repository = repository(project)?;
    let why = obstacles(project, repository.as_ref())?;
    let usable = repository.filter(|_| why.is_empty());
    if usable.is_some() && (needed || (wanted == Wanted::Auto && overlap)) {
        return Ok(Chosen {
            isolation: Isolation::Worktree,
            repository: usable,
            note: None,
        });
    }
    if needed {
        let (is_insisted, mut asked) = (!insists.is_empty(), insists);
        asked.extend((wanted == Wanted::Worktree).then(|| "the run is to have a worktree".into()));
        return Err(Error::NoWorktrees {
            asked,
            why,
            insists: is_insisted,
        });
    }
    let one_by_one = overlap && wanted == Wanted::Auto;
    Ok(Chosen {
        isolation: Isolation::Shared,
        repository: usable,
        note: one_by_one.then(|| {
            let why = why.join("; ");
            format!("agents work one after another, in place: {why}")
        }),
    })
}

/// Why no run of the project can have worktrees; nothing, if it can.
pub(crate) fn obstacles(
    project: &Project,
    repository: Option<&Repository>,
) -> Result<Vec<String>, Error> {
    let Some(repository) = repository else {
        return Ok(vec!["there is no git repository".to_owned()]);
    };
    let mut why = repository.obstacles()?;
    if repository.read_ref("refs/heads/signoff")?.is_some() {
        let words =
            "there is a branch `signoff`, and git has no `signoff/RUN` beside it: rename it";
        why.push(words.to_owned());
    }
    match all(project) {
        None => why.push("neither HOME nor XDG_DATA_HOME says where worktrees could be".to_owned()),
        Some(place) if place.starts_with(project.store.workspace()) => why.push(format!(
            "worktrees would be in the checkout itself, in {}",
            place.display()
        )),
        Some(_) => {}
    }
    Ok(why)
}
