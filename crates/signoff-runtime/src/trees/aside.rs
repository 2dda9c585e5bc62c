//! What a step left in the run's tree and another step must not find there: kept in the repository, and put on top of
//! the head when its step comes back.

use signoff_work::git::{Id, Merge};

use super::run_tree::Standing;
use super::{Trees, ref_part, said};

/// The owner of what nobody is known to have done: a person, while the run waited.
const BY_HAND: &str = "";

impl Trees {
    /// Keeps what is in the tree and in no commit. `true`: there is nothing of that kind.
    pub(super) fn put_aside(&self, standing: &Standing, head: &Id) -> Result<bool, String> {
        // After a crash only the tree itself knows what it was last set to.
        let known = || self.run_worktree().base().unwrap_or_else(|_| head.clone());
        let at = standing.at.clone().unwrap_or_else(known);
        let tree = Self::seen(&self.run_worktree()).map_err(said)?;
        if tree == self.own.tree_of(&at).map_err(said)? {
            return Ok(true);
        }
        let owner = standing.owner.as_deref().unwrap_or(BY_HAND);
        self.keep_aside(owner, &at, &tree)?;
        Ok(false)
    }

    /// Keeps what a step did in the run's tree, on top of this commit.
    pub(super) fn keep_aside(&self, owner: &str, at: &Id, tree: &Id) -> Result<(), String> {
        let on_top = |tree: &Id| {
            let message = "Left in the run's tree\n";
            let commit = self.own.commit(tree, std::slice::from_ref(at), message);
            commit.map_err(said)
        };
        let mut commit = on_top(tree)?;
        let name = aside(owner);
        // What was put aside before and not brought back belongs to it.
        if let Some((base, kept)) = self.aside_of(owner)? {
            match self.own.merge(&base, &commit, &kept).map_err(said)? {
                Merge::Clean(both) => commit = on_top(&both)?,
                Merge::Conflict { .. } => {
                    let name = format!("{name}/refused");
                    self.remember(&name, &kept).map_err(said)?;
                }
            }
        }
        self.remember(&format!("{name}/base"), at).map_err(said)?;
        self.remember(&format!("{name}/kept"), &commit)
            .map_err(said)
    }

    /// What was put aside for somebody, after the commit that it lay on.
    fn aside_of(&self, owner: &str) -> Result<Option<(Id, Id)>, String> {
        let name = aside(owner);
        let find = |what: &str| {
            let name = self.ref_name(&format!("{name}/{what}"));
            self.repository.read_ref(&name).map_err(said)
        };
        Ok(find("base")?.zip(find("kept")?))
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
            let Some((base, kept)) = self.aside_of(owner)? else {
                continue;
            };
            let tree = Self::seen(&self.run_worktree()).map_err(said)?;
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
