//! What an agent of a run told last, read by whoever looks at the run.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use signoff_api::progress::{AgentProgress, Todo, TodoState};
use signoff_work::agent::{self, TodoEntry};

/// As much of the file's end as surely holds a whole line.
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
pub(crate) fn todo(entry: TodoEntry) -> Todo {
    Todo {
        text: entry.text,
        state: match entry.state {
            agent::TodoState::Pending => TodoState::Pending,
            agent::TodoState::InProgress => TodoState::InProgress,
            agent::TodoState::Done => TodoState::Done,
        },
    }
}
