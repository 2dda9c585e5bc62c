//! `run`: runs a signed plan.

use std::path::Path;

use signoff_api::event::StreamedEvent;
use signoff_engine::{Outcome, PauseReason, PlanState, Redo};
use signoff_runtime::Error;
use signoff_runtime::confinement::levels::check;
use signoff_runtime::drive::{NoPerson, Person, StopReason};
use signoff_runtime::live::landing::LandingReport;
use signoff_runtime::live::rehearsal::require_startable;
use signoff_runtime::live::{PreparedRun, RunLimit, RunOptions, RunReport};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::status::plan_status;
use signoff_runtime::plans::{ActorContext, ApproveOptions, changed_run, sign_by_policy};
use signoff_runtime::project::Project;
use signoff_runtime::project::uncommitted::{left_out, uncommitted_files};
use signoff_runtime::runs::names::run_named;
use signoff_runtime::runs::view::RunView;
use signoff_sandbox::start_thread;

use crate::agent_check::actor;
use crate::args::{Run, RunLimits};
use crate::commands::running::accept_level::asking_to_accept;
use crate::commands::running::ask::person_at_terminal;
use crate::commands::running::detach::detach;
use crate::commands::running::dry_run::dry_run;
use crate::commands::running::land;
use crate::commands::running::resume::resume;
use crate::commands::running::task::run_task;
use crate::commands::share;
use crate::commands::sign::approve::{show_problems, sign_off};
use crate::commands::sign::{by_person, locate_plan};
use crate::failure::{Failure, held_hints, no_step};
use crate::report::count::count_of;
use crate::report::problems::text::for_signer;
use crate::report::run::forecast::forecast_lines;
use crate::report::run::opening::{OpeningContext, opening};
use crate::report::run::reporter::RunReporter;
use crate::report::run::table::table;
use crate::report::signature::signed_line;
use crate::services;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, ERROR, GOOD, HINT, paint, sanitize};
use crate::terminal::Stream;

/// Columns and rows of output that does not go to a terminal.
const PAGE: (usize, usize) = (100, 40);

pub(crate) fn run(session: &mut Session, args: &Run) -> Result<u8, Failure> {
    if let Some(task) = &args.task {
        return run_task(session, args, task);
    }
    let project = session.project()?;
    if let Some(run) = &args.from {
        return hand_over(session, &project, run, &RunOptions::from(args));
    }
    let named = args.path.as_ref().expect("clap requires a plan or a task");
    let (path, name) = locate_plan(&project, &named.to_string_lossy())?;
    let plan = PlanFile::read(&path, &name, &project.workspace())?;
    let run_options = RunOptions::from(args);
    require_known_step(&run_options, &plan)?;
    if args.preview {
        return dry_run(session, &project, &plan, &run_options, args.approve);
    }
    // Before the plan is signed, because a run would not start anyway.
    if plan.checked.errors() == 0 {
        asking_to_accept(session, &project, || {
            check(&project, &plan, run_options.isolation)
        })?;
    }
    let needs_signature = |state| match state {
        PlanState::Approved => false,
        // It is signed as it is.
        PlanState::Completed => !args.again,
        _ => true,
    };
    if args.approve && needs_signature(plan_status(&project, &plan)?.state) {
        let clock = signoff_runtime::SystemClock::new();
        let options = ApproveOptions {
            proof: session.proof,
            ..ApproveOptions::default()
        };
        if let Some(during) = changed_run(&project, &plan)? {
            return Err(unfinished_run(&name, &during.run));
        }
        session.require_person("sign a plan")?;
        // Nothing is signed that could not start.
        let context = by_person(&project, &clock);
        require_startable(context, &plan, &run_options, true)
            .map_err(|error| show_problems(session, error))?;
        sign_off(session, &project, &plan, &options)?;
    } else {
        say_concerns(session, &plan);
        if let Some(note) = plan_status(&project, &plan)?.disagreement(plan.source.name()) {
            session.out.say(format!("{} {note}", paint(CARE, "note:")));
        }
        sign_by_policy_if_due(session, &project, &plan)?;
    }
    // Other machines go on with it instead.
    if args.detach && services::sharing_project(&project).is_none() {
        return detach(session, &project, args, &named.to_string_lossy());
    }
    start(session, &project, plan, &run_options)
}

/// Has other machines go on with a run that stands still here.
fn hand_over(
    session: &mut Session,
    project: &Project,
    run: &str,
    options: &RunOptions,
) -> Result<u8, Failure> {
    session.require_person("move a run to other machines")?;
    let Some(shared) = services::sharing_project(project) else {
        return Err(Failure::new(
            6,
            "no-engine",
            "no database is named that machines could share",
        )
        .hint(
            "name it with `--engine postgres://…`, or as `[engine] url` in your own configuration",
        ));
    };
    let run = run_named(project, run)?;
    share::move_run(session, &shared, &run, options)
}

impl From<&Run> for RunOptions {
    fn from(args: &Run) -> Self {
        Self {
            isolation: args.isolation.map(Into::into),
            detach: args.detach,
            again: args.again,
            redo: if args.all {
                Redo::Everything
            } else {
                Redo::Changed
            },
            ..Self::from(&args.limits)
        }
    }
}

impl From<&RunLimits> for RunOptions {
    fn from(limits: &RunLimits) -> Self {
        let until = limits.until.clone().map(RunLimit::Until);
        Self {
            jobs: limits.jobs,
            limit: until.or_else(|| limits.only.clone().map(RunLimit::Only)),
            // A resumed run keeps the isolation that it began with, and what it kept.
            ..Self::default()
        }
    }
}

/// Refuses a `--until` or `--only` step that the plan does not have, before anything is signed.
fn require_known_step(options: &RunOptions, plan: &PlanFile) -> Result<(), Failure> {
    let Some(RunLimit::Until(step) | RunLimit::Only(step)) = &options.limit else {
        return Ok(());
    };
    let plan = &plan.checked.plan;
    match plan.step_by_id_or_number(step) {
        // A plan without steps is refused later, for that reason.
        None if !plan.steps.is_empty() => {
            let known = plan.steps.iter().map(|step| step.id.as_str());
            Err(no_step(step, known))
        }
        None | Some(_) => Ok(()),
    }
}

/// The failure for a plan whose run has stopped because the plan changed: that run continues, and no other starts.
fn unfinished_run(plan: &str, run: &str) -> Failure {
    let name = shell_word(plan);
    Failure::new(5, "state", format!("run {run} of {plan} has not ended"))
        .hint(format!(
            "to continue with the plan as it is now: `signoff approve {name}`, then `signoff resume {run}`"
        ))
        .hint(format!(
            "to start from scratch: `signoff abort {run}`, then `signoff run {name} --approve`"
        ))
}

/// Says what a person must know before a signed plan runs here. Who signs it now is told anyway.
pub(crate) fn say_concerns(session: &mut Session, plan: &PlanFile) {
    if session.is_json() {
        return;
    }
    let found = plan.checked.diagnostics.iter();
    for problem in found.filter(|problem| problem.code.concerns_running()) {
        session.out.say(for_signer(problem, &plan.source));
    }
}

/// Signs a plan by policy, if the policy allows that and nobody has signed it.
fn sign_by_policy_if_due(
    session: &mut Session,
    project: &Project,
    plan: &PlanFile,
) -> Result<(), Failure> {
    let context = ActorContext {
        project,
        actor: actor(&session.process.variables),
        clock: &signoff_runtime::SystemClock::new(),
    };
    let signed = sign_by_policy(context, plan).map_err(|error| show_problems(session, error))?;
    if let Some(note) = signed.and_then(|approved| approved.signature.note)
        && !session.is_json()
    {
        session
            .out
            .say(format!("{} by policy: {note}", paint(GOOD, "signed")));
    }
    Ok(())
}

/// Starts a run of a signed plan and drives it.
pub(crate) fn start(
    session: &mut Session,
    project: &Project,
    plan: PlanFile,
    options: &RunOptions,
) -> Result<u8, Failure> {
    if let Some(shared) = services::sharing_project(project) {
        return share::start(session, &shared, &plan, options);
    }
    let clock = signoff_runtime::SystemClock::new();
    let actor = actor(&session.process.variables);
    let prepared = asking_to_accept(session, project, || {
        PreparedRun::start(project, &plan, actor, options, &clock)
    });
    let prepared = prepared.map_err(|error| show_problems(session, error))?;
    // The run has what it needs of it, and may take hours.
    drop(plan);
    drive(session, project, prepared)
}

/// Drives a run until it ends or stops, and prints the result.
pub(crate) fn drive(
    session: &mut Session,
    project: &Project,
    prepared: PreparedRun<'_>,
) -> Result<u8, Failure> {
    let (id, plan) = (prepared.id().to_owned(), prepared.plan_name().to_owned());
    announce(session, project, &prepared);
    let signed = signed_line(prepared.signature());
    let at_terminal = person_at_terminal(session, project, prepared.worktrees());
    let mut reporter = RunReporter::new(session, project);
    let mut person: Box<dyn Person> = match at_terminal {
        Some(person) => Box::new(person.with_screen(reporter.screen())),
        None => Box::new(NoPerson),
    };
    let ran = prepared.drive(&mut reporter, person.as_mut(), forward_signals);
    // Remove the live lines before printing anything else.
    if let Some(last) = reporter.end() {
        let landing = ran.as_ref().ok().and_then(|ran| ran.landing.as_ref());
        session.json(&StreamedEvent {
            landing: landing.map(land::to_api),
            ..last
        });
    }
    let ran = ran.map_err(|error| run_failure(error, project, &id))?;
    for note in &ran.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    if matches!(ran.stopped, StopReason::Paused(PauseReason::Replanned)) {
        let line = "the policy signed the new version; continuing under it";
        session.out.say(format!("{} {line}", paint(CARE, "note:")));
        return resume(session, Some(&id), &RunOptions::default());
    }
    conclude(session, &id, &plan, &ran, signed)
}

/// The failure of a run that an error interrupted, with a hint how to continue.
fn run_failure(error: Error, project: &Project, run: &str) -> Failure {
    let says_how = matches!(
        error,
        Error::Changed { .. } | Error::ChangedDuring { .. } | Error::HarnessTrouble { .. }
    );
    let failure = Failure::from(error);
    // A run that had not begun left nothing.
    let view = match RunView::load(project, run) {
        Ok(view) if !says_how => view,
        Ok(_) | Err(_) => return failure,
    };
    let next = if view.run.outcome().is_some() {
        format!("`signoff land {run}` brings in its changes")
    } else {
        format!("`signoff resume {run}` continues the run")
    };
    let hint = if failure.hints.is_empty() {
        format!("{next} once the cause is gone")
    } else {
        format!("then {next}")
    };
    failure.hint(hint)
}

/// Prints what a person should know before the first step.
pub(crate) fn announce(session: &mut Session, project: &Project, prepared: &PreparedRun<'_>) {
    if session.is_json() {
        return;
    }
    let program = |role: &str| {
        let (_, agent) = project.config.agent_for_role(Some(role))?;
        let program = Path::new(agent.program());
        Some(program.file_name()?.to_string_lossy().into_owned())
    };
    let uncommitted = uncommitted_files(project);
    let large = left_out(project, uncommitted.as_deref().unwrap_or_default());
    let lines = opening(
        prepared.run(),
        &OpeningContext {
            run: prepared.id(),
            workspace: project.store.workspace(),
            settings: prepared.settings(),
            forecast: prepared.forecast(),
            uncommitted,
            program: &program,
            step_timeout: project.config.run.step_timeout.value,
            size: session.out.live_stream().map_or(PAGE, Stream::size),
        },
    );
    session.out.say(lines.join("\n"));
    for line in forecast_lines(prepared.plan(), prepared.forecast()) {
        session.out.say(line);
    }
    if !large.is_empty() {
        let names = sanitize(&large.join("`, `"));
        session.out.say(format!(
            "{} the run leaves out files larger than 2 GiB: `{names}`",
            paint(CARE, "note:")
        ));
    }
    for note in prepared.notes() {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
}

/// Shows how the run ended; returns the exit code.
pub(crate) fn conclude(
    session: &mut Session,
    id: &str,
    plan: &str,
    ran: &RunReport,
    signed: String,
) -> Result<u8, Failure> {
    if let Some(trouble) = &ran.trouble {
        session.out.say(format!(
            "{} could not write marks into the plan's file: {trouble}",
            paint(CARE, "note:")
        ));
    }
    let Conclusion { exit, line } = conclusion(id, plan, &ran.stopped)?;
    if !session.is_json() {
        let columns = session.out.columns();
        let table = table(&ran.run, None, columns);
        session.out.answer_lines(&format!("\n{table}"));
        session.out.answer(format!("  {signed}"));
        // The question may be older than what was shown just now.
        if matches!(ran.stopped, StopReason::Waiting) {
            for item in ran.run.items() {
                let question = sanitize(&item.question);
                session
                    .out
                    .answer(format!("{} {question}", paint(CARE, "?")));
            }
        }
        session.out.answer(line);
        for line in ran.landing.iter().flat_map(landing_lines) {
            session.out.answer(line);
        }
    }
    Ok(exit)
}

/// How a run ended: the exit code, and the line that says so.
struct Conclusion {
    exit: u8,
    line: String,
}

fn conclusion(id: &str, plan: &str, stopped: &StopReason) -> Result<Conclusion, Failure> {
    let resume = || Some(format!("`signoff resume {id}` continues"));
    let (exit, style, word, next) = match stopped {
        StopReason::Finished(Outcome::Completed) => (0, GOOD, "completed", None),
        StopReason::Finished(Outcome::Partial) => {
            let word = "partly completed: steps that are not critical failed";
            (0, CARE, word, None)
        }
        StopReason::Finished(Outcome::Failed) => {
            let next = format!("`signoff resume {id}` retries the failed steps");
            (1, ERROR, "failed", Some(next))
        }
        StopReason::Waiting => {
            let next = "`signoff inbox` shows the questions".to_owned();
            (3, CARE, "waiting on a person", Some(next))
        }
        StopReason::Paused(PauseReason::Limited) => (0, CARE, "paused", resume()),
        // A script that waits for the run must not take it for done.
        StopReason::Paused(_) => (130, CARE, "paused", resume()),
        StopReason::Interrupted => (130, CARE, "stopped", resume()),
        StopReason::Changed(difference) => {
            let (run, plan) = (id.to_owned(), plan.to_owned());
            let difference = Box::new(difference.clone());
            return Err(Error::ChangedDuring {
                run,
                plan,
                difference,
            }
            .into());
        }
    };
    let next = next.map(|next| format!("; {next}")).unwrap_or_default();
    Ok(Conclusion {
        exit,
        line: format!("{}{next}", paint(style, word)),
    })
}

/// The lines about the landing, and what to do if the run did not land.
fn landing_lines(landing: &LandingReport) -> Vec<String> {
    if landing.refused.is_empty() {
        return vec![land::summary(landing)];
    }
    let why = landing.refused.iter().map(|why| format!("  {why}"));
    let what = match landing.held.len() {
        0 => "its changes are not in your checkout yet".to_owned(),
        files => {
            let files = count_of(files, "file is", "files are");
            format!("{files} not in your checkout yet; your versions stay as they are")
        }
    };
    let first = format!("{} {what}", paint(CARE, "note:"));
    let hand = landing.by_hand.iter().take(1);
    let hand = hand.map(|line| format!("`{}` brings them in", sanitize(line)));
    let next = held_hints(landing).into_iter().chain(hand);
    let next = next.map(|line| format!("  {} {line}", paint(HINT, "→")));
    std::iter::once(first).chain(why).chain(next).collect()
}

/// Lets Ctrl-C and termination signals stop the run cleanly, so that it can be resumed.
fn forward_signals(interrupt: signoff_runtime::Interrupt) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    {
        start_thread("signoff-signals", move || {
            for _ in signals.forever() {
                interrupt.send();
            }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use signoff_store::config::Isolation;

    use super::*;
    use crate::args::{Command, parse};

    #[test]
    fn where_agents_work_can_be_said_for_one_run() {
        for (words, expected) in [
            ("signoff run p.md", None),
            (
                "signoff run p.md --isolation worktree",
                Some(Isolation::Worktree),
            ),
            (
                "signoff run --task x --isolation=shared",
                Some(Isolation::Shared),
            ),
        ] {
            let words_typed: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            let Ok(Command::Run(args)) = parse(&words_typed).map(|cli| cli.command) else {
                panic!("{words}");
            };
            assert_eq!(RunOptions::from(&args).isolation, expected, "{words}");
        }
    }
}
