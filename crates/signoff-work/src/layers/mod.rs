//! The layers of what a process sees at the checkout's path, and what its work left in the topmost one.
//!
//! An overlay shows, from the bottom: the checkout; a [`Mask`] over everything of it that is versioned, so that only
//! ignored things (`node_modules`, `target`) are seen; a directory that shows a recorded tree, lent by a [`TreePool`];
//! and an upper directory that takes every change. [`record_layer`] reads that upper directory. Which paths are ignored
//! is decided once, by the [`IgnoreRules`] of the run's first tree: nothing that an agent writes can hide a file from a
//! contract that sees it. New directories that ignore themselves (`self_ignored.rs`) are hidden from both.
//!
//! The harness never sees the merged view: it works on the directories. Start reading at [`TreePool::share`].

mod beneath;
mod caches;
mod changes;
mod copies;
mod detached_layer;
mod error;
mod exclusive;
mod ignored;
mod mask;
mod mask_stamp;
mod pool;
mod record;
mod rules;
mod self_ignored;
mod slot;
mod walk;

pub use self::beneath::remove_layer;
pub use self::caches::is_cache;
pub use self::changes::{ChangeKind, ChangedPath, LayerReport};
pub use self::error::LayerError;
pub use self::exclusive::ExclusiveTree;
pub use self::ignored::ignored_paths;
pub use self::mask::Mask;
pub use self::mask_stamp::MaskStamp;
pub use self::pool::{SharedTree, TreePool};
pub use self::record::{LayerContext, record_layer, record_taken};
pub use self::rules::IgnoreRules;
pub use self::self_ignored::{ignores_itself, self_ignored_paths};
pub use self::walk::LayerLimits;
