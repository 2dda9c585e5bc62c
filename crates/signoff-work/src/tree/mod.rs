//! Files of a tree: how they are told apart, which of them are protected, which are ignored.

mod beneath;
pub mod check;
mod directory_state;
mod ignore;
mod pattern;
mod protected;
mod read_only;
mod stamp;

pub(crate) use self::beneath::{open_folder, open_root, split};
pub use self::directory_state::DirectoryState;
pub(crate) use self::ignore::Patterns;
pub use self::protected::{protected, protected_changes};
pub use self::read_only::{link_target, read_only_files};
pub(crate) use self::stamp::FileStamp;
