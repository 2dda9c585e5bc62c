//! How strongly this machine confined what runs started, when one last began: a machine that gives less
//! than before is a question to the person and no default.
//!
//! How the sandbox works is a matter of the machine. How recorded trees are shown depends on where the
//! checkout lies as well, so that is remembered for each of them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrustError;
use super::state_file::StateFile;

/// What is remembered, as the words that evidence and `doctor` use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedLevels {
    /// The level of the sandbox.
    pub sandbox: Option<String>,
    /// How trees of this checkout were shown.
    pub room: Option<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Levels {
    schema: String,
    sandbox: Option<String>,
    rooms: Vec<LevelsEntry>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct LevelsEntry {
    workspace: PathBuf,
    room: String,
}

impl StateFile for Levels {
    const NAME: &str = "levels";
    const SCHEMA: &str = "signoff.levels/1";

    fn schema(&mut self) -> &mut String {
        &mut self.schema
    }
}

impl Levels {
    fn room_of(&self, workspace: &Path) -> Option<&String> {
        let mut rooms = self.rooms.iter();
        let entry = rooms.find(|entry| entry.workspace == workspace)?;
        Some(&entry.room)
    }
}

/// What this machine had before, and this checkout.
pub fn recorded(state_dir: &Path, workspace: Option<&Path>) -> Result<RecordedLevels, TrustError> {
    let levels = match Levels::load(state_dir) {
        // A list that cannot be reached remembers nothing, as where there is no home.
        Err(TrustError::File(_)) => return Ok(RecordedLevels::default()),
        levels => levels?,
    };
    let room = workspace.and_then(|workspace| levels.room_of(workspace));
    Ok(RecordedLevels {
        room: room.cloned(),
        sandbox: levels.sandbox,
    })
}

/// Remembers what this machine has now, and this checkout. What is not told stays as it was. Checkouts
/// that are gone are forgotten.
pub fn record(
    state_dir: &Path,
    workspace: Option<&Path>,
    now: &RecordedLevels,
) -> Result<(), TrustError> {
    let before = recorded(state_dir, workspace)?;
    let is_told = |now: &Option<String>, before| now.is_none() || *now == before;
    if is_told(&now.sandbox, before.sandbox) && is_told(&now.room, before.room) {
        return Ok(());
    }
    Levels::update(state_dir, |levels| {
        if now.sandbox.is_some() {
            levels.sandbox.clone_from(&now.sandbox);
        }
        if let (Some(workspace), Some(room)) = (workspace, &now.room) {
            levels
                .rooms
                .retain(|entry| entry.workspace != workspace && entry.workspace.is_dir());
            levels.rooms.push(LevelsEntry {
                workspace: workspace.to_owned(),
                room: room.clone(),
            });
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn levels(sandbox: Option<&str>, room: Option<&str>) -> RecordedLevels {
        RecordedLevels {
            sandbox: sandbox.map(str::to_owned),
            room: room.map(str::to_owned),
        }
    }

    #[test]
    fn the_sandbox_is_the_machines_and_the_room_the_checkouts() {
        let dir = tempfile::tempdir().unwrap();
        let [state, one, other] = ["state", "one", "other"].map(|name| dir.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let of = |workspace: &Path| recorded(&state, Some(workspace)).unwrap();
        assert_eq!(of(&one), RecordedLevels::default());
        record(
            &state,
            Some(&one),
            &levels(Some("namespaces"), Some("overlay")),
        )
        .unwrap();
        assert_eq!(of(&one), levels(Some("namespaces"), Some("overlay")));
        assert_eq!(of(&other), levels(Some("namespaces"), None));
        record(
            &state,
            Some(&other),
            &levels(Some("bubblewrap"), Some("copy")),
        )
        .unwrap();
        assert_eq!(of(&one), levels(Some("bubblewrap"), Some("overlay")));
        // A run in the checkout itself says nothing about overlays.
        record(&state, Some(&one), &levels(Some("bubblewrap"), None)).unwrap();
        assert_eq!(of(&one), levels(Some("bubblewrap"), Some("overlay")));
        assert_eq!(
            recorded(&state, None).unwrap(),
            levels(Some("bubblewrap"), None)
        );
    }

    #[test]
    fn a_checkout_that_is_gone_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        record(dir.path(), Some(&gone), &levels(None, Some("overlay"))).unwrap();
        record(dir.path(), Some(dir.path()), &levels(None, Some("copy"))).unwrap();
        let room = |workspace: &Path| recorded(dir.path(), Some(workspace)).unwrap().room;
        assert_eq!(
            (room(&gone), room(dir.path()).as_deref()),
            (None, Some("copy"))
        );
    }

    #[test]
    fn a_list_of_version_1_is_still_read_and_a_damaged_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("levels.json");
        let text = r#"{"schema":"signoff.levels/1","sandbox":"landlock","rooms":[{"workspace":"/w","room":"shared"}]}"#;
        fs::write(&list, text).unwrap();
        let read = || recorded(dir.path(), Some(Path::new("/w")));
        assert_eq!(read().unwrap(), levels(Some("landlock"), Some("shared")));
        fs::write(&list, "{").unwrap();
        // It may have said more than what there is now.
        assert!(read().is_err());
        assert!(record(dir.path(), None, &levels(Some("none"), None)).is_err());
        assert_eq!(fs::read_to_string(&list).unwrap(), "{");
    }
}
