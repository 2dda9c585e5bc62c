//! Chooses where a run works: on trees of its own, or in the checkout.

use signoff_engine::{Isolation, LandAt};
use signoff_plan::model::Plan;
use signoff_plan::overlap::agents_can_overlap;
use signoff_store::config;
use signoff_store::config::Isolation as IsolationSetting;
use signoff_work::git::Repository;

use super::{repository, run_repository};
use crate::confinement::mount_obstacles;
use crate::error::Error;
use crate::project::Project;

/// Where a run works, when its work comes into the checkout, and what a person should know about it.
#[derive(Debug)]
pub(crate) struct IsolationChoice {
    pub(crate) isolation: Isolation,
    pub(crate) land: LandAt,
    /// The repository that its trees are recorded in.
    pub(crate) repository: Option<Repository>,
    pub(crate) note: Option<String>,
}

/// Trees of the run's own wherever the machine can mount them, unless somebody wants the checkout itself.
pub(crate) fn choose(
    project: &Project,
    plan: &Plan,
    asked: Option<IsolationSetting>,
) -> Result<IsolationChoice, Error> {
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
    let mut why = mount_obstacles(project)?;
    match wanted {
        IsolationSetting::Shared if asked.is_some() => {
            why.push("`--isolation shared` was asked for".into());
        }
        IsolationSetting::Shared => why.push("the settings say `isolation = \"shared\"`".into()),
        IsolationSetting::Auto | IsolationSetting::Worktree => {
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
        return Ok(IsolationChoice {
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
    if wanted == IsolationSetting::Worktree || !insists.is_empty() {
        let is_insisted = !insists.is_empty();
        let mut asked = insists;
        asked.extend(
            (wanted == IsolationSetting::Worktree)
                .then(|| "the run is to have its own trees".into()),
        );
        return Err(Error::NoWorktrees {
            asked,
            why,
            insists: is_insisted,
        });
    }
    Ok(IsolationChoice {
        isolation: Isolation::Shared,
        land: LandAt::End,
        repository: None,
        note: Some(format!(
            "steps work in the checkout itself, agents one after another, and nothing is `proved`: {}",
            why.join("; ")
        )),
    })
}

/// Explains why files, and `proved`, come late.
const WARM: &str = "contracts reuse what earlier ones built (`cache = \"warm\"`): at the end they run once more without it, and nothing lands or is `proved` before";

/// When the work of this plan comes into the checkout.
fn landing(project: &Project, plan: &Plan) -> LandAt {
    match project.config.run.land.value {
        // Until the last contracts have held cold, nothing is known for certain.
        _ if project.config.contract.cache.value == config::ContractCache::Warm => LandAt::End,
        config::LandMode::Step => LandAt::Step,
        config::LandMode::End => LandAt::End,
        config::LandMode::Auto if agents_can_overlap(plan).is_some() => LandAt::End,
        config::LandMode::Auto => LandAt::Step,
    }
}

/// Why runs of the project do not record their work in its own repository; nothing, if they do.
pub(crate) fn why_private(project: &Project) -> Result<Vec<String>, Error> {
    Ok(match repository(project)? {
        None => vec!["there is no git repository".to_owned()],
        Some(found) => found.obstacles()?,
    })
}
