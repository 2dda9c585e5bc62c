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
    pub overlay: Option<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Levels {
    schema: String,
    sandbox: Option<String>,
    #[serde(rename = "rooms")]
    overlays: Vec<LevelsEntry>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
struct LevelsEntry {
    workspace: PathBuf,
    #[serde(rename = "room")]
    overlay: String,
}

impl StateFile for Levels {
    const NAME: &str = "levels";
    const SCHEMA: &str = "signoff.levels/1";

    fn schema(&mut self) -> &mut String {
        &mut self.schema
    }
}

impl Levels {
    fn overlay_of(&self, workspace: &Path) -> Option<&String> {
        let mut overlays = self.overlays.iter();
        let entry = overlays.find(|entry| entry.workspace == workspace)?;
        Some(&entry.overlay)
    }
}

/// What this machine had before, and this checkout.
pub fn recorded_levels(
    state_dir: &Path,
    workspace: Option<&Path>,
) -> Result<RecordedLevels, TrustError> {
    let levels = match Levels::load(state_dir) {
        // Without access to the list nothing is remembered, as if there were no home.
        Err(TrustError::File(_)) => return Ok(RecordedLevels::default()),
        levels => levels?,
    };
    let overlay = workspace.and_then(|workspace| levels.overlay_of(workspace));
    Ok(RecordedLevels {
        overlay: overlay.cloned(),
        sandbox: levels.sandbox,
    })
}

/// Remembers what this machine has now, and this checkout. What is not known now stays as it was. Checkouts
/// that are gone are forgotten.
pub fn record(
    state_dir: &Path,
    workspace: Option<&Path>,
    now: &RecordedLevels,
) -> Result<(), TrustError> {
    let before = recorded_levels(state_dir, workspace)?;
    let is_known = |now: &Option<String>, before| now.is_none() || *now == before;
    if is_known(&now.sandbox, before.sandbox) && is_known(&now.overlay, before.overlay) {
        return Ok(());
    }
    Levels::update(state_dir, |levels| {
        if now.sandbox.is_some() {
            levels.sandbox.clone_from(&now.sandbox);
        }
        if let (Some(workspace), Some(overlay)) = (workspace, &now.overlay) {
            levels
                .overlays
                .retain(|entry| entry.workspace != workspace && entry.workspace.is_dir());
            levels.overlays.push(LevelsEntry {
                workspace: workspace.to_owned(),
                overlay: overlay.clone(),
            });
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn levels(sandbox: Option<&str>, overlay: Option<&str>) -> RecordedLevels {
        RecordedLevels {
            sandbox: sandbox.map(str::to_owned),
            overlay: overlay.map(str::to_owned),
        }
    }

    #[test]
    fn the_sandbox_is_the_machines_and_the_overlay_the_checkouts() {
        let dir = tempfile::tempdir().unwrap();
        let [state, one, other] = ["state", "one", "other"].map(|name| dir.path().join(name));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let of = |workspace: &Path| recorded_levels(&state, Some(workspace)).unwrap();
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
            recorded_levels(&state, None).unwrap(),
            levels(Some("bubblewrap"), None)
        );
    }

    #[test]
    fn a_checkout_that_is_gone_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().join("gone");
        record(dir.path(), Some(&gone), &levels(None, Some("overlay"))).unwrap();
        record(dir.path(), Some(dir.path()), &levels(None, Some("copy"))).unwrap();
        let overlay = |workspace: &Path| {
            recorded_levels(dir.path(), Some(workspace))
                .unwrap()
                .overlay
        };
        assert_eq!(
            (overlay(&gone), overlay(dir.path()).as_deref()),
            (None, Some("copy"))
        );
    }

    #[test]
    fn a_list_of_version_1_is_still_read_and_a_damaged_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("levels.json");
        let text = r#"{"schema":"signoff.levels/1","sandbox":"landlock","rooms":[{"workspace":"/w","room":"shared"}]}"#;
        fs::write(&list, text).unwrap();
        let read = || recorded_levels(dir.path(), Some(Path::new("/w")));
        assert_eq!(read().unwrap(), levels(Some("landlock"), Some("shared")));
        fs::write(&list, "{").unwrap();
        // It may have said more than what there is now.
        assert!(read().is_err());
        assert!(record(dir.path(), None, &levels(Some("none"), None)).is_err());
        assert_eq!(fs::read_to_string(&list).unwrap(), "{");
    }
}
