//! Calls of the runtime, which take files and locks, beside the threads that answer requests.

use std::path::PathBuf;
use std::time::Duration;

use axum::http::StatusCode;
use signoff_engine::Actor;
use signoff_plan::dialect::recognise;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{ActorContext, locate_inside};
use signoff_runtime::project::Project;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::{Error, SystemClock};

use crate::error::HttpError;
use crate::options::ErrorWording;
use crate::sessions::Session;
use crate::state::AppState;

/// How long a request waits until others are done.
const PATIENCE: Duration = Duration::from_secs(20);

/// What one call of the runtime needs: the project as it is now, and who asks.
#[derive(Debug)]
pub(crate) struct Call {
    /// With its settings as they are now. Its person is the one who signed in.
    pub(crate) project: Project,
    pub(crate) clock: SystemClock,
    /// This program, which carries out runs.
    pub(crate) program: PathBuf,
    wording: ErrorWording,
}

impl Call {
    /// The context for what the person does.
    pub(crate) fn by_person(&self) -> ActorContext<'_> {
        ActorContext {
            project: &self.project,
            actor: Actor::Person,
            clock: &self.clock,
        }
    }

    /// The failure of a call that named this plan.
    pub(crate) fn fail_about<'a>(&self, plan: &'a str) -> impl Fn(Error) -> HttpError + use<'a> {
        let wording = self.wording;
        move |error| wording(error, Some(plan)).into()
    }

    /// Any other failure.
    pub(crate) fn fail(&self, error: Error) -> HttpError {
        (self.wording)(error, None).into()
    }

    /// The run of this name, as the command line finds it.
    pub(crate) fn read_run(&self, run: &str) -> Result<RunView, HttpError> {
        RunView::find(&self.project, Some(run)).map_err(|error| self.fail(error))
    }

    /// The file of the plan of this id or path, and its name.
    pub(crate) fn locate_plan(&self, plan: &str) -> Result<(PathBuf, String), HttpError> {
        locate_inside(&self.project, plan).map_err(self.fail_about(plan))
    }

    /// The plan of this id or path, read and checked now. Other files are not served here, wherever they are.
    pub(crate) fn read_plan(&self, plan: &str) -> Result<PlanFile, HttpError> {
        let (path, name) = self.locate_plan(plan)?;
        let read = PlanFile::read(&path, &name, &self.project.workspace());
        let read = read.map_err(self.fail_about(plan))?;
        if recognise(&read.source).is_none() {
            let message = format!("{name} is not a plan");
            let hint = "`GET /api/plans` lists the plans";
            return Err(HttpError::new(
                StatusCode::NOT_FOUND,
                "not-a-plan",
                &message,
                &[hint],
            ));
        }
        Ok(read)
    }
}

/// Does what takes files and locks where it holds up nobody else, as the person of this session.
pub(crate) async fn call<T: Send + 'static>(
    state: &AppState,
    session: &Session,
    work: impl FnOnce(&Call) -> Result<T, HttpError> + Send + 'static,
) -> Result<T, HttpError> {
    let busy = || {
        let message = "the server has too much to do";
        HttpError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "busy",
            message,
            &["try it again"],
        )
    };
    let waiting = tokio::time::timeout(PATIENCE, state.calls.acquire());
    let permit = waiting.await.map_err(|_| busy())?.map_err(|_| busy())?;
    let (state, person) = (state.clone(), session.person.clone());
    let (wording, program) = (state.options.wording, state.options.program.clone());
    let done = tokio::task::spawn_blocking(move || {
        let project = state.project_for(&person);
        let project = project.map_err(|error| HttpError::from(wording(error, None)))?;
        work(&Call {
            project,
            clock: SystemClock::new(),
            program,
            wording,
        })
    });
    let done = done.await;
    drop(permit);
    done.map_err(|_| {
        let message = "the server failed while it did this";
        HttpError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message, &[])
    })?
}
