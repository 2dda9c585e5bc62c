//! `retry_session = "continue"`: the next attempt goes on with the agent's own session.

use signoff_plan::model::Step;
use signoff_store::config::{AgentSettings, RetrySession};
use signoff_store::runs::RunDir;
use signoff_work::agent;
use signoff_work::confine::{AgentRequirements, SessionFolders};

use crate::confinement::Scratch;
use crate::runs::last_progress;

/// The sessions of a step's agent, where its role goes on with them.
pub(in crate::local) struct Sessions {
    folders: Option<SessionFolders>,
    /// The session of the attempts before, with what they used.
    before: Option<ResumedSession>,
}

/// A session that goes on.
#[derive(Debug)]
pub(in crate::local) struct ResumedSession {
    pub(in crate::local) id: String,
    /// What it used so far: some agents say what the whole session used.
    pub(in crate::local) used: Vec<agent::ModelUsage>,
}

impl Sessions {
    pub(in crate::local) fn of(
        dir: &RunDir,
        step: &Step,
        attempt: u32,
        agent: &AgentSettings,
        needs: &AgentRequirements,
    ) -> Self {
        if agent.retry_session == RetrySession::Fresh {
            return Self {
                folders: None,
                before: None,
            };
        }
        // One session for all attempts: each continues where the last one ended.
        let kept = dir.attempt(&step.id, 0).path().join("session");
        Self {
            folders: SessionFolders::of(needs, kept),
            before: session_before(dir, step, attempt),
        }
    }

    /// Puts the session into the home of the agent that is about to start, and names it. Without it the agent starts afresh.
    pub(in crate::local) fn resume(&self, scratch: Option<&Scratch>) -> Option<&ResumedSession> {
        let restored = self.folders.as_ref()?.restore(scratch?.path());
        self.before
            .as_ref()
            .filter(|_| matches!(restored, Ok(true)))
    }

    /// Keeps the session of an agent that has ended. Without it the next attempt starts afresh.
    pub(in crate::local) fn keep(&self, scratch: Option<&Scratch>) {
        if let (Some(folders), Some(scratch)) = (&self.folders, scratch) {
            folders.keep(scratch.path()).ok();
        }
    }
}

/// The session of the last attempt, with what all attempts in it used.
fn session_before(dir: &RunDir, step: &Step, attempt: u32) -> Option<ResumedSession> {
    let told = |attempt: u32| last_progress(&dir.attempt(&step.id, attempt).progress());
    let id = told(attempt.checked_sub(1)?)?.session?;
    let mut used = Vec::new();
    for progress in (1..attempt).filter_map(told) {
        if progress.session.as_ref() == Some(&id) {
            used.extend(progress.usage.into_iter().map(|usage| agent::ModelUsage {
                model: usage.model,
                input: usage.input_tokens,
                cached: usage.cached_tokens,
                cache_write: usage.cache_write_tokens,
                output: usage.output_tokens,
                usd_e6: usage.usd_e6,
            }));
        }
    }
    Some(ResumedSession { id, used })
}
