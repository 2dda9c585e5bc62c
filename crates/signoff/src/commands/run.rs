//! `run`: a signed plan, step by step.

use signoff_engine::{Outcome, PlanState};
use signoff_plan::model::Plan;
use signoff_runtime::approve::{Wish, during};
use signoff_runtime::drive::{Nobody, Stopped};
use signoff_runtime::live::{Limit, Live, Options, Ran};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{Doing, sign_by_policy};
use signoff_runtime::project::Project;
use signoff_runtime::proof::Counted;
use signoff_runtime::state::standing;

use crate::args::Run;
use crate::commands::approve::{shown, sign_off};
use crate::commands::lifecycle::locate;
use crate::failure::{Failure, changed_during};
use crate::inside::actor;
use crate::report::evidence::table;
use crate::report::live::Live as Reporter;
use crate::report::signature::signature;
use crate::report::style::{CARE, DIM, ERROR, GOOD, TITLE, harmless, paint};
use crate::session::Session;
use crate::shell_words::quoted;

pub(crate) fn run(session: &mut Session, args: &Run) -> Result<u8, Failure> {
    let project = session.project()?;
    let (path, name) = locate(&project, &args.plan.path.to_string_lossy())?;
    let plan = PlanFile::read(&path, &name, &project.workspace())?;
    if args.approve && standing(&project, &plan)?.state != PlanState::Approved {
        let wish = Wish {
            proof: session.proof,
            ..Wish::default()
        };
        if let Some(during) = during(&project, &plan)? {
            return Err(not_over(&name, &during.run));
        }
        sign_off(session, &project, &plan, &wish)?;
    } else {
        by_policy(session, &project, &plan)?;
    }
    let limit = match (&args.until, &args.only) {
        (Some(step), _) => Some(Limit::Until(step.clone())),
        (None, Some(step)) => Some(Limit::Only(step.clone())),
        (None, None) => None,
    };
    let options = Options {
        jobs: args.jobs,
        limit,
    };
    start(session, &project, &plan, &options)
}

/// A run that stands still because the plan changed is gone on with, and no other is started.
fn not_over(plan: &str, run: &str) -> Failure {
    let name = quoted(plan);
    Failure::new(5, "state", format!("run {run} of {plan} is not over"))
        .hint(format!(
            "to go on with the plan as it is now: `signoff approve {name}`, then `signoff resume {run}`"
        ))
        .hint(format!(
            "to begin from scratch: `signoff cancel {name}`, then `signoff run {name} --approve`"
        ))
}

/// A plan that needs no person is signed by policy, if nobody has.
fn by_policy(session: &mut Session, project: &Project, plan: &PlanFile) -> Result<(), Failure> {
    let doing = Doing {
        project,
        actor: actor(&session.around.variables),
        clock: &signoff_runtime::SystemClock::new(),
    };
    let signed = sign_by_policy(doing, plan).map_err(|error| shown(session, error))?;
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
    plan: &PlanFile,
    options: &Options,
) -> Result<u8, Failure> {
    let clock = signoff_runtime::SystemClock::new();
    let actor = actor(&session.around.variables);
    let live = Live::start(project, plan, actor, options, &clock)
        .map_err(|error| shown(session, error))?;
    drive(session, project, live)
}

/// Drives a run to its end or its next stop, and says what it came to.
pub(crate) fn drive(
    session: &mut Session,
    project: &Project,
    live: Live<'_>,
) -> Result<u8, Failure> {
    let (id, plan) = (live.id(), live.plan_name().to_owned());
    announce(session, project, live.plan(), &id);
    let signed = live.signature()?;
    let mut reporter = Reporter { session };
    let ran = live.drive(&mut reporter, &mut Nobody, listen)?;
    conclude(session, (&id, &plan), &ran, &signed)
}

/// What a person should know before the first step.
fn announce(session: &mut Session, project: &Project, plan: &Plan, id: &str) {
    if session.is_json() {
        return;
    }
    let budget = &plan.budget;
    if budget.tokens.is_some() || budget.usd_e4.is_some() {
        session.out.say(format!(
            "{} tokens and money of the budget are not counted: agents started with `driver = \"command\"` report none",
            paint(CARE, "note:")
        ));
    }
    if let Some(tools) = &plan.tools {
        let scope = match tools.as_slice() {
            [] => "no tools".to_owned(),
            tools => format!("only [{}]", harmless(&tools.join(", "))),
        };
        session.out.say(format!(
            "{} agents are told that they have {scope}; nothing enforces that on agents started with `driver = \"command\"`",
            paint(CARE, "note:"),
        ));
    }
    let title = harmless(plan.display_title());
    let where_ = project.store.workspace().display();
    session.out.say(paint(TITLE, title));
    session
        .out
        .say(paint(DIM, format!("run {id} in {where_}, sandbox: none")));
}

fn conclude(
    session: &mut Session,
    (id, plan): (&str, &str),
    ran: &Ran,
    signed: &Counted,
) -> Result<u8, Failure> {
    if let Some(trouble) = &ran.trouble {
        session.out.say(format!(
            "{} no marks in the plan's file: {trouble}",
            paint(CARE, "note:")
        ));
    }
    let (code, line) = match &ran.stopped {
        Stopped::Finished(Outcome::Completed) => (0, paint(GOOD, "completed").to_string()),
        Stopped::Finished(Outcome::Partial) => (
            0,
            paint(
                CARE,
                "completed in part: steps that are not critical failed",
            )
            .to_string(),
        ),
        Stopped::Finished(Outcome::Failed) => (
            1,
            format!(
                "{}; `signoff resume {id}` tries the failed steps again",
                paint(ERROR, "failed")
            ),
        ),
        Stopped::Waiting => (
            3,
            format!(
                "{}; `signoff inbox` shows what for",
                paint(CARE, "waiting on a person")
            ),
        ),
        Stopped::Paused(_) => (
            0,
            format!("{}; `signoff resume {id}` goes on", paint(CARE, "paused")),
        ),
        Stopped::Interrupted => (
            130,
            format!("{}; `signoff resume {id}` goes on", paint(CARE, "stopped")),
        ),
        Stopped::Changed(difference) => {
            return Err(changed_during(id, plan, difference));
        }
    };
    if !session.is_json() {
        session.out.answer("");
        for row in table(&ran.run) {
            session.out.answer(row);
        }
        for row in signature(signed) {
            session.out.answer(format!("  {row}"));
        }
        session.out.answer(line);
    }
    Ok(code)
}

/// Ctrl-C and termination stop the run cleanly; it can be resumed.
fn listen(interrupt: signoff_runtime::Interrupt) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    {
        std::thread::spawn(move || {
            for _ in signals.forever() {
                interrupt.send();
            }
        });
    }
}
