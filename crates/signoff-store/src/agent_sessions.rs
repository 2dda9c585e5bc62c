//! What is stored about an agent's session: how many texts it showed that were no plans, and where its last plan is
//! kept. The file is in the user's state directory, beside those of the guard.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::atomic::{self, FileMode};
use crate::files::hash::sha256_hex;
use crate::files::{FileError, no_follow};
use crate::key;

const SCHEMA: &str = "signoff.agent_session/1";

/// What is known of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSession {
    schema: String,
    /// How often in a row it showed a text that is not a plan.
    pub refusals: u32,
    /// The plan that it showed last.
    pub shown: Option<ShownPlan>,
}

/// A plan that a session showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownPlan {
    /// Where it is kept.
    pub path: PathBuf,
    /// The hash of the text as the agent showed it.
    pub text: String,
}

impl ShownPlan {
    /// A plan that is kept here.
    pub fn new(path: &Path, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: sha256_hex(text.as_bytes()),
        }
    }

    /// Is it this text?
    pub fn is_text(&self, text: &str) -> bool {
        self.text == sha256_hex(text.as_bytes())
    }
}

/// What is known of a session. An unreadable file counts as unknown: it decides only whether a text is new.
pub fn load(state_dir: &Path, session: &str) -> Result<AgentSession, FileError> {
    let bytes = no_follow::read_if_exists(&path(state_dir, session))?;
    let read = bytes.and_then(|bytes| serde_json::from_slice::<AgentSession>(&bytes).ok());
    Ok(read
        .filter(|session| session.schema == SCHEMA)
        .unwrap_or_default())
}

/// Remembers it.
pub fn save(state_dir: &Path, session: &str, known: &AgentSession) -> Result<(), FileError> {
    atomic::create_directories(&directory(state_dir))?;
    let known = AgentSession {
        schema: SCHEMA.to_owned(),
        ..known.clone()
    };
    let text = serde_json::to_vec(&known).expect("paths that the store made are UTF-8");
    atomic::overwrite(&path(state_dir, session), &text, FileMode::Private)
}

fn directory(state_dir: &Path) -> PathBuf {
    state_dir.join("agent-sessions")
}

fn path(state_dir: &Path, session: &str) -> PathBuf {
    directory(state_dir).join(key::encode(session))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_session_is_known_by_its_name_only() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path();
        assert_eq!(load(state, "../s").unwrap(), AgentSession::default());
        let known = AgentSession {
            refusals: 2,
            shown: Some(ShownPlan::new(Path::new("/p/plan.md"), "text")),
            ..AgentSession::default()
        };
        save(state, "../s", &known).unwrap();
        let found = load(state, "../s").unwrap();
        assert_eq!((found.refusals, &found.shown), (2, &known.shown));
        assert!(
            found
                .shown
                .is_some_and(|shown| shown.is_text("text") && !shown.is_text("other"))
        );
        assert_eq!(load(state, "s").unwrap(), AgentSession::default());
        fs::write(path(state, "../s"), "{").unwrap();
        assert_eq!(load(state, "../s").unwrap(), AgentSession::default());
    }
}
