//! What a step left in the run's tree and another step must not find there: kept in the repository, and put on top of
//! the head when its step comes back.

use signoff_work::git::{Id, Merge};

use super::run_tree::Standing;
use super::{Trees, ref_part, said};

/// The owner of what nobody is known to have done: a person, while the run waited.
const BY_HAND: &str = "";

impl Trees {
    /// Keeps what is in the tree and in no commit.
    pub(super) fn put_aside(&self, standing: &Standing, head: &Id) -> Result<(), String> {
        // After a crash only the tree itself knows what it was last set to.
        let known = || self.run_worktree().base().unwrap_or_else(|_| head.clone());
        let at = standing.at.clone().unwrap_or_else(known);
        let tree = self.run_worktree().tree().map_err(said)?;
        if tree == self.own.tree_of(&at).map_err(said)? {
            return Ok(());
        }
        let owner = standing.owner.as_deref().unwrap_or(BY_HAND);
        self.keep_aside(owner, &at, &tree)
    }

    /// Keeps what a step did in the run's tree, on top of this commit.
    pub(super) fn keep_aside(&self, owner: &str, at: &Id, tree: &Id) -> Result<(), String> {
        let message = "Left in the run's tree\n";
        let commit = self.own.commit(tree, std::slice::from_ref(at), message);
        let name = aside(owner);
        self.remember(&format!("{name}/base"), at).map_err(said)?;
        self.remember(&format!("{name}/kept"), &commit.map_err(said)?)
            .map_err(said)
    }

    /// What a step did in the run's tree is merged, or is no work.
    pub(crate) fn forget_aside(&self, step: &str) -> Result<(), String> {
        let kept = self.ref_name(&format!("{}/kept", aside(step)));
        self.repository.delete_ref(&kept).map_err(said)
    }

    /// Brings back what the step left. Where it does not go together with the head any more it stays in the repository,
    /// and the step is told.
    pub(super) fn bring_back(&self, step: &str, head: &Id, repaired: bool) -> Result<(), String> {
        let mut whose = vec![step];
        whose.extend(repaired.then_some(BY_HAND));
        for owner in whose {
            let name = aside(owner);
            let find = |what: &str| {
                let name = self.ref_name(&format!("{name}/{what}"));
                self.repository.read_ref(&name).map_err(said)
            };
            let (Some(kept), Some(base)) = (find("kept")?, find("base")?) else {
                continue;
            };
            let tree = self.run_worktree().tree().map_err(said)?;
            let ours = self.own.commit(&tree, std::slice::from_ref(head), "now\n");
            let ours = ours.map_err(said)?;
            let merge = self.own.merge(&base, &ours, &kept).map_err(said)?;
            if let Merge::Clean(tree) = &merge {
                let both = self.own.commit(tree, std::slice::from_ref(head), "now\n");
                self.set(&self.run_worktree(), &both.map_err(said)?)?;
            } else {
                self.remember(&format!("{name}/refused"), &kept)
                    .map_err(said)?;
            }
            let name = self.ref_name(&format!("{name}/kept"));
            self.repository.delete_ref(&name).map_err(said)?;
            if let Merge::Conflict { files, .. } = merge {
                let files = files.join(", ");
                return Err(format!(
                    "what was left in the run's tree conflicts with what was merged meanwhile: {files}; it is kept as {kept}"
                ));
            }
        }
        Ok(())
    }
}

fn aside(owner: &str) -> String {
    format!("aside/{}", ref_part(owner))
}
