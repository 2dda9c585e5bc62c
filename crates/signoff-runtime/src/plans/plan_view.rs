//! A plan as it is shown: its text as it was understood, with its state and what became of its steps.

use signoff_api::approval::ApprovalStatus;
use signoff_api::comments::Comment;
use signoff_api::plan::{Plan, PlanContext, Planning, Rejection};
use signoff_engine::{ApprovalProgress, PlanState};
use signoff_plan::tools::stop_reasons;

use super::comments::comments_in;
use super::status::{PlanStatus, plan_status};
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::Project;

/// What is known about a plan besides its text.
#[derive(Debug)]
pub struct PlanView {
    /// Its state.
    pub state: PlanState,
    /// Where it stands and why, where there is a store.
    pub status: Option<PlanStatus>,
    /// The shell of contracts that name none.
    pub shell: String,
    /// When a run stops at each step and asks a person.
    pub asks: Vec<Vec<String>>,
}

impl PlanView {
    /// Derives the state of a plan of the project.
    pub fn of(project: &Project, plan: &PlanFile) -> Result<Self, Error> {
        let status = plan_status(project, plan)?;
        Ok(Self {
            state: status.state,
            status: Some(status),
            shell: project.config.contract.shell.value.clone(),
            asks: stop_reasons(&plan.checked.plan, &project.workspace()),
        })
    }

    /// The plan as `show --format json` prints it.
    pub fn to_api(&self, plan: &PlanFile) -> Plan {
        let terms = self.status.as_ref().map(|status| status.terms.to_string());
        let context = PlanContext {
            dialect: plan.checked.dialect.as_str(),
            status: self.state.name(),
            digest: plan.digest().to_string(),
            terms,
            approval: self.approval().map(ApprovalStatus::from),
            rejections: self.rejections(),
            comments: self.comments(plan),
            planning: self.planning(),
            shell: &self.shell,
            step_statuses: self.step_statuses(),
            asks: self.asks.clone(),
        };
        Plan::new(&plan.checked.plan, &context)
    }

    /// Who has signed and who is waited for, where more is asked for than one signature of whomever.
    pub fn approval(&self) -> Option<&ApprovalProgress> {
        self.status.as_ref()?.approval.as_ref()
    }

    /// What the plan's log knows of rejections.
    pub fn rejections(&self) -> Vec<Rejection> {
        let status = self.status.iter();
        let feedback = status.flat_map(|status| status.history.feedback());
        let rejection = |(version, feedback): (Option<u64>, Option<&str>)| Rejection {
            version,
            feedback: feedback.map(str::to_owned),
        };
        feedback.map(rejection).collect()
    }

    /// Which models were asked for the plan, or about it.
    pub fn planning(&self) -> Vec<Planning> {
        let status = self.status.as_ref();
        status.map_or_else(Vec::new, |status| status.history.planning())
    }

    /// What was said about the plan.
    pub fn comments(&self, plan: &PlanFile) -> Vec<Comment> {
        let status = self.status.as_ref();
        let comments = status.map(|status| comments_in(&status.history, plan));
        comments.unwrap_or_default()
    }

    /// What became of each step, in plan order; nothing where no run of the plan is known.
    pub fn step_statuses(&self) -> Vec<&'static str> {
        let Some(view) = self.status.as_ref().and_then(|status| status.view.as_ref()) else {
            return Vec::new();
        };
        (0..view.run.plan().steps.len())
            .map(|at| view.run.displayed_status(at, view.driven))
            .map(signoff_api::event::step_status)
            .collect()
    }
}

/// The state of a plan that no store knows.
pub fn unsigned_state(plan: &PlanFile) -> PlanState {
    if plan.checked.errors() > 0 {
        PlanState::Draft
    } else {
        PlanState::Verified
    }
}
