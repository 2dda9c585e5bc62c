//! `plan`: a draft of a plan, by a model.

mod expand;
mod interview;
mod report;
mod request;

use std::cell::RefCell;
use std::path::Path;

use signoff_api::plan_log::PlanningTask;
use signoff_engine::Verdict;
use signoff_llm::{DraftEnd, DraftReport, DraftedPlan, Objection, PlanningContext, Round};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::planning::{
    DraftObserver, DraftOrigin, KeptDraft, Model, ModelPurpose, ModelRequest, criticize, draft,
    finished, first_prompt, keep_draft, planning_context, record_planning, remove_request,
};
use signoff_runtime::plans::ActorContext;
use signoff_runtime::project::{Project, require_role};
use signoff_runtime::{
    Clock as _, ContractTrial, Error, QuestionStop, SystemClock, require_trials, timestamp,
    try_contracts,
};
use signoff_sandbox::start_thread;

use self::interview::{InterviewEnd, hold_interview, take_up};
use self::report::{DraftSummary, critique_lines, opening_line, print_summary, tell_waiting};
pub(crate) use self::report::{contract_lines, round_lines, usage_text};
use self::request::Planning;
use crate::agent_check::actor;
use crate::args::PlanTask;
use crate::failure::Failure;
use crate::new_files;
use crate::session::Session;
use crate::style::sanitize;

pub(crate) fn plan(session: &mut Session, args: &PlanTask) -> Result<u8, Failure> {
    if let Some(name) = &args.expand {
        return self::expand::expand(session, name, args.dry_run);
    }
    let project = session.project()?;
    let clock = SystemClock::new();
    let actor = actor_context(session, &project, &clock);
    let planning = match &args.resume {
        None => Planning::from_arguments(session, args)?,
        Some(id) => {
            let waiting = take_up(session, actor, id)?;
            if waiting.open().next().is_some() {
                return Ok(tell_waiting(session, &waiting, None));
            }
            Planning::from_answers(&waiting)?
        }
    };
    if let Some(role) = &planning.agent {
        require_role(&project, role)?;
    }
    let mut context = planning_context(&project, &planning.options, &clock)?;
    context.answers.clone_from(&planning.answers);
    if args.dry_run {
        let prompt = first_prompt(&project, &context, args.interview)?;
        session.out.write_unredacted(prompt.as_bytes());
        return Ok(0);
    }
    require_free(session, &planning)?;
    if planning.try_contracts {
        require_trials(&project)?;
    }
    let (mut model, rounds) = begin(session, &project, planning.agent.as_deref())?;
    let mut asked = planning.used.clone();
    if args.interview {
        match hold_interview(session, actor, &mut model, &context, &planning)? {
            InterviewEnd::Answered { answers, usage } => {
                context.answers = answers;
                asked.add(&usage);
            }
            InterviewEnd::Parked(parked) => {
                return Ok(tell_waiting(session, &parked, Some(&model)));
            }
        }
    }
    let mut report = draft_and_try(session, &project, &mut model, rounds, &planning, &context)?;
    report.usage.add(&asked);
    let kept = keep_plan(session, &project, &planning, &report, &context)?;
    if let Some(kept) = &kept {
        record_draft(actor, kept, &model, &report)?;
        if report.end == DraftEnd::Clean {
            criticize_draft(session, actor, &kept.plan, &context.task)?;
        }
        if let Some(id) = &args.resume {
            remove_request(&project, id)?;
        }
    }
    let told = DraftSummary {
        model: &model,
        report: &report,
        kept: kept.as_ref(),
    };
    print_summary(session, &told)
}

/// Asks for a draft until the checks have nothing to mend, and tries its contracts if that is wanted.
fn draft_and_try(
    session: &mut Session,
    project: &Project,
    model: &mut Model<'_>,
    rounds: u32,
    planning: &Planning,
    context: &PlanningContext,
) -> Result<DraftReport, Failure> {
    let out = RefCell::new(session);
    let mut observe = |round: &Round| say_all(&out, &round_lines(round, rounds));
    let mut review = |plan: &DraftedPlan| {
        let tried = planning.try_contracts.then(|| {
            say_all(&out, &contract_lines(&plan.checked.plan));
            try_contracts(project, &plan.checked.plan)
        });
        tried.map_or_else(Vec::new, objections)
    };
    let observer = DraftObserver {
        round: &mut observe,
        review: &mut review,
    };
    Ok(draft(project, model, context, observer)?)
}

/// Records in the plan's log what the draft took.
fn record_draft(
    actor: ActorContext<'_>,
    kept: &KeptDraft,
    model: &Model<'_>,
    report: &DraftReport,
) -> Result<(), Failure> {
    let asked = ModelRequest {
        task: PlanningTask::Draft,
        by: model.name(),
        rounds: u32::try_from(report.rounds.len()).unwrap_or(u32::MAX),
        usage: &report.usage,
    };
    Ok(record_planning(actor, &kept.plan, asked)?)
}

/// Says whom it asks, and lets Ctrl-C end that. Returns the planner, and how often it is asked at most.
pub(crate) fn begin<'a>(
    session: &mut Session,
    project: &'a Project,
    role: Option<&str>,
) -> Result<(Model<'a>, u32), Failure> {
    let stop = QuestionStop::default();
    let model = Model::planner(project, role, stop.clone())?;
    let rounds = project.config.llm.max_rounds.value;
    if !session.is_json() {
        session.out.say(opening_line(&model, rounds));
    }
    forward_signals(stop)
        .map_err(|why| Failure::new(6, "signals", format!("signals cannot be received: {why}")))?;
    Ok((model, rounds))
}

/// Lets the critic of `[llm]`, if there is one, read a draft. Without its answer the draft is as good as before.
pub(crate) fn criticize_draft(
    session: &mut Session,
    context: ActorContext<'_>,
    plan: &PlanFile,
    task: &str,
) -> Result<(), Failure> {
    let stop = QuestionStop::default();
    let critic = Model::choose(context.project, ModelPurpose::Critic, stop.clone())?;
    let Some(mut critic) = critic else {
        return Ok(());
    };
    if !session.is_json() {
        let who = sanitize(&critic.description());
        session.out.say(format!("asking the critic {who}"));
    }
    forward_signals(stop)
        .map_err(|why| Failure::new(6, "signals", format!("signals cannot be received: {why}")))?;
    match criticize(context, &mut critic, plan, task) {
        Ok(report) => {
            for line in critique_lines(&report) {
                session.out.say(line);
            }
        }
        Err(error) => {
            let why = Failure::from(error).message;
            let note = format!("note: the critic gave no answer: {}", sanitize(&why));
            session.out.say(note);
        }
    }
    Ok(())
}

pub(super) fn actor_context<'a>(
    session: &Session,
    project: &'a Project,
    clock: &'a SystemClock,
) -> ActorContext<'a> {
    ActorContext {
        project,
        actor: actor(&session.process.variables),
        clock,
    }
}

pub(crate) fn say_all(session: &RefCell<&mut Session>, lines: &[String]) {
    let mut session = session.borrow_mut();
    if !session.is_json() {
        for line in lines {
            session.out.say(line);
        }
    }
}

/// What is wrong with contracts that were tried: those that hold already. One that could not be tried is not the fault of
/// the planner, and the person learns of it when the plan runs.
pub(crate) fn objections(tried: Result<Vec<ContractTrial>, Error>) -> Vec<Objection> {
    let green = |trial: ContractTrial| {
        let (step, holds) = (trial.step, trial.verdict == Verdict::Pass);
        let message = format!(
            "the contract of step `{step}` holds already, before any work: write one that fails now"
        );
        holds.then(|| Objection::new(message))
    };
    match tried {
        Ok(tried) => tried.into_iter().filter_map(green).collect(),
        Err(error) => vec![Objection {
            is_blocking: false,
            ..Objection::new(format!(
                "the contracts could not be tried: {}",
                Failure::from(error).message
            ))
        }],
    }
}

/// Refuses before anybody is asked what could not be written afterwards.
fn require_free(session: &Session, planning: &Planning) -> Result<(), Failure> {
    let Some(output) = planning.output.as_ref().filter(|_| !planning.force) else {
        return Ok(());
    };
    if session
        .process
        .directory
        .join(output)
        .symlink_metadata()
        .is_ok()
    {
        return Err(new_files::exists(output));
    }
    Ok(())
}

/// Keeps the plan, if there is one: in the store, or where the person wants it.
fn keep_plan(
    session: &Session,
    project: &Project,
    planning: &Planning,
    report: &DraftReport,
    context: &PlanningContext,
) -> Result<Option<KeptDraft>, Failure> {
    let Some(draft) = &report.plan else {
        return Ok(None);
    };
    let at = timestamp(SystemClock::new().now());
    let origin = DraftOrigin {
        at: &at,
        person: &project.process.person,
        context,
        model: report.usage.model.as_deref(),
    };
    let Some(output) = &planning.output else {
        let clock = SystemClock::new();
        let actor = actor_context(session, project, &clock);
        return Ok(Some(keep_draft(actor, draft, &origin)?));
    };
    let source = finished(draft, &origin, None);
    let target = session.process.directory.join(output);
    let text = source.text().to_owned();
    new_files::write(&target, output, &[(String::new(), text)], planning.force)?;
    Ok(Some(write_draft(project, &target, output)?))
}

fn write_draft(project: &Project, target: &Path, shown: &Path) -> Result<KeptDraft, Failure> {
    let name = shown.display().to_string();
    Ok(KeptDraft {
        plan: PlanFile::read(target, &name, &project.workspace())?,
        name,
        notes: Vec::new(),
    })
}

/// Lets Ctrl-C and termination signals end the agent.
fn forward_signals(stop: QuestionStop) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
    start_thread("signoff-signals", move || {
        for _ in signals.forever() {
            stop.stop_agents();
        }
    })?;
    Ok(())
}
