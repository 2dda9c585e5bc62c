//! What every call needs: what the process was started with, and how failures are worded.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signoff_engine::Actor;
use signoff_plan::dialect::recognise;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{ActorContext, locate_inside};
use signoff_runtime::project::{CachedProject, ProcessContext, Project, Secrets};
use signoff_runtime::{Error, SystemClock};

use crate::errors::{ErrorWording, ToolError};
use crate::last_list::LastList;
use crate::seal::Seal;

/// What a server is made of.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// What the process was started with.
    pub process: ProcessContext,
    /// This program, which carries out runs.
    pub program: PathBuf,
    /// The words for failures.
    pub wording: ErrorWording,
    /// The server is part of a run: nobody there speaks for a person.
    pub is_inside_run: bool,
    /// The version of the program.
    pub version: String,
}

/// What is shared by all calls.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) options: ServerOptions,
    pub(crate) seal: Seal,
    secrets: Mutex<KnownSecrets>,
    pub(crate) last_list: LastList,
    project: CachedProject,
}

/// What no answer shows, and the settings that say so.
#[derive(Debug)]
struct KnownSecrets {
    patterns: Vec<String>,
    secrets: Arc<Secrets>,
}

impl KnownSecrets {
    fn of(process: &ProcessContext, patterns: &[String]) -> Self {
        let secrets = Secrets::of(&process.variables);
        secrets.add(patterns);
        Self {
            patterns: patterns.to_vec(),
            secrets: Arc::new(secrets),
        }
    }
}

impl Context {
    pub(crate) fn new(options: ServerOptions) -> std::io::Result<Self> {
        let mut key = [0; 32];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut key)?;
        Ok(Self {
            secrets: Mutex::new(KnownSecrets::of(&options.process, &[])),
            options,
            seal: Seal::new(&key),
            last_list: LastList::default(),
            project: CachedProject::default(),
        })
    }

    /// The project of the working directory as it is now.
    pub(crate) fn project(&self) -> Result<Arc<Project>, ToolError> {
        let project = self.project.open(&self.options.process);
        let project = project.map_err(|error| self.fail(error))?;
        let patterns = &project.config.sandbox.redact.value;
        let mut known = self.known_secrets();
        if known.patterns != *patterns {
            *known = KnownSecrets::of(&self.options.process, patterns);
        }
        Ok(project)
    }

    /// What no answer shows, by the settings that were read last.
    pub(crate) fn secrets(&self) -> Arc<Secrets> {
        Arc::clone(&self.known_secrets().secrets)
    }

    fn known_secrets(&self) -> MutexGuard<'_, KnownSecrets> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn fail(&self, error: Error) -> ToolError {
        ToolError::of(error, None, self.options.wording)
    }

    /// The failure of a call that named this plan.
    pub(crate) fn fail_about(&self, plan: &str) -> impl FnOnce(Error) -> ToolError {
        let wording = self.options.wording;
        move |error| ToolError::of(error, Some(plan), wording)
    }

    /// The plan of this id or path, read and checked now. Other files are not served here, wherever they are.
    pub(crate) fn read_plan(&self, project: &Project, plan: &str) -> Result<PlanFile, ToolError> {
        let (path, name) = locate_inside(project, plan).map_err(self.fail_about(plan))?;
        let read = PlanFile::read(&path, &name, &project.workspace());
        let read = read.map_err(self.fail_about(plan))?;
        if recognise(&read.source).is_none() {
            let message = format!("{name} is not a plan");
            let hint =
                "`plan_list` shows the plans; `plan_verify` with its `text` says what a text lacks";
            return Err(ToolError::new("not-a-plan", &message, &[hint]));
        }
        Ok(read)
    }
}

/// The context for what a caller does: an agent, whatever the client says.
pub(crate) fn by_agent<'a>(project: &'a Project, clock: &'a SystemClock) -> ActorContext<'a> {
    ActorContext {
        project,
        actor: Actor::Agent,
        clock,
    }
}
