//! What an agent said and did in one attempt, read again from its log.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use signoff_api::progress::Todo;
use signoff_api::transcript::{SCHEMA, Transcript, TranscriptEntry};
use signoff_plan::model::Work;
use signoff_work::agent::{AgentEvent, DriverKind, LineSplitter, ReaderOptions};

use super::progress::{last_progress, todo_entry};
use super::view::RunView;
use crate::error::Error;
use crate::project::Project;

/// Bytes of a log that are read; it is cut at about this size when it is written.
const LIMIT: u64 = 80 * 1024 * 1024;
/// Bytes of the output that are shown of a program without a stream.
const SHOWN: usize = 64 * 1024;

/// The log of one attempt's agent.
#[derive(Debug)]
pub struct AgentLog {
    run: String,
    step: String,
    attempt: u32,
    path: PathBuf,
    progress: PathBuf,
    prompt: PathBuf,
}

impl AgentLog {
    /// The log of an attempt; without a number, of the last one. `None` if no agent made such an attempt.
    pub fn find(
        project: &Project,
        view: &RunView,
        step: &str,
        attempt: Option<u32>,
    ) -> Option<Self> {
        let (definition, state) = view.run.step(view.run.position(step)?)?;
        let attempt = attempt.unwrap_or(state.attempts);
        let is_agents = matches!(definition.work, Work::Agent { .. });
        if !is_agents || !(1..=state.attempts).contains(&attempt) {
            return None;
        }
        let run = view.run.id();
        let dir = project.store.run_dir(run).attempt(step, attempt);
        Some(Self {
            run: run.to_owned(),
            step: step.to_owned(),
            attempt,
            path: dir.agent_log(),
            progress: dir.progress(),
            prompt: dir.prompt(),
        })
    }

    /// The stream as the agent printed it, without secrets. Nothing if it printed nothing.
    pub fn raw(&self) -> Result<Vec<u8>, Error> {
        let unreadable = |why| Error::Unreadable {
            path: self.path.clone(),
            why,
        };
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            opened => opened.map_err(unreadable)?,
        };
        let mut bytes = Vec::new();
        file.take(LIMIT)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        Ok(bytes)
    }

    /// What it was told, if that is kept.
    pub fn prompt(&self) -> Option<String> {
        std::fs::read_to_string(&self.prompt).ok()
    }

    /// What it said and did.
    pub fn transcript(&self, workspace: &Path) -> Result<Transcript, Error> {
        let agent = last_progress(&self.progress);
        let driver = agent
            .as_ref()
            .and_then(|agent| DriverKind::parse(&agent.driver));
        let bytes = self.raw()?;
        let log = self.path.strip_prefix(workspace).unwrap_or(&self.path);
        Ok(Transcript {
            schema: SCHEMA.to_owned(),
            run: self.run.clone(),
            step: self.step.clone(),
            attempt: self.attempt,
            log: log.to_string_lossy().into_owned(),
            agent,
            entries: match driver {
                Some(driver) if driver != DriverKind::Command => read(driver, &bytes),
                Some(_) | None => output(&bytes).into_iter().collect(),
            },
        })
    }
}

fn output(bytes: &[u8]) -> Option<TranscriptEntry> {
    let from = bytes.len().saturating_sub(SHOWN);
    let text = String::from_utf8_lossy(&bytes[from..]).into_owned();
    (!text.trim().is_empty()).then_some(TranscriptEntry::Output { text })
}

fn read(driver: DriverKind, bytes: &[u8]) -> Vec<TranscriptEntry> {
    let mut entries = Entries::default();
    let mut reader = driver.driver().reader(&ReaderOptions::default());
    let mut lines = LineSplitter::default();
    let mut each = |line: &[u8]| {
        for event in reader.read_line(line) {
            entries.add(event);
        }
    };
    lines.push(bytes, &mut each);
    lines.finish(&mut each);
    entries.list
}

/// Entries so far; the end of a tool's call belongs to its beginning.
#[derive(Default)]
struct Entries {
    list: Vec<TranscriptEntry>,
    /// Calls whose end was not seen: the agent's name of each, and its place in the list.
    open: Vec<(String, usize)>,
}

impl Entries {
    fn add(&mut self, event: AgentEvent) {
        let entry = match event {
            AgentEvent::Said { text } => TranscriptEntry::Said { text },
            AgentEvent::ToolStarted { id, tool, about } => {
                self.open.push((id, self.list.len()));
                TranscriptEntry::Tool {
                    tool,
                    about,
                    ok: None,
                    output: String::new(),
                }
            }
            AgentEvent::ToolEnded { id, ok, output } => return self.end(&id, ok, output),
            AgentEvent::FileChanged { path } => TranscriptEntry::Changed { path },
            AgentEvent::Todo { entries } => {
                let entries: Vec<Todo> = entries.into_iter().map(todo_entry).collect();
                TranscriptEntry::Todo { entries }
            }
            AgentEvent::Denied { tool, reason } => TranscriptEntry::Denied { tool, reason },
            AgentEvent::Problem { message } => TranscriptEntry::Problem { message },
            AgentEvent::Session { .. }
            | AgentEvent::Model { .. }
            | AgentEvent::Version { .. }
            | AgentEvent::Usage(_) => return,
        };
        self.list.push(entry);
    }

    fn end(&mut self, id: &str, succeeded: bool, result: String) {
        let Some(at) = self.open.iter().rposition(|(open, _)| open == id) else {
            return;
        };
        let (_, at) = self.open.swap_remove(at);
        if let Some(TranscriptEntry::Tool { ok, output, .. }) = self.list.get_mut(at) {
            *ok = Some(succeeded);
            *output = result;
        }
    }
}
