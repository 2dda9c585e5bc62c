//! What a process finds at the checkout's path.

use std::path::{Path, PathBuf};

use signoff_sandbox::{Bind, Overlay, Policy};

use super::{RunPaths, fit_to_bind};

/// Where the objects of the run's repository are found, read-only. Nothing else of the person's repository is visible.
pub const OBJECTS: &str = "/run/signoff/objects";

/// What a process finds at the checkout's path.
#[derive(Debug, Clone)]
pub enum VisibleTree {
    /// The checkout itself: nothing can be mounted, or the person asked for it.
    Checkout,
    /// A recorded tree in layers; what the process changes goes to the uppermost one.
    Overlay {
        tree: Overlay,
        /// Ignored directories in it that are mounted by themselves.
        roots: Vec<Overlay>,
    },
    /// A directory that shows a recorded tree, where there are mounts and no overlays.
    Copy {
        from: PathBuf,
        /// What the checkout has and git ignores, relative to it; read-only.
        ignored: Vec<PathBuf>,
    },
}

impl VisibleTree {
    /// A recorded tree in layers, with nothing else mounted in it.
    pub fn in_layers(tree: Overlay) -> Self {
        let roots = Vec::new();
        Self::Overlay { tree, roots }
    }

    /// Is it something else than the checkout itself?
    pub fn is_recorded(&self) -> bool {
        !matches!(self, Self::Checkout)
    }
}

impl RunPaths {
    /// Adds what the process finds at the checkout's path. `read_only` lie in it and stay as they are.
    pub(super) fn show(&self, shown: &VisibleTree, read_only: &[PathBuf], policy: &mut Policy) {
        match shown {
            VisibleTree::Checkout => {
                policy.writable.push(self.tree.clone());
                policy.read_only.extend(self.kept_paths());
                policy.read_only.extend(fit_to_bind(read_only));
            }
            VisibleTree::Overlay { tree, roots } => {
                policy.overlays.push(tree.clone());
                policy.overlays.extend_from_slice(roots);
                policy.read_only.extend_from_slice(read_only);
                policy.binds.extend(self.object_bind());
            }
            VisibleTree::Copy { from, ignored } => {
                policy.binds.push(bind(from, &self.tree, true));
                let roots = ignored.iter().map(|path| self.tree.join(path));
                policy
                    .binds
                    .extend(roots.map(|root| bind(&root, &root, false)));
                policy.read_only.extend_from_slice(read_only);
                policy.binds.extend(self.object_bind());
            }
        }
    }

    fn object_bind(&self) -> Option<Bind> {
        let objects = self.objects.as_deref()?;
        Some(bind(objects, Path::new(OBJECTS), false))
    }
}

fn bind(from: &Path, to: &Path, writable: bool) -> Bind {
    Bind {
        from: from.to_owned(),
        to: to.to_owned(),
        writable,
    }
}
