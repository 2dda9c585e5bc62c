//! The session: what every command needs.

use std::path::Path;

use signoff_runtime::project::{ProcessContext, Project};
use signoff_store::signatures::Proof;
use signoff_work::secrets::Secrets;

use crate::agent_check::require_person;
use crate::args::{Color, Format};
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Prints a usage error as JSON; returns the exit code.
pub(crate) fn usage_error(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default();
    let failure = lines.fold(
        Failure::new(2, "usage", message.trim_start_matches("error: ")),
        Failure::hint,
    );
    let mut out = Terminal::new(Color::Never, Secrets::default());
    out.say(json_of(&failure));
    2
}

fn json_of(failure: &Failure) -> String {
    let Failure {
        code,
        message,
        details,
        hints,
        ..
    } = failure;
    let shape = signoff_api::error::Error::new(code, message, details.clone(), hints.clone());
    serde_json::to_string(&shape).unwrap_or_else(|error| format!("error: {error}"))
}

/// One invocation of the program.
pub(crate) struct Session {
    pub(crate) process: ProcessContext,
    pub(crate) out: Terminal,
    pub(crate) format: Format,
    /// How this session signs, if not as the person and the settings say: the demo signs by policy.
    pub(crate) proof: Option<Proof>,
}

impl Session {
    pub(crate) fn new(process: ProcessContext, color: Color, format: Format) -> Self {
        let secrets = Secrets::of(&process.variables);
        Self {
            process,
            out: Terminal::new(color, secrets),
            format,
            proof: None,
        }
    }

    pub(crate) fn project(&self) -> Result<Project, Failure> {
        let project = Project::open(&self.process)?;
        self.out.secrets().add(&project.config.sandbox.redact.value);
        Ok(project)
    }

    /// Where the user's decisions are kept.
    pub(crate) fn state_dir(&self) -> Result<&Path, Failure> {
        self.process.state_dir.as_deref().ok_or_else(|| {
            Failure::new(
                6,
                "no-home",
                "there is no directory to store what you decide",
            )
            .hint("set `HOME` or `XDG_STATE_HOME` to an absolute path")
        })
    }

    /// Refuses what only a person may do. The demo, in its own temporary store, is exempt.
    pub(crate) fn require_person(&self, what: &str) -> Result<(), Failure> {
        match self.proof {
            Some(Proof::Policy) => Ok(()),
            Some(_) | None => require_person(&self.process.variables, what),
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Prints a value with a published schema.
    pub(crate) fn json(&mut self, value: &impl serde::Serialize) {
        match serde_json::to_string(value) {
            Ok(text) => self.out.answer(text),
            Err(error) => self.out.say(format!("error: {error}")),
        }
    }

    /// Prints why something was refused, as a value with a published schema.
    pub(crate) fn json_error(&mut self, value: &impl serde::Serialize) {
        let text = serde_json::to_string(value);
        self.out
            .say(text.unwrap_or_else(|error| format!("error: {error}")));
    }

    /// Prints the failure; returns the exit code.
    pub(crate) fn report_failure(&mut self, failure: &Failure) -> u8 {
        if self.is_json() {
            self.out.say(json_of(failure));
        } else {
            self.out.say(failure);
        }
        failure.exit
    }
}
