//! Contracts of a draft, each run once on the checkout as it is: in an overlay that is thrown away, without a network.
//! One that holds before any work proves nothing about the work.

use std::path::PathBuf;

use signoff_engine::{Verdict, contract_verdict};
use signoff_plan::expression::placeholders;
use signoff_plan::model::{Contract, Plan, Step, Work};
use signoff_sandbox::{Level, Overlay, Sandbox};
use signoff_work::beneath::remove_tree;
use signoff_work::confine::VisibleTree;
use signoff_work::contract::Evaluation;
use signoff_work::environment::for_contract;

use super::supervisor::{not_started, observe};
use crate::confinement::{self, OverlayMode, Scratch, overlay_mode};
use crate::error::Error;
use crate::project::Project;
use crate::project::sandbox_level::level;

/// A contract that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractTrial {
    /// Id of its step.
    pub step: String,
    /// What it said.
    pub verdict: Verdict,
}

/// Refuses where contracts cannot be tried without touching the checkout.
pub fn require_trials(project: &Project) -> Result<(), Error> {
    TrialDirectory::make(project).map(drop)
}

/// Tries the contracts of a plan's agent steps, one after another. Those that depend on a value of the run, or that ask
/// not to be run before the work, are passed over.
pub fn try_contracts(project: &Project, plan: &Plan) -> Result<Vec<ContractTrial>, Error> {
    let steps = plan.steps.iter().filter_map(|step| {
        let contract = step.contract.as_ref()?;
        is_tried(step, contract).then_some((step, contract))
    });
    let tried = steps.map(|(step, contract)| {
        Ok(ContractTrial {
            step: step.id.clone(),
            verdict: try_one(project, contract)?,
        })
    });
    tried.collect()
}

fn is_tried(step: &Step, contract: &Contract) -> bool {
    matches!(step.work, Work::Agent { .. })
        && contract.baseline
        && step.for_each.is_none()
        && placeholders(&contract.command).is_empty()
}

fn try_one(project: &Project, contract: &Contract) -> Result<Verdict, Error> {
    let directory = TrialDirectory::make(project)?;
    let level = level(project)?;
    let tree = project.store.workspace();
    let scratch = Scratch::make(directory.path.join("scratch")).map_err(Error::Sandbox)?;
    let paths = confinement::run_paths(project, &project.store.config_path(), level);
    let mut paths = paths.ok_or_else(unconfined_error)?;
    paths.network = false;
    let shown = VisibleTree::in_layers(Overlay {
        at: tree.to_owned(),
        lower: vec![tree.to_owned()],
        upper: directory.create_directory("upper")?,
        work: directory.create_directory("work")?,
    });
    let confined = paths.for_contract(scratch.path(), &shown, &[]);
    let confined = confined.map_err(Error::Sandbox)?;
    let config = &project.config;
    let variables = &project.process.variables;
    let mut environment = for_contract(variables, &config.sandbox.env.value, tree);
    let policy = confined.into_policy(&mut environment);
    let evaluation = Evaluation {
        command: &contract.command,
        shell: (contract.shell.as_deref()).unwrap_or(&config.contract.shell.value),
        tree,
        environment,
        marker: format!("trial-{}", std::process::id()),
        time: contract.timeout.unwrap_or(config.contract.timeout.value),
        log: scratch.path().join("contract.log"),
    };
    let mut command = evaluation.into_command();
    command.policy = Some(policy);
    let sandbox = Sandbox::with_level(level).map_err(Error::Sandbox)?;
    let observed = match sandbox.run(command) {
        Ok(ended) => observe(ended, &project.secrets()),
        Err(error) => not_started(error.to_string()),
    };
    Ok(contract_verdict(&contract.expect, &observed))
}

/// Where one contract leaves what it changes; removed with it.
struct TrialDirectory {
    path: PathBuf,
}

impl TrialDirectory {
    fn make(project: &Project) -> Result<Self, Error> {
        let name = format!("trial-{}", std::process::id());
        let level = level(project)?;
        if level != Level::Namespaces {
            return Err(unconfined_error());
        }
        match overlay_mode(project, &name, level)? {
            OverlayMode::Overlays(path) => Ok(Self { path }),
            OverlayMode::Copies => Err(unconfined_error()),
        }
    }

    fn create_directory(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.path.join(name);
        std::fs::create_dir_all(&path).map_err(Error::cannot_read(&path))?;
        Ok(path)
    }
}

impl Drop for TrialDirectory {
    fn drop(&mut self) {
        // What cannot be removed does no harm, and the next trial of this process tries again.
        remove_tree(&self.path).ok();
    }
}

fn unconfined_error() -> Error {
    Error::Unconfined {
        wanted: "overlays, so that contracts can be tried without touching the checkout".to_owned(),
        found: "none here".to_owned(),
        why: Vec::new(),
    }
}
