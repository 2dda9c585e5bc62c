//! The last answer of `plan_list`, with what it was made from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::CallToolResult;
use serde_json::{Map, Value};
use signoff_runtime::plans::ListBasis;
use signoff_runtime::project::{Project, ProjectFingerprint};

/// What was answered last.
#[derive(Debug, Default)]
pub(crate) struct LastList(Mutex<Option<LastListAnswer>>);

/// An answer, what was asked, and what tells whether it is still true.
#[derive(Debug, Clone)]
pub(crate) struct LastListAnswer {
    pub(crate) arguments: Map<String, Value>,
    pub(crate) project: Arc<Project>,
    /// While these look the same there is no need to look for the project; `None` where that cannot be told yet.
    pub(crate) surroundings: Option<Arc<ProjectFingerprint>>,
    pub(crate) basis: ListBasis,
    pub(crate) result: Arc<CallToolResult>,
}

impl LastList {
    /// The last answer, if this was asked.
    pub(crate) fn get(&self, arguments: &Map<String, Value>) -> Option<LastListAnswer> {
        let last = self.lock();
        let same = last.as_ref().filter(|last| last.arguments == *arguments);
        same.cloned()
    }

    pub(crate) fn set(&self, told: LastListAnswer) {
        *self.lock() = Some(told);
    }

    fn lock(&self) -> MutexGuard<'_, Option<LastListAnswer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
