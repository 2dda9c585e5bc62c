//! What a step left in the run's tree and another step must not find there: kept in the repository, and put on top of
//! the head when its step comes back.

use signoff_work::git::{Id, Merge};

use super::run_tree::Standing;
use super::{Trees, ref_part, said};

/// The owner of what nobody is known to have done: a person, while the run waited.
const BY_HAND: &str = "";

impl Trees {
    /// Keeps what is in the tree and in no commit.
    pub(super) fn put_aside(&self, standing: &mut Standing, head: &Id) -> Result<(), String> {
        let at = standing.at.clone().unwrap_or_else(|| head.clone());
        let tree = self.run_worktree().tree().map_err(said)?;
        if tree == self.own.tree_of(&at).map_err(said)? {
            return Ok(());
        }
        let commit = self
            .own
            .commit(&tree, std::slice::from_ref(&at), "Left in the run's tree\n")
            .map_err(said)?;
        let owner = standing.owner.take();
        let name = aside(owner.as_deref().unwrap_or(BY_HAND));
        self.remember(&format!("{name}/base"), &at).map_err(said)?;
        self.remember(&format!("{name}/kept"), &commit)
            .map_err(said)
    }

    /// Brings back what the step left, where it goes together with the head.
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
            if let Merge::Clean(tree) = self.own.merge(&base, &ours, &kept).map_err(said)? {
                let both = self.own.commit(&tree, std::slice::from_ref(head), "now\n");
                self.set(&self.run_worktree(), &both.map_err(said)?)?;
                let kept = self.ref_name(&format!("{name}/kept"));
                self.repository.delete_ref(&kept).map_err(said)?;
            }
        }
        Ok(())
    }
}

fn aside(owner: &str) -> String {
    format!("aside/{}", ref_part(owner))
}
