//! Contracts that the source lacks, proposed by the planner.

use std::cell::RefCell;

use signoff_api::import::{ContractProposal, ProposedContract};
use signoff_api::plan_log::PlanningTask;
use signoff_engine::Actor;
use signoff_plan::model::Plan;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::planning::{
    ContractsReport, ModelRequest, propose_contracts, record_planning, steps_without_contract,
};
use signoff_runtime::plans::ActorContext;
use signoff_runtime::{SystemClock, require_trials, try_contracts};

use crate::args::Import;
use crate::commands::write::plan::{begin, contract_lines, objections, say_all, usage_text};
use crate::failure::Failure;
use crate::report::count::count;
use crate::session::Session;
use crate::style::{CARE, GOOD, paint, sanitize};

/// What was asked, and whom.
pub(super) struct ContractQuestion {
    pub(super) report: ContractsReport,
    agent: String,
}

impl ContractQuestion {
    /// Writes into the plan's log what the planner used, once the plan is there.
    pub(super) fn record(&self, session: &Session, plan: &PlanFile) -> Result<(), Failure> {
        let project = session.project()?;
        let context = ActorContext {
            project: &project,
            actor: Actor::Planner,
            clock: &SystemClock::new(),
        };
        let asked = ModelRequest {
            task: PlanningTask::Contracts,
            by: &self.agent,
            rounds: self.report.rounds,
            usage: &self.report.usage,
        };
        Ok(record_planning(context, plan, asked)?)
    }

    pub(super) fn to_api(&self) -> ContractProposal {
        let ContractsReport {
            proposed, usage, ..
        } = &self.report;
        let contracts = proposed.iter().map(|one| ProposedContract {
            step: one.step.clone(),
            command: one.command.clone(),
            why: one.why.clone(),
        });
        ContractProposal {
            agent: self.agent.clone(),
            model: usage.model.clone(),
            tokens: usage.tokens,
            usd_e6: usage.usd_e6,
            contracts: contracts.collect(),
        }
    }
}

/// Asks for the contracts of a draft; `None` if it lacks none.
pub(super) fn ask_for_contracts(
    session: &mut Session,
    args: &Import,
    plan: &PlanFile,
) -> Result<Option<ContractQuestion>, Failure> {
    let open = steps_without_contract(&plan.checked.plan);
    if open.is_empty() {
        return Ok(None);
    }
    let project = session.project()?;
    if args.try_contracts {
        require_trials(&project)?;
    }
    let (mut model, _) = begin(session, &project, args.agent.as_deref())?;
    let out = RefCell::new(&mut *session);
    let mut review = |plan: &Plan| {
        let tried = args.try_contracts.then(|| {
            say_all(&out, &contract_lines(plan));
            try_contracts(&project, plan)
        });
        tried.map_or_else(Vec::new, objections)
    };
    let clock = SystemClock::new();
    let report = propose_contracts(&project, &mut model, plan, &clock, &mut review);
    let report = report.map_err(|error| {
        Failure::from(error)
            .hint("nothing was write_draft; lines_without `--plan` the contracts stay open")
    })?;
    say_all(&out, &lines(&report));
    Ok(Some(ContractQuestion {
        report,
        agent: model.name().to_owned(),
    }))
}

fn lines(report: &ContractsReport) -> Vec<String> {
    let found = report.proposed.iter().filter(|one| one.command.is_some());
    let contracts = count(found.count(), "contract");
    let used = usage_text(&report.usage);
    let mut lines = vec![format!(
        "{} by the planner, as drafts for you to read{used}:",
        paint(GOOD, format!("{contracts} proposed"))
    )];
    for one in &report.proposed {
        let (step, why) = (sanitize(&one.step), sanitize(&one.why));
        lines.push(match &one.command {
            Some(_) => format!("  {step}: {why}"),
            None => format!("  {step}: {} {why}", paint(CARE, "left open:")),
        });
    }
    lines
}
