//! A run that begins here and continues on other machines: everything up to its first action happens where the checkout
//! is.

use signoff_engine::{Input, Isolation, LandAt};
use signoff_plan::model::{Plan, Work};
use signoff_plan::tools::scope;

use super::PreparedRun;
use super::prepared_run::FirstInput;
use super::workplace::Workplace;
use crate::error::Error;
use crate::project::Project;
use crate::runs::OpenedRun;

/// A run that was begun, so that other machines can go on with it.
#[derive(Debug)]
pub struct RunToShare {
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
    /// Begins the run as far as the checkout is needed, or takes up a stopped one, and hands it over.
    pub fn begin_for_others(mut self) -> Result<RunToShare, Error> {
        let Workplace { isolation, .. } = self.workplace()?;
        self.refuse_if_changed()?;
        let trees = isolation
            .trees()
            .cloned()
            .ok_or_else(|| cannot_share(IN_CHECKOUT))?;
        let opened = &mut self.opened;
        match self.beginning {
            FirstInput::Start(start) => {
                opened.run.record(start)?;
                opened.dir.mark_begun()?;
                let tree = trees.begin(Isolation::Worktree)?;
                opened.run.record(Input::TreePrepared { tree })?;
            }
            FirstInput::GoOn {
                input,
                lost: None,
                replan: None,
            } => {
                refuse_if_not_movable(opened)?;
                opened.run.record(input)?;
                trees.publish_commit(&crate::trees::head_commit(opened.state())?)?;
            }
            FirstInput::GoOn { .. } => {
                return Err(cannot_share(
                    "what it has to catch up with first happens here: `signoff resume` it, and pause it again",
                ));
            }
        }
        trees.set_first_commit(opened.state())?;
        let start = crate::trees::first_commit(opened.state())?;
        trees.publish_commit(&start)?;
        opened.run.close()?;
        let plan = opened.state().plan();
        Ok(RunToShare {
            id: opened.id.clone(),
            key: opened.key.clone(),
            plan: self.name.clone(),
            title: plan.display_title().to_owned(),
            project: opened.project.require_id()?,
            start: start.to_string(),
            repository: trees.repository.directory().to_owned(),
            priority: plan.priority.clone(),
        })
    }
}

const IN_CHECKOUT: &str = "it works in the checkout itself, which no other machine has";

fn cannot_share(why: &str) -> Error {
    Error::Unshared {
        why: why.to_owned(),
    }
}

/// Refuses to move a run to other machines if they could not continue it as this machine would.
fn refuse_if_not_movable(opened: &OpenedRun<'_>) -> Result<(), Error> {
    let run = opened.state();
    let why = if run.run_tree().is_none() {
        "it stopped before its tree was ready: begin a new one with `signoff run`"
    } else if run.outcome().is_none() && run.pause_reason().is_none() {
        "it was cut off: `signoff resume` it here, and `signoff pause` it"
    } else if run.settings().land == LandAt::Step {
        "what its steps did came into this checkout step by step, and no other machine has that"
    } else {
        return Ok(());
    };
    Err(cannot_share(why))
}

/// The reference that has the work of an attempt, in the repository of a run.
pub fn work_reference(run: &str, step: &str, attempt: u32) -> String {
    crate::trees::work_reference(run, step, attempt)
}
