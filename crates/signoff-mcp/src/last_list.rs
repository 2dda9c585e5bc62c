//! The last answer of `plan_list`, with what it was made from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::CallToolResult;
use serde_json::{Map, Value};
use signoff_runtime::plans::ListBasis;
use signoff_runtime::project::{Project, Surroundings};

/// What was told last.
#[derive(Debug, Default)]
pub(crate) struct LastList(Mutex<Option<ToldList>>);

/// An answer, what was asked, and what tells whether it is still true.
#[derive(Debug, Clone)]
pub(crate) struct ToldList {
    pub(crate) arguments: Map<String, Value>,
    pub(crate) project: Arc<Project>,
    /// While these look the same there is no need to look for the project; `None` where that cannot be told yet.
    pub(crate) surroundings: Option<Arc<Surroundings>>,
    pub(crate) basis: ListBasis,
    pub(crate) result: Arc<CallToolResult>,
}

impl LastList {
    /// The last answer, if this was asked.
    pub(crate) fn get(&self, arguments: &Map<String, Value>) -> Option<ToldList> {
        let last = self.told();
        let same = last.as_ref().filter(|last| last.arguments == *arguments);
        same.cloned()
    }

    pub(crate) fn keep(&self, told: ToldList) {
        *self.told() = Some(told);
    }

    fn told(&self) -> MutexGuard<'_, Option<ToldList>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
