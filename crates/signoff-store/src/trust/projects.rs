//! Which directories of this machine have which project's id.
//!
//! An id is committed with its project, so whoever copies a whole store copies the id. The first
//! directory with an id is taken as the project; another one, while the first still has the id, has to
//! be trusted by a person: it may be a second clone, or a copy that somebody wants signatures to count
//! in.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrustError;
use super::state_file::StateFile;
use crate::root::Store;

/// What is known of a directory with a project's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectStatus {
    /// It is remembered with this id.
    Known,
    /// No other directory has the id.
    First,
    /// Another directory has the id, and the person did not trust this one.
    Copy {
        /// The other one.
        of: PathBuf,
    },
}

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Projects {
    schema: String,
    projects: Vec<ProjectEntry>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct ProjectEntry {
    id: String,
    workspace: PathBuf,
}

impl StateFile for Projects {
    const NAME: &str = "projects";
    const SCHEMA: &str = "signoff.projects/1";

    fn schema(&mut self) -> &mut String {
        &mut self.schema
    }
}

/// What is known of this workspace with this id.
pub fn status(state_dir: &Path, id: &str, workspace: &Path) -> Result<ProjectStatus, TrustError> {
    let projects = match Projects::load(state_dir) {
        // Without access to the list nothing is remembered, as if there were no home.
        Err(TrustError::File(_)) => return Ok(ProjectStatus::First),
        projects => projects?,
    };
    let same_id = || projects.projects.iter().filter(|entry| entry.id == id);
    if same_id().any(|entry| entry.workspace == workspace) {
        return Ok(ProjectStatus::Known);
    }
    let other = same_id().find(|entry| entry.is_current());
    Ok(
        other.map_or(ProjectStatus::First, |entry| ProjectStatus::Copy {
            of: entry.workspace.clone(),
        }),
    )
}

/// Remembers that this workspace has this id. Directories that no longer have theirs are forgotten.
pub fn remember(state_dir: &Path, id: &str, workspace: &Path) -> Result<(), TrustError> {
    let entry = ProjectEntry {
        id: id.to_owned(),
        workspace: workspace.to_path_buf(),
    };
    let known = Projects::load(state_dir)?.projects;
    if known.contains(&entry) {
        return Ok(());
    }
    Projects::update(state_dir, |projects| {
        projects
            .projects
            .retain(|other| *other != entry && other.is_current());
        projects.projects.push(entry);
        true
    })
}

impl ProjectEntry {
    /// Does the directory still have this id?
    fn is_current(&self) -> bool {
        let store = Store::open_existing(&self.workspace);
        let id = store.and_then(|store| store.project_id().ok().flatten());
        id.as_deref() == Some(&self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A state directory, a project, and a copy of its whole store elsewhere.
    fn copied() -> (tempfile::TempDir, Store, Store, String) {
        let dir = tempfile::tempdir().unwrap();
        let [first, copy] = ["first", "copy"].map(|name| {
            let path = dir.path().join(name);
            fs::create_dir(&path).unwrap();
            Store::create(&path).unwrap()
        });
        fs::copy(first.project_path(), copy.project_path()).unwrap();
        let id = first.project_id().unwrap().unwrap();
        (dir, first, copy, id)
    }

    #[test]
    fn a_copy_is_known_only_once_it_is_trusted() {
        let (dir, first, copy, id) = copied();
        let state = dir.path().join("state");
        let of = |store: &Store| status(&state, &id, store.workspace()).unwrap();
        assert_eq!(of(&copy), ProjectStatus::First);
        remember(&state, &id, first.workspace()).unwrap();
        assert_eq!(of(&first), ProjectStatus::Known);
        let expected = ProjectStatus::Copy {
            of: first.workspace().to_path_buf(),
        };
        assert_eq!(of(&copy), expected);
        remember(&state, &id, copy.workspace()).unwrap();
        assert_eq!(
            (of(&first), of(&copy)),
            (ProjectStatus::Known, ProjectStatus::Known)
        );
    }

    #[test]
    fn a_project_that_moved_is_no_copy() {
        let (dir, first, copy, id) = copied();
        let state = dir.path().join("state");
        remember(&state, &id, first.workspace()).unwrap();
        fs::remove_dir_all(first.workspace()).unwrap();
        assert_eq!(
            status(&state, &id, copy.workspace()).unwrap(),
            ProjectStatus::First
        );
    }
}
