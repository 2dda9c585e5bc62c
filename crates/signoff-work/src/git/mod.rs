//! Git, as the harness uses it: by a git directory of its own.
//!
//! Whoever can write a repository's configuration can make git run programs: hooks, filters, drivers, monitors. So the
//! person's git directory is used for nothing but references and for reading values ([`Repository`]); everything that
//! touches objects or files is done by [`Own`], a git directory whose configuration the harness writes, and which
//! shares only the objects. Agents work in a [`Worktree`], which has a repository of its own that is never read.
//!
//! Start reading at [`Repository::find`], then [`Own::snapshot`].

mod agents;
mod checkout;
mod conflict;
mod entries;
mod error;
mod fitting;
mod history;
mod id;
mod ignored;
mod index;
mod landing;
mod landing_index;
mod look;
mod lost;
mod merge;
mod names;
mod obstacles;
mod own;
mod place;
mod references;
mod refusals;
mod remove;
mod replay;
mod repository;
mod restore;
mod scratch;
mod settings;
mod snapshot;
mod spread;
mod start;
mod worktree;

pub use self::error::GitError;
pub use self::id::Id;
pub use self::landing::{Landed, Landing, Prepared};
pub use self::merge::Merge;
pub use self::own::Own;
pub use self::references::Checkout;
pub use self::repository::{Head, Repository};
pub use self::restore::{PutBack, Restored};
pub use self::start::Git;
pub use self::worktree::Worktree;
