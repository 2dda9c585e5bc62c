//! Git, as the harness uses it: by a git directory of its own.
//!
//! Whoever can write a repository's configuration can make git run programs: hooks, filters, drivers, monitors. So the
//! person's git directory is used for nothing but references and for reading values ([`Repository`]); everything that
//! touches objects or files is done by [`Own`], a git directory whose configuration the harness writes, and which
//! shares only the objects. Agents work in a [`Worktree`], which has a repository of its own that is never read.
//!
//! What a person does meanwhile joins the run's tree ([`Own::join_checkout`]); what the run made lands in the checkout as
//! commits ([`Own::prepare_landing`]) or file by file ([`Own::land_files`]). Projects that are in no repository, or in one
//! that cannot record them, get a private one ([`Repository::for_run`]).
//!
//! Start reading at [`Repository::find`], then [`Own::snapshot`].

mod agents;
mod checkout;
mod checkout_index;
mod checkout_times;
mod compose;
mod conflict;
mod default_excludes;
mod entries;
mod error;
mod file_writer;
mod fitting;
mod history;
mod id;
mod ignored;
mod import;
mod index;
mod inspect;
mod join;
mod land_files;
mod land_report;
mod landing;
mod landing_index;
mod links;
mod listing;
mod look;
mod lost;
mod materialize;
mod merge;
mod names;
mod obstacles;
mod own;
mod place;
mod present;
mod private;
mod references;
mod refusals;
mod remove;
mod replay;
mod repository;
mod restore;
mod scratch;
mod settings;
mod settle_files;
mod snapshot;
mod spread;
mod start;
mod swap;
mod template;
mod tree_merge;
mod unland_files;
mod worktree;

pub use self::checkout_times::CheckoutTimes;
pub(crate) use self::compose::TreeEdit;
pub(crate) use self::entries::{Difference, Entry};
pub use self::error::GitError;
pub use self::id::Id;
pub use self::import::{ImportLimits, ImportReport};
pub use self::inspect::{InspectReport, Manifest};
pub use self::join::{JoinReport, RestlessFiles};
pub use self::land_report::{HeldFile, HoldReason, LandReport, LandedFiles, UnlandReport};
pub use self::landing::{Landed, Landing, Prepared};
pub(crate) use self::listing::Below;
pub use self::look::LARGEST_OF_PERSON;
pub use self::merge::Merge;
pub(crate) use self::names::{Name, path, text, within};
pub use self::own::Own;
pub use self::private::RunRepository;
pub use self::references::Checkout;
pub(crate) use self::remove::remove_tree;
pub use self::repository::{Head, Repository};
pub use self::restore::{PutBack, Restored};
pub(crate) use self::scratch::{Scratch, write};
pub use self::settle_files::Settling;
pub(crate) use self::spread::{make_apart, spread};
pub use self::start::{Git, is_absent};
pub use self::worktree::Worktree;
