//! Landings and undone runs, as programs read them.

use signoff_api::{landing, undo};
use signoff_store::runs::RunDir;

use super::{HeldFileVersion, LandingReport, UndoReport};

impl LandingReport {
    /// The result as `land --format json` prints it.
    pub fn to_api(&self) -> landing::Landing {
        let held = self.held.iter().map(|held| landing::HeldFile {
            path: held.path.clone(),
            reason: held.reason.clone(),
            version: self.version_of(held),
        });
        landing::Landing {
            schema: landing::SCHEMA.to_owned(),
            run: self.run.clone(),
            landed: self.refused.is_empty(),
            already: self.already,
            commits: self.commits,
            commit: self.commit.clone(),
            branch: self.branch.clone(),
            refused: self.refused.clone(),
            by_hand: self.by_hand.clone(),
            files: self.files.clone().unwrap_or_default(),
            held: held.collect(),
        }
    }

    /// Where the run's version of a held file is, as seen from the project.
    pub fn version_of(&self, held: &HeldFileVersion) -> Option<String> {
        let versions = RunDir::seen_from_workspace(&self.run).held_versions();
        held.version.as_ref()?;
        Some(versions.join(&held.path).to_string_lossy().into_owned())
    }
}

impl UndoReport {
    /// The result as `undo --format json` prints it.
    pub fn to_api(&self) -> undo::Undo {
        let kept_in = self.kept_in.as_ref();
        undo::Undo {
            schema: undo::SCHEMA.to_owned(),
            run: self.run.clone(),
            undone: self.refused.is_empty(),
            restored: self.restored.clone(),
            deleted: self.deleted.clone(),
            kept: self.kept.clone(),
            kept_in: kept_in.map(|worktree| worktree.to_string_lossy().into_owned()),
            already: self.already,
            removed: self.removed.clone(),
            refused: self.refused.clone(),
            left: self.left.clone(),
        }
    }
}
