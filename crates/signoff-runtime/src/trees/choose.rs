//! In trees of the run's own, or in the checkout?

use std::path::Path;

use signoff_engine::{Isolation, Land};
use signoff_plan::Workspace as _;
use signoff_plan::model::Plan;
use signoff_plan::overlap::agents_can_overlap;
use signoff_store::config;
use signoff_store::config::Isolation as Wanted;
use signoff_work::git::Repository;

use super::places::all_of;
use super::{repository, run_repository};
use crate::confinement;
use crate::error::Error;
use crate::project::{Project, Surroundings};

/// Where a run works, when its work comes into the checkout, and what a person should know about it.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) isolation: Isolation,
    pub(crate) land: Land,
    /// The repository that its trees are recorded in.
    pub(crate) repository: Option<Repository>,
    pub(crate) note: Option<String>,
}

/// Trees of the run's own wherever the machine can mount them, unless somebody wants the checkout itself.
pub(crate) fn choose(
    project: &Project,
    plan: &Plan,
    asked: Option<Wanted>,
) -> Result<Chosen, Error> {
    let wanted = asked.unwrap_or(project.config.run.isolation.value);
    let asks = |way: &str| -> Vec<&str> {
        let steps = plan.steps.iter();
        let asking = steps.filter(|step| step.isolation.as_deref() == Some(way));
        asking.map(|step| step.id.as_str()).collect()
    };
    let insists: Vec<String> = asks("worktree")
        .iter()
        .map(|step| format!("step `{step}` asks for a tree of its own"))
        .collect();
    let mut why = not_here(project)?;
    match wanted {
        Wanted::Shared if asked.is_some() => why.push("`--isolation shared` was asked for".into()),
        Wanted::Shared => why.push("the settings say `isolation = \"shared\"`".into()),
        Wanted::Auto | Wanted::Worktree => {
            let shared = asks("shared");
            why.extend(
                shared
                    .iter()
                    .map(|step| format!("step `{step}` asks for it")),
            );
        }
    }
    let land = landing(project, plan);
    let found = if why.is_empty() {
        run_repository(project)?
    } else {
        None
    };
    if let Some(found) = found {
        return Ok(Chosen {
            isolation: Isolation::Worktree,
            land,
            repository: Some(found.repository),
            note: (project.config.contract.cache.value == config::ContractCache::Warm)
                .then(|| WARM.to_owned()),
        });
    }
    if why.is_empty() {
        why.push("there is no git program".to_owned());
    }
    if wanted == Wanted::Worktree || !insists.is_empty() {
        let is_insisted = !insists.is_empty();
        let mut asked = insists;
        asked.extend(
            (wanted == Wanted::Worktree).then(|| "the run is to have its own trees".into()),
        );
        return Err(Error::NoWorktrees {
            asked,
            why,
            insists: is_insisted,
        });
    }
    Ok(Chosen {
        isolation: Isolation::Shared,
        land: Land::End,
        repository: None,
        note: Some(format!(
            "steps work in the checkout itself, agents one after another, and nothing is `proved`: {}",
            why.join("; ")
        )),
    })
}

/// Whoever waits for files, or for `proved`, should know why they come late.
const WARM: &str = "contracts reuse what earlier ones built (`cache = \"warm\"`): at the end they run once more without it, and nothing lands or is `proved` before";

/// When the work of this plan comes into the checkout.
fn landing(project: &Project, plan: &Plan) -> Land {
    match project.config.run.land.value {
        // Until the last contracts have held cold, nothing is known for certain.
        _ if project.config.contract.cache.value == config::ContractCache::Warm => Land::End,
        config::LandMode::Step => Land::Step,
        config::LandMode::End => Land::End,
        config::LandMode::Auto if agents_can_overlap(plan).is_some() => Land::End,
        config::LandMode::Auto => Land::Step,
    }
}

/// Why no run of this project can have trees of its own; nothing, if it can.
fn not_here(project: &Project) -> Result<Vec<String>, Error> {
    let mut why = Vec::new();
    let level = confinement::level(project)?;
    if !level.uses_mounts() {
        why.push(format!("the sandbox mounts nothing here (`{level}`)"));
    }
    why.extend(no_place(&project.around, project.store.workspace()));
    Ok(why)
}

/// Why there is no place for trees, if so.
fn no_place(around: &Surroundings, workspace: &Path) -> Option<String> {
    match all_of(around) {
        None => Some("neither HOME nor XDG_DATA_HOME says where trees could be".to_owned()),
        Some(place) if place.starts_with(workspace) => Some(format!(
            "trees would be in the checkout itself, in {}",
            place.display()
        )),
        Some(_) => None,
    }
}

/// Is there a place for trees?
pub(crate) fn has_place(around: &Surroundings, workspace: &Path) -> bool {
    no_place(around, workspace).is_none()
}

/// Why no run of the project can have trees of its own; nothing, if it can.
pub(crate) fn obstacles(project: &Project) -> Result<Vec<String>, Error> {
    let mut why = not_here(project)?;
    if !project.workspace().command_exists("git") {
        why.push("there is no git program".to_owned());
    }
    Ok(why)
}

/// Why runs of the project do not record their work in its own repository; nothing, if they do.
pub(crate) fn why_private(project: &Project) -> Result<Vec<String>, Error> {
    Ok(match repository(project)? {
        None => vec!["there is no git repository".to_owned()],
        Some(found) => found.obstacles()?,
    })
}
