//! What an agent of a run reported last, for readers of the run.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use signoff_api::progress::{AgentProgress, Todo, TodoState};
use signoff_api::run::AgentAtWork;
use signoff_engine::{AgentReport, AgentReports, Run, Stage};
use signoff_store::runs::RunDir;
use signoff_work::agent::{self, TodoEntry};

/// Bytes at the file's end that certainly hold a whole line.
const TAIL: u64 = 256 * 1024;

/// The last whole line of an attempt's `progress.jsonl`, if there is one.
pub(crate) fn last_progress(path: &Path) -> Option<AgentProgress> {
    let mut file = File::open(path).ok()?;
    let size = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail).ok()?;
    let whole = &tail[..=tail.iter().rposition(|&byte| byte == b'\n')?];
    let mut lines = whole.split(|&byte| byte == b'\n').rev();
    lines.find_map(|line| serde_json::from_slice(line).ok())
}

/// A to-do of an agent, as it is written down.
pub(crate) fn todo_entry(entry: TodoEntry) -> Todo {
    Todo {
        text: entry.text,
        state: match entry.state {
            agent::TodoState::Pending => TodoState::Pending,
            agent::TodoState::InProgress => TodoState::InProgress,
            agent::TodoState::Done => TodoState::Done,
        },
    }
}

/// The part of an agent's report that the journal keeps.
pub(crate) fn agent_report(progress: AgentProgress) -> AgentReport {
    AgentReport {
        driver: progress.driver,
        version: progress.version,
        model: progress.model,
        session: progress.session,
        own_sandbox: false,
        problem: None,
        denied: progress.denied,
        usage: progress.usage,
    }
}

/// The reports of agents at work, or of those that a crash cut off.
pub(crate) fn agents_at_work(run: &Run, dir: &RunDir) -> Vec<AgentAtWork> {
    let steps = run.order().filter_map(|at| run.step(at));
    let told = steps.filter_map(|(step, state)| {
        let Stage::Working { attempt } = state.stage else {
            return None;
        };
        let agent = last_progress(&dir.attempt(&step.id, attempt).progress())?;
        Some(AgentAtWork {
            step: step.id.clone(),
            attempt,
            agent,
        })
    });
    told.collect()
}

/// The reports of agents that a crash cut off, by their steps.
pub(crate) fn cut_off_reports(run: &Run, dir: &RunDir) -> AgentReports {
    let agents = agents_at_work(run, dir).into_iter();
    let reports = agents.filter_map(|agent| {
        let at = run.position(&agent.step)?;
        Some((at, agent_report(agent.agent)))
    });
    reports.collect()
}
