//! Git, as the harness uses it: with a git directory of its own.
//!
//! A repository's configuration can make git run programs: hooks, filters, drivers, monitors. So the person's git
//! directory is used only for references and for reading values ([`Repository`]). Everything that touches objects or
//! files goes through [`HarnessGit`], a git directory whose configuration the harness writes, and which shares only the
//! objects. Agents work in a [`Worktree`], which has a repository of its own that is never read.
//!
//! A person's changes join the run's tree ([`HarnessGit::join_checkout`]); the run's work lands in the checkout as commits
//! ([`HarnessGit::prepare_landing`]) or file by file ([`HarnessGit::land_files`]). Projects without a repository, or with
//! one that cannot record them, get a private one ([`Repository::for_run`]).
//!
//! Each folder builds on those before it: `repository`, `trees`, `files`, `checkout`, `merge`, then `agents` and `landing`.
//! Start reading at [`Repository::find`], then [`HarnessGit::snapshot`].

mod agents;
mod checkout;
mod command;
mod durable;
mod entries;
mod error;
mod files;
mod id;
mod landing;
mod merge;
mod names;
mod repository;
mod scratch;
mod trees;

pub use self::agents::import::{ImportLimits, ImportReport};
pub(crate) use self::agents::spread::{make_apart, spread_directories};
pub use self::agents::worktree::Worktree;
pub use self::checkout::scan::LARGEST_OF_PERSON;
pub use self::checkout::times::CheckoutTimes;
pub(crate) use self::checkout::times::FileTime;
pub use self::command::{Git, is_absent};
pub(crate) use self::entries::{Difference, IndexEntry};
pub use self::error::GitError;
pub(crate) use self::error::is_of_machine;
pub use self::files::hold_reason::HoldReason;
pub use self::id::Id;
pub use self::landing::commits::{LandOutcome, Landing, LandingReadiness};
pub use self::landing::report::{HeldFile, LandReport, LandedFiles, UnlandReport};
pub use self::landing::settle::Settling;
pub use self::merge::commits::Merge;
pub use self::merge::join::{JoinReport, RestlessFiles};
pub(crate) use self::names::{Name, lies_within, path, text};
pub use self::repository::harness_git::HarnessGit;
pub use self::repository::persons_repository::{Head, NO_PROGRAMS, Repository};
pub use self::repository::private::RunRepository;
pub use self::repository::references::Checkout;
pub(crate) use self::scratch::{Scratch, write};
pub(crate) use self::trees::compose::TreeEdit;
pub use self::trees::inspect::{InspectReport, Manifest};
pub(crate) use self::trees::listing::TreeDepth;
