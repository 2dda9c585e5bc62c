//! What `connect` wrote into the files of agents, so that it can be taken out again.
//!
//! Kept here and not in the project, because it holds what was in those files before, and some have keys in them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrustError;
use super::state_file::StateFile;
use crate::files::hash::sha256_hex;

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Connections {
    schema: String,
    connections: Vec<Connection>,
}

impl StateFile for Connections {
    const NAME: &str = "connections";
    const SCHEMA: &str = "signoff.connections/1";

    fn schema(&mut self) -> &mut String {
        &mut self.schema
    }
}

/// What was written for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// Its name.
    pub agent: String,
    /// The project; none for the person's own settings.
    pub workspace: Option<PathBuf>,
    /// Every file that was written.
    pub files: Vec<WrittenFile>,
    /// Directories that were made, the outermost first.
    pub directories: Vec<PathBuf>,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenFile {
    /// As the agent finds it; it may be a link.
    pub path: PathBuf,
    /// What was in it before; none if it did not exist.
    pub before: Option<String>,
    /// The hash of what was written.
    pub after: String,
    /// Objects and lists that were made for our entries, each by the names that lead to it.
    pub created: Vec<Vec<String>>,
}

impl WrittenFile {
    /// Is this what was written?
    pub fn is_written(&self, text: &str) -> bool {
        self.after == content_hash(text)
    }
}

/// How [`WrittenFile::after`] is computed.
pub fn content_hash(text: &str) -> String {
    sha256_hex(text.as_bytes())
}

/// What was written for this agent, in this project or for the person.
pub fn find(
    state_dir: &Path,
    agent: &str,
    workspace: Option<&Path>,
) -> Result<Option<Connection>, TrustError> {
    let known = Connections::load(state_dir)?.connections;
    let mut known = known.into_iter();
    Ok(known.find(|one| one.is_of(agent, workspace)))
}

/// Remembers what is about to be written, in place of what was known; without files it is forgotten.
pub fn remember(state_dir: &Path, connection: Connection) -> Result<(), TrustError> {
    Connections::update(state_dir, |known| {
        let Connection {
            agent, workspace, ..
        } = &connection;
        known
            .connections
            .retain(|one| !one.is_of(agent, workspace.as_deref()));
        if !connection.files.is_empty() {
            known.connections.push(connection);
        }
        true
    })
}

impl Connection {
    fn is_of(&self, agent: &str, workspace: Option<&Path>) -> bool {
        self.agent == agent && self.workspace.as_deref() == workspace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_and_project_has_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let one = |agent: &str, workspace: Option<&str>, text: &str| Connection {
            agent: agent.to_owned(),
            workspace: workspace.map(PathBuf::from),
            files: vec![WrittenFile {
                path: "/f".into(),
                before: Some("\u{feff}a\r\n".to_owned()),
                after: content_hash(text),
                created: Vec::new(),
            }],
            directories: Vec::new(),
        };
        let found = |agent, workspace: Option<&str>| {
            find(dir.path(), agent, workspace.map(Path::new)).unwrap()
        };
        for connection in [
            one("claude", None, "1"),
            one("claude", Some("/p"), "2"),
            one("claude", None, "3"),
        ] {
            remember(dir.path(), connection).unwrap();
        }
        assert_eq!(found("claude", None), Some(one("claude", None, "3")));
        assert_eq!(
            found("claude", Some("/p")),
            Some(one("claude", Some("/p"), "2"))
        );
        assert_eq!(found("pi", None), None);
        let nothing = Connection {
            files: Vec::new(),
            ..one("claude", None, "")
        };
        remember(dir.path(), nothing).unwrap();
        assert_eq!(found("claude", None), None);
    }
}
