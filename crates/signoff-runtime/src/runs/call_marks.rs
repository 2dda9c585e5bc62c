//! A second record of calls that must not be made twice: a file for each, written after its journal line and before the
//! call.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use signoff_engine::{EarlierStep, Event, Run, ToolCall};
use signoff_store::runs::RunDir;

use super::view::each_event;
use crate::error::Error;
use crate::project::Project;

/// What the file of a call says.
#[derive(Debug, Serialize, Deserialize)]
struct MarkedCall {
    /// The plan's key: the journal that says so may be gone.
    #[serde(default)]
    plan: String,
    step: String,
    attempt: u32,
    call: ToolCall,
}

/// Leaves a file that says that this call is about to be made.
pub(crate) fn mark_call(
    dir: &RunDir,
    plan: &str,
    step: &str,
    attempt: u32,
    call: &ToolCall,
) -> Result<(), Error> {
    let marked = MarkedCall {
        plan: plan.to_owned(),
        step: step.to_owned(),
        attempt,
        call: call.clone(),
    };
    let text = serde_json::to_vec(&marked).map_err(|why| Error::Unwritable {
        why: why.to_string(),
    })?;
    Ok(dir.mark_call(step, attempt, &text)?)
}

/// Did a run make calls for this plan that its journal does not have?
pub(crate) fn has_calls_of(dir: &RunDir, plan: &str) -> bool {
    let entries = std::fs::read_dir(dir.calls()).into_iter().flatten();
    let mut marks = entries
        .flatten()
        .filter_map(|entry| read_mark(&entry.path()).ok()?);
    marks.any(|marked| marked.plan == plan)
}

/// The calls of an unfinished run, each with its step, that its truncated journal does not have.
pub(crate) fn lost_calls(
    project: &Project,
    run: &Run,
) -> Result<Vec<(String, EarlierStep)>, Error> {
    let dir = project.store.run_dir(run.id());
    let entries = match std::fs::read_dir(dir.calls()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(cannot_read(dir.calls()))?,
    };
    let mut journaled = BTreeSet::new();
    each_event(project, run.id(), |event| {
        if let Event::CallStarted { step, attempt, .. } = event {
            journaled.insert(dir.call_mark(step, *attempt));
        }
    })?;
    let mut lost = Vec::new();
    for entry in entries {
        let path = entry.map_err(cannot_read(dir.calls()))?.path();
        if !journaled.contains(&path) {
            lost.extend(read_mark(&path).map_err(cannot_read(path))?);
        }
    }
    // A person was asked about these when the run was resumed before.
    lost.retain(|marked| !is_known(run, &marked.step));
    // The last call of a step is the one that counts.
    lost.sort_by_key(|marked| marked.attempt);
    let known = |marked: MarkedCall| {
        let earlier = EarlierStep::unknown(run.id(), marked.call);
        (marked.step, earlier)
    };
    Ok(lost.into_iter().map(known).collect())
}

/// Does the run know that it lost a call of this step?
fn is_known(run: &Run, step: &str) -> bool {
    let earlier = run.position(step).and_then(|at| run.earlier_step(at));
    earlier.is_some_and(|earlier| earlier.run == run.id())
}

/// What the file says; nothing if a crash left it unfinished, because then the call was not made.
fn read_mark(path: &std::path::Path) -> io::Result<Option<MarkedCall>> {
    let text = std::fs::read(path)?;
    Ok(serde_json::from_slice(&text).ok())
}

fn cannot_read(path: PathBuf) -> impl Fn(io::Error) -> Error {
    move |why| Error::Unreadable {
        path: path.clone(),
        why,
    }
}

/// What a person is told about calls that the journal has lost.
pub(crate) fn lost_note(run: &str, lost: &[(String, EarlierStep)]) -> Option<String> {
    let steps: Vec<String> = lost.iter().map(|(step, _)| format!("`{step}`")).collect();
    (!steps.is_empty()).then(|| {
        format!(
            "the journal of run {run} has no trace of calls that were made: its end was cut off. They are not made again without you: {}",
            steps.join(", ")
        )
    })
}
