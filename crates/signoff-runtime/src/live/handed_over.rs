//! A run that begins here and goes on elsewhere: everything up to its first action happens where the checkout is.

use signoff_engine::{Input, Isolation};
use signoff_plan::model::{Plan, Work};
use signoff_plan::tools::scope;

use super::PreparedRun;
use super::driving::Workplace;
use super::prepared::FirstInput;
use crate::error::Error;
use crate::project::Project;

/// A run that was begun, so that other machines can go on with it.
#[derive(Debug)]
pub struct HandedRun {
    /// Its name.
    pub id: String,
    /// The name of its plan.
    pub key: String,
    /// The plan's file, as messages call it.
    pub plan: String,
    /// What the plan is about.
    pub title: String,
    /// The project.
    pub project: String,
    /// The commit that it begins with.
    pub start: String,
    /// The repository that has its commits.
    pub repository: std::path::PathBuf,
    /// How urgent its plan is, in the plan's own word.
    pub priority: Option<String>,
}

/// Why a plan cannot be carried out by several machines, if so.
pub fn reasons_against(project: &Project, plan: &Plan) -> Vec<String> {
    let servers: Vec<&String> = project.config.servers.keys().collect();
    let mut found = Vec::new();
    for step in &plan.steps {
        let names = |tool: &&str| {
            let server = tool.split_once('.').map_or(*tool, |(server, _)| server);
            servers.iter().any(|name| *name == server)
        };
        let is_agent = matches!(step.work, Work::Agent { .. });
        let tools = scope(plan, step).unwrap_or_default();
        if is_agent && tools.iter().any(|tool| names(&tool.as_str())) {
            let id = &step.id;
            found.push(format!(
                "step `{id}` gives its agent tools of a server, which agents have only on one machine yet"
            ));
        }
        if step.isolation.as_deref() == Some("shared") {
            let id = &step.id;
            found.push(format!("step `{id}` wants to work in the checkout"));
        }
    }
    found
}

impl PreparedRun<'_> {
    /// Begins the run as far as the checkout is needed, and lets go of it.
    pub fn begin_for_others(mut self) -> Result<HandedRun, Error> {
        let Workplace { isolation, .. } = self.workplace()?;
        self.refuse_if_changed()?;
        let FirstInput::Start(start) = self.beginning else {
            return Err(Error::Unshared {
                why: "only a run that has not begun can be handed over".to_owned(),
            });
        };
        let trees = isolation.trees().cloned().ok_or_else(|| Error::Unshared {
            why: "it works in the checkout itself".to_owned(),
        })?;
        let opened = &mut self.opened;
        opened.run.record(start)?;
        opened.dir.mark_begun()?;
        let tree = trees.begin(Isolation::Worktree)?;
        let start = tree.start.clone();
        opened.run.record(Input::TreePrepared { tree })?;
        trees.set_first_commit(opened.state())?;
        trees.keep_for_others(&crate::trees::first_commit(opened.state())?)?;
        opened.run.close()?;
        let plan = opened.state().plan();
        Ok(HandedRun {
            id: opened.id.clone(),
            key: opened.key.clone(),
            plan: self.name.clone(),
            title: plan.display_title().to_owned(),
            project: opened.project.require_id()?,
            start,
            repository: trees.repository.directory().to_owned(),
            priority: plan.priority.clone(),
        })
    }
}

/// The reference that has the work of an attempt, in the repository of a run.
pub fn work_reference(run: &str, step: &str, attempt: u32) -> String {
    crate::trees::work_reference(run, step, attempt)
}
