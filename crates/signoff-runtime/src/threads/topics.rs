//! What the sessions of the threads are about: lists put plans of one session together.

use std::collections::BTreeMap;

use signoff_store::threads::read_sessions;

use super::plans_root;
use crate::project::Project;

/// The topics of sessions, by the names in the store of the plans that their threads were committed as. What cannot be
/// read has none: nothing depends on it.
pub fn topics(project: &Project) -> BTreeMap<String, String> {
    let key = |thread: &str| {
        let directory = project.store.plans_dir().join(thread);
        project.store.key_of(None, &directory)
    };
    let root = plans_root(&project.process.variables);
    let sessions = root.and_then(|root| read_sessions(&root).ok()?);
    let mut topics = BTreeMap::new();
    for (id, session) in sessions.into_iter().flat_map(|read| read.sessions) {
        let Some(topic) = session.topic else { continue };
        let threads = session.threads.into_iter().map(|thread| thread.thread_id);
        let threads = threads.chain([id]);
        topics.extend(threads.map(|thread| (key(&thread), topic.clone())));
    }
    topics
}
