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

/// Chooses trees of the run's own wherever the machine can mount them, unless a person asks for the checkout itself.
pub(crate) fn choose(
    project: &Project,
    plan: &Plan,
    asked: Option<IsolationSetting>,
) -> Result<IsolationChoice, Error> {
    let wanted = asked.unwrap_or(project.config.run.isolation.value);
    let mut why = mount_obstacles(project)?;
    why.extend(reasons_for_checkout(plan, wanted, asked.is_some()));
    if why.is_empty() {
        match run_repository(project)? {
            Some(found) => return Ok(own_trees(project, plan, found.repository)),
            None => why.push("there is no git program".to_owned()),
        }
    }
    refuse_if_insisted(plan, wanted, &why)?;
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

/// What asks the run to work in the checkout.
fn reasons_for_checkout(plan: &Plan, wanted: IsolationSetting, by_option: bool) -> Vec<String> {
    match wanted {
        IsolationSetting::Shared if by_option => {
            vec!["`--isolation shared` was asked for".to_owned()]
        }
        IsolationSetting::Shared => vec!["the settings say `isolation = \"shared\"`".to_owned()],
        IsolationSetting::Auto | IsolationSetting::Worktree => steps_asking(plan, "shared")
            .map(|step| format!("step `{step}` asks for it"))
            .collect(),
    }
}

/// The steps that ask for this isolation.
fn steps_asking<'p>(plan: &'p Plan, isolation: &'static str) -> impl Iterator<Item = &'p str> {
    let steps = plan.steps.iter();
    let asking = steps.filter(move |step| step.isolation.as_deref() == Some(isolation));
    asking.map(|step| step.id.as_str())
}

fn own_trees(project: &Project, plan: &Plan, repository: Repository) -> IsolationChoice {
    let is_warm = project.config.contract.cache.value == config::ContractCache::Warm;
    IsolationChoice {
        isolation: Isolation::Worktree,
        land: landing(project, plan),
        repository: Some(repository),
        note: is_warm.then(|| WARM.to_owned()),
    }
}

/// Refuses the checkout if a step or the run must have trees of its own.
fn refuse_if_insisted(plan: &Plan, wanted: IsolationSetting, why: &[String]) -> Result<(), Error> {
    let steps = steps_asking(plan, "worktree");
    let mut asked: Vec<String> = steps
        .map(|step| format!("step `{step}` asks for a tree of its own"))
        .collect();
    let insists = !asked.is_empty();
    if wanted == IsolationSetting::Worktree {
        asked.push("the run is to have its own trees".to_owned());
    }
    if asked.is_empty() {
        return Ok(());
    }
    Err(Error::NoWorktrees {
        asked,
        why: why.to_vec(),
        insists,
    })
}

/// Explains why files and the grade `proved` come late.
const WARM: &str = "contracts reuse what earlier ones built (`cache = \"warm\"`): at the end they run once more without it, and nothing lands or is `proved` before";

/// When the work of this plan comes into the checkout.
fn landing(project: &Project, plan: &Plan) -> LandAt {
    match project.config.run.land.value {
        // Nothing is certain before the last contracts have held cold.
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
