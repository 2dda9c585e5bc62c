//! Refusals that an agent's stream does not report: by the guard, or by the harness itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use signoff_work::beneath::{Directory, Links};

/// Bytes of the guard's file that are read. Agents can write to it too, but only about themselves.
const MOST: u64 = 1024 * 1024;
const MOST_TOOLS: usize = 100;

/// Tools that were refused; clones share them.
#[derive(Debug, Clone)]
pub(in crate::local) struct Denials {
    tools: Arc<Mutex<BTreeSet<String>>>,
    /// Where the guard writes down what it refuses, a name per line.
    file: PathBuf,
}

impl Denials {
    pub(in crate::local) fn in_file(file: &Path) -> Self {
        Self {
            tools: Arc::default(),
            file: file.to_owned(),
        }
    }

    pub(in crate::local) fn note(&self, tool: &str) {
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        tools.insert(tool.to_owned());
    }

    /// Adds the refusals that are known without the guard's file.
    pub(super) fn add_to(&self, known: &mut Vec<String>) {
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        for tool in tools.iter() {
            if !known.contains(tool) {
                known.push(tool.clone());
            }
        }
    }

    /// The agent has ended: what the guard wrote down is read. Nothing was refused if there is no file.
    pub(super) fn read_file(&self) {
        let (Some(directory), Some(name)) = (self.file.parent(), self.file.file_name()) else {
            return;
        };
        let read = Directory::open(directory)
            .ok()
            .and_then(|directory| directory.read(Path::new(name), Links::Refuse, MOST).ok());
        let text = String::from_utf8_lossy(&read.unwrap_or_default()).into_owned();
        for tool in text
            .lines()
            .filter(|tool| !tool.is_empty())
            .take(MOST_TOOLS)
        {
            self.note(tool);
        }
    }
}
