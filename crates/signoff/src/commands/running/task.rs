//! `run --task`: runs a single task without a plan file.

use signoff_engine::PlanState;
use signoff_runtime::SystemClock;
use signoff_runtime::live::RunOptions;
use signoff_runtime::plans::{ApproveOptions, TaskOptions, propose_task};

use crate::args::Run;
use crate::commands::running::run::start;
use crate::commands::sign::approve::{show_problems, sign_off};
use crate::commands::sign::by_person;
use crate::failure::Failure;
use crate::report::plan::plan_lines;
use crate::session::Session;
use crate::style::{CARE, DIM, paint};

/// Makes a plan from the task, shows it, signs it and runs it.
pub(crate) fn run_task(session: &mut Session, args: &Run, task: &str) -> Result<u8, Failure> {
    // Before anything is written: without the right to sign, the plan would be useless.
    session.require_person("sign a plan")?;
    let project = session.project()?;
    let quick = TaskOptions {
        task,
        role: args.agent.as_deref(),
        contract: args.contract.as_deref(),
    };
    let clock = SystemClock::new();
    let done = propose_task(by_person(&project, &clock), quick)
        .map_err(|error| show_problems(session, error))?;
    for note in &done.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    let key = done.key.clone();
    if !session.is_json() {
        let name = done.plan.source.name();
        session.out.say(paint(DIM, format!("{key} ({name})")));
        for line in plan_lines(&done.plan.checked.plan, &[], &[]) {
            session.out.say(line);
        }
        session.out.say("");
    }
    let plan = if done.state == PlanState::Approved {
        done.plan
    } else {
        let options = ApproveOptions {
            proof: session.proof,
            ..ApproveOptions::default()
        };
        let kept = |failure: Failure| {
            failure.hint(format!(
                "the plan stays in the store: `signoff run {key} --approve`, or `signoff delete {key}`"
            ))
        };
        let (approved, _) = sign_off(session, &project, &done.plan, &options).map_err(kept)?;
        approved.done.plan
    };
    let stays = |failure: Failure| failure.hint(format!("{key} stays approved"));
    start(session, &project, plan, &RunOptions::from(args)).map_err(stays)
}
