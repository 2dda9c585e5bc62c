//! `plan`: a draft of a plan, by a model.

mod report;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use signoff_engine::Verdict;
use signoff_llm::{DraftEnd, DraftReport, DraftedPlan, Memory, Objection, PlanningContext, Round};
use signoff_runtime::plan_file::{PlanFile, read_stream};
use signoff_runtime::planning::{
    DraftObserver, DraftOptions, DraftOrigin, KeptDraft, Model, ModelPurpose, criticize, draft,
    finished, first_prompt, keep_draft, planning_context,
};
use signoff_runtime::plans::ActorContext;
use signoff_runtime::project::Project;
use signoff_runtime::{
    ContractTrial, Error, QuestionStop, SystemClock, require_trials, try_contracts,
};
use signoff_sandbox::start_thread;

pub(crate) use self::report::round_lines;
use self::report::{Told, begins, contract_lines, critique_lines, tell};
use crate::agent_check::actor;
use crate::args::PlanTask;
use crate::failure::Failure;
use crate::new_files;
use crate::session::Session;
use crate::style::sanitize;

/// Bytes of a file that a planner is shown.
const LARGEST: usize = 64 * 1024;

pub(crate) fn plan(session: &mut Session, args: &PlanTask) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = SystemClock::new();
    let options = DraftOptions {
        task: task(&args.task)?,
        dialect: args.dialect,
        memories: files(session, &args.memory)?,
        existing_code: files(session, &args.code)?,
        constraints: args.constraint.clone(),
    };
    let context = planning_context(&project, &options, &clock)?;
    if args.dry_run {
        let prompt = first_prompt(&project, &context)?;
        session.out.write_unredacted(prompt.as_bytes());
        return Ok(0);
    }
    require_free(session, args)?;
    if args.try_contracts {
        require_trials(&project)?;
    }
    let (mut model, rounds) = begin(session, &project, args.agent.as_deref())?;
    let out = RefCell::new(&mut *session);
    let mut observe = |round: &Round| say_all(&out, &round_lines(round, rounds));
    let mut review = |plan: &DraftedPlan| {
        let tried = args.try_contracts.then(|| {
            say_all(&out, &contract_lines(plan));
            try_contracts(&project, &plan.checked.plan)
        });
        tried.map_or_else(Vec::new, objections)
    };
    let observer = DraftObserver {
        round: &mut observe,
        review: &mut review,
    };
    let report = draft(&project, &mut model, &context, observer)?;
    let kept = keep(session, &project, args, &report, &context)?;
    if let Some(kept) = kept.as_ref().filter(|_| report.end == DraftEnd::Clean) {
        let actor = actor_context(session, &project, &clock);
        criticize_draft(session, actor, &kept.plan, &context.task)?;
    }
    let told = Told {
        model: &model,
        report: &report,
        kept: kept.as_ref(),
    };
    tell(session, &told)
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
        session.out.say(begins(&model, rounds));
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

fn actor_context<'a>(
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

/// What is wrong with contracts that were tried: those that hold already. One that could not be tried is no fault of
/// the planner, and the person learns of it when the plan runs.
fn objections(tried: Result<Vec<ContractTrial>, Error>) -> Vec<Objection> {
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

/// The request, as it was typed or from stdin.
fn task(typed: &str) -> Result<String, Failure> {
    if typed != "-" {
        return Ok(typed.to_owned());
    }
    let read = read_stream(std::io::stdin().lock());
    let bytes = read.map_err(|why| Failure::new(6, "unreadable", format!("stdin: {why}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::new(2, "not-utf8", "the task is not UTF-8"))
}

fn files(session: &Session, paths: &[PathBuf]) -> Result<Vec<Memory>, Failure> {
    let read = |path: &PathBuf| {
        let shown = path.display();
        let failed = |why: String| Failure::new(6, "unreadable", format!("{shown}: {why}"));
        let bytes = std::fs::read(session.process.directory.join(path));
        let bytes = bytes.map_err(|why| failed(why.to_string()))?;
        if bytes.len() > LARGEST {
            let (found, limit) = (bytes.len() / 1024, LARGEST / 1024);
            let message = format!("it has {found} KB, and a planner is shown at most {limit} KB");
            return Err(failed(message).hint("give it an excerpt"));
        }
        let text = String::from_utf8(bytes);
        Ok(Memory {
            name: shown.to_string(),
            text: text.map_err(|_| failed("it is not UTF-8".to_owned()))?,
        })
    };
    paths.iter().map(read).collect()
}

/// Refuses before anybody is asked what could not be written afterwards.
fn require_free(session: &Session, args: &PlanTask) -> Result<(), Failure> {
    let Some(output) = args.output.as_ref().filter(|_| !args.force) else {
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
fn keep(
    session: &Session,
    project: &Project,
    args: &PlanTask,
    report: &DraftReport,
    context: &PlanningContext,
) -> Result<Option<KeptDraft>, Failure> {
    let Some(draft) = &report.plan else {
        return Ok(None);
    };
    let origin = DraftOrigin {
        person: &project.process.person,
        context,
        model: report.usage.model.as_deref(),
    };
    let Some(output) = &args.output else {
        let clock = SystemClock::new();
        let actor = actor_context(session, project, &clock);
        return Ok(Some(keep_draft(actor, draft, &origin)?));
    };
    let source = finished(draft, &origin, None);
    let target = session.process.directory.join(output);
    let text = source.text().to_owned();
    new_files::write(&target, output, &[(String::new(), text)], args.force)?;
    Ok(Some(written(project, &target, output)?))
}

fn written(project: &Project, target: &Path, shown: &Path) -> Result<KeptDraft, Failure> {
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
            stop.stop();
        }
    })?;
    Ok(())
}
