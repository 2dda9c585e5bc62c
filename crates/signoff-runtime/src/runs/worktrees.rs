//! Where the worktrees of a run are.

use std::path::PathBuf;

use signoff_engine::{Choice, InboxItem, Run};

use crate::project::Project;
use crate::project::directories::{run_root, run_tree_dir, step_tree_dir};

/// The worktrees of one run. In the checkout it has none.
#[derive(Debug, Clone, Default)]
pub struct RunWorktrees {
    root: Option<PathBuf>,
}

impl RunWorktrees {
    /// Those of a run of this name.
    pub(crate) fn of(project: &Project, run: &str, in_worktrees: bool) -> Self {
        Self {
            root: run_root(project, run).filter(|_| in_worktrees),
        }
    }

    /// The run's tree, if it is a worktree and there.
    pub fn run_tree(&self) -> Option<PathBuf> {
        self.root
            .as_deref()
            .map(run_tree_dir)
            .filter(|path| path.is_dir())
    }

    /// The worktree that a step has to itself, if it is there.
    pub fn of_step(&self, run: &Run, at: usize) -> Option<PathBuf> {
        let (step, _) = run.step(at).filter(|_| run.has_own_tree(at))?;
        let path = step_tree_dir(self.root.as_deref()?, &step.id);
        path.is_dir().then_some(path)
    }

    /// Where a person repairs the step of an item, if not in the checkout.
    pub fn of_item(&self, run: &Run, item: &InboxItem) -> Option<PathBuf> {
        if !item.choices.contains(&Choice::Fixed) {
            return None;
        }
        if run.has_own_tree(item.step) {
            self.of_step(run, item.step)
        } else {
            self.run_tree()
        }
    }
}
