//! `resume`: continues a run where its journal ends.

use signoff_engine::{Actor, Outcome};
use signoff_runtime::live::{PreparedRun, RunOptions};
use signoff_runtime::project::Project;
use signoff_runtime::runs::names::run_to_resume;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::{Error, remote_runs};

use crate::agent_check::actor;
use crate::commands::running::accept_level::asking_to_accept;
use crate::commands::running::run::drive;
use crate::commands::share;
use crate::failure::{Failure, with_known_steps};
use crate::session::Session;

pub(crate) fn resume(
    session: &mut Session,
    run: Option<&str>,
    options: &RunOptions,
) -> Result<u8, Failure> {
    let project = session.project()?;
    let run = run_to_resume(&project, run)?;
    let actor = actor(&session.process.variables);
    // The runtime would refuse this too; this check also says how the agent was recognised.
    if actor == Actor::Agent
        && RunView::load(&project, &run)?.run.outcome() == Some(Outcome::Failed)
    {
        session.require_person("resume a failed run")?;
    }
    if options.limit.is_some() && project.store.run_dir(&run).is_shared() {
        let reason = "`--until` and `--only` hold for one process, and others drive this run";
        return Err(Failure::new(6, "not-shared", reason));
    }
    if remote_runs::resume(&project, &run)?.is_some() {
        return share::follow(session, &project, &run);
    }
    let clock = signoff_runtime::SystemClock::new();
    let prepared = asking_to_accept(session, &project, || {
        PreparedRun::resume(&project, &run, actor, options, &clock)
    });
    let prepared = prepared.map_err(|error| resume_failure(&project, &run, error))?;
    drive(session, &project, prepared)
}

fn resume_failure(project: &Project, run: &str, error: Error) -> Failure {
    match error {
        // The run that uses the checkout is this one.
        Error::WorkspaceTaken {
            holder: Some(holder),
            ..
        } if holder.run.as_deref() == Some(run) => Error::RunTaken {
            run: run.to_owned(),
            holder: Some(holder),
        }
        .into(),
        error => match RunView::load(project, run) {
            Ok(view) => {
                let steps = view.run.steps().map(|(step, _)| step.id.as_str());
                // The plan of this run, and not of the one that was named or is the newest.
                with_known_steps(error, steps).naming_plan(|| plan_name(project, &view))
            }
            Err(_) => error.into(),
        },
    }
}

/// The path of a run's plan, as one types it here.
fn plan_name(project: &Project, view: &RunView) -> Option<String> {
    let here = &project.process.directory;
    let path = view.plan_path.strip_prefix(here).unwrap_or(&view.plan_path);
    path.to_str().map(str::to_owned)
}
