//! Begins a run here that other machines go on with, and follows it.

use std::sync::Arc;

use signoff_distributed::{ClusterError, Database, client};
use signoff_engine::PauseReason;
use signoff_plan::model::Plan;
use signoff_runtime::drive::{Observe as _, StopReason};
use signoff_runtime::live::hand_over::reasons_against;
use signoff_runtime::live::{PreparedRun, RunOptions, RunReport};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::Project;
use signoff_runtime::remote_runs::bring_marks;
use signoff_runtime::runs::follow::{Follow, FollowState, TICK};
use signoff_runtime::runs::view::RunView;
use signoff_runtime::signing::proof::{SignatureCheck, valid_signature_for_run};
use signoff_store::config::Isolation;

use crate::agent_check::actor;
use crate::commands::running::accept_level::asking_to_accept;
use crate::commands::running::run::{announce, conclude};
use crate::commands::sign::approve::show_problems;
use crate::failure::Failure;
use crate::report::run::reporter::RunReporter;
use crate::report::signature::signed_line;
use crate::session::Session;
use crate::style::{GOOD, paint};

/// How a problem with other machines is reported.
pub(super) fn failure(error: ClusterError) -> Failure {
    match error {
        ClusterError::Runtime(error) => (*error).into(),
        ClusterError::NotMigrated => Failure::new(6, "not-migrated", error.to_string())
            .hint("`signoff worker --migrate` makes them"),
        ClusterError::Unfit(why) => {
            let failure =
                Failure::new(6, "not-shared", "the run cannot be shared between machines");
            why.into_iter().fold(failure, Failure::hint)
        }
        error => Failure::new(6, "engine", error.to_string()),
    }
}

/// The database that the configuration or `--engine` names.
pub(super) fn database(url: Option<&str>) -> Result<Database, Failure> {
    let url = url.ok_or_else(|| {
        Failure::new(6, "no-engine", "no shared database is configured")
            .hint("pass `--engine postgres://…` or set `[engine] url` in your own configuration")
    })?;
    Database::connect(url).map_err(failure)
}

/// Starts a run of a signed plan, and hands it over.
pub(crate) fn start(
    session: &mut Session,
    project: &Project,
    plan: &PlanFile,
    options: &RunOptions,
) -> Result<u8, Failure> {
    if options.limit.is_some() {
        let reason = "`--until` and `--only` hold for one process, and others drive this run";
        return Err(failure(ClusterError::Unfit(vec![reason.to_owned()])));
    }
    let database = ready_for(project, &plan.checked.plan)?;
    let clock = signoff_runtime::SystemClock::new();
    let actor = actor(&session.process.variables);
    let options = RunOptions {
        isolation: Some(Isolation::Worktree),
        ..options.clone()
    };
    let prepared = asking_to_accept(session, project, || {
        PreparedRun::start(project, plan, actor, &options, &clock)
    });
    let prepared = prepared.map_err(|error| show_problems(session, error))?;
    announce(session, project, &prepared);
    hand_over(session, project, &database, prepared, &options)
}

/// Has other machines go on with a run that stands still here.
pub(crate) fn move_run(
    session: &mut Session,
    project: &Project,
    run: &str,
    options: &RunOptions,
) -> Result<u8, Failure> {
    let database = ready_for(project, RunView::load(project, run)?.run.plan())?;
    let clock = signoff_runtime::SystemClock::new();
    let actor = actor(&session.process.variables);
    let prepared = PreparedRun::resume(project, run, actor, options, &clock)?;
    hand_over(session, project, &database, prepared, options)
}

/// The database, if the plan can be carried out by several machines and they could be handed it.
fn ready_for(project: &Project, plan: &Plan) -> Result<Database, Failure> {
    let reasons = reasons_against(project, plan);
    if !reasons.is_empty() {
        return Err(failure(ClusterError::Unfit(reasons)));
    }
    let database = database(project.config.engine.url.value.address())?;
    database.require_migrated().map_err(failure)?;
    client::remote_of(project).map_err(failure)?;
    Ok(database)
}

fn hand_over(
    session: &mut Session,
    project: &Project,
    database: &Database,
    prepared: PreparedRun<'_>,
    options: &RunOptions,
) -> Result<u8, Failure> {
    let run = prepared.begin_for_others()?;
    client::hand_over(database, project, &run).map_err(failure)?;
    if !session.is_json() {
        session.out.say(format!(
            "{} to the machines at {}: `signoff log {} --follow` shows what happens, `signoff inbox` what waits on you",
            paint(GOOD, "handed over"),
            project.config.engine.url.value,
            run.id
        ));
    }
    if options.detach {
        if session.is_json() {
            session.json(&RunView::load(project, &run.id)?.to_api());
        }
        return Ok(0);
    }
    follow(session, project, &run.id)
}

/// Shows a run that other machines drive until it ends or waits, as if it ran here.
pub(crate) fn follow(session: &mut Session, project: &Project, run: &str) -> Result<u8, Failure> {
    let mut follow = Follow::of(project, run)?;
    let mut reporter = RunReporter::new(session, project);
    loop {
        let mut told = Ok(());
        let then = follow.read_new(|state, recorded| {
            if told.is_ok() {
                told = reporter.event(state, recorded);
            }
        })?;
        told?;
        if then == FollowState::Over {
            break;
        }
        std::thread::sleep(TICK);
    }
    if let Some(last) = reporter.end() {
        session.json(&last);
    }
    let view = RunView::load(project, run)?;
    let stopped = match (view.run.outcome(), view.run.pause_reason()) {
        (Some(outcome), _) => StopReason::Finished(outcome),
        (None, Some(PauseReason::Waiting)) => StopReason::Waiting,
        (None, Some(reason)) => StopReason::Paused(reason),
        (None, None) => StopReason::Interrupted,
    };
    let marked = bring_marks(project, run, &signoff_runtime::SystemClock::new())?;
    if let Some(trouble) = problem_of_run(project, run)? {
        session.out.say(format!("trouble: {trouble}"));
    }
    let dir = project.store.run_dir(run);
    let signed = match valid_signature_for_run(project, &view.key, &dir, view.run.signed_plan())? {
        SignatureCheck::Valid(signature) => signed_line(&signature),
        SignatureCheck::Waiting(_) | SignatureCheck::Missing(_) => String::new(),
    };
    let plan = view.key.clone();
    let report = RunReport {
        stopped,
        landing: None,
        run: Arc::unwrap_or_clone(view.run),
        trouble: marked,
        notes: Vec::new(),
    };
    conclude(session, run, &plan, &report, signed)
}

/// What is wrong with the run, as the machines say.
fn problem_of_run(project: &Project, run: &str) -> Result<Option<String>, Failure> {
    let database = database(project.config.engine.url.value.address())?;
    let row = database.run(run).map_err(failure)?;
    Ok(row.and_then(|row| row.trouble))
}
