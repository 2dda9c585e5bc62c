//! The files of a project that run with the person's rights, or as agents, with the content that they
//! had when the person trusted them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrustError;
use super::state_file::StateFile;

/// Files by their path in the workspace, with the hashes of their content.
pub type Hashes = BTreeMap<String, String>;

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Helpers {
    schema: String,
    projects: Vec<TrustedHelpers>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedHelpers {
    workspace: PathBuf,
    files: Hashes,
}

impl StateFile for Helpers {
    const NAME: &str = "helpers";
    const SCHEMA: &str = "signoff.helpers/1";

    fn schema(&mut self) -> &mut String {
        &mut self.schema
    }
}

/// What was trusted in this workspace last. What cannot be read was not.
pub fn load_trusted_hashes(state_dir: &Path, workspace: &Path) -> Hashes {
    let helpers = Helpers::load(state_dir).ok();
    let mut entries = helpers.into_iter().flat_map(|helpers| helpers.projects);
    let entry = entries.find(|entry| entry.workspace == workspace);
    entry.map(|entry| entry.files).unwrap_or_default()
}

/// Remembers these files, and no others, for this workspace.
pub fn trust(state_dir: &Path, workspace: &Path, files: Hashes) -> Result<(), TrustError> {
    Helpers::update(state_dir, |helpers| {
        helpers
            .projects
            .retain(|entry| entry.workspace != workspace && entry.workspace.is_dir());
        if !files.is_empty() {
            helpers.projects.push(TrustedHelpers {
                workspace: workspace.to_path_buf(),
                files,
            });
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts_for_each_workspace() {
        let state = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let files = |hash: &str| Hashes::from([("notify.sh".to_owned(), hash.to_owned())]);
        assert_eq!(load_trusted_hashes(state.path(), one.path()), Hashes::new());
        trust(state.path(), one.path(), files("a")).unwrap();
        trust(state.path(), other.path(), files("b")).unwrap();
        trust(state.path(), one.path(), files("c")).unwrap();
        assert_eq!(load_trusted_hashes(state.path(), one.path()), files("c"));
        assert_eq!(load_trusted_hashes(state.path(), other.path()), files("b"));
        trust(state.path(), one.path(), Hashes::new()).unwrap();
        assert_eq!(load_trusted_hashes(state.path(), one.path()), Hashes::new());
    }
}
