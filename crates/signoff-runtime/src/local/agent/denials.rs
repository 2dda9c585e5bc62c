//! What was refused to one agent where its stream does not tell: by the guard, or by the harness itself.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Tools that were refused; clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::local) struct Denials(Arc<Mutex<BTreeSet<String>>>);

impl Denials {
    pub(in crate::local) fn note(&self, tool: &str) {
        let mut tools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tools.insert(tool.to_owned());
    }

    /// Adds them to those that are known already.
    pub(super) fn add_to(&self, known: &mut Vec<String>) {
        let tools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for tool in tools.iter() {
            if !known.contains(tool) {
                known.push(tool.clone());
            }
        }
    }
}
