//! Two screens in a terminal: the review of a plan, and a run as it goes on.
//!
//! Each is a model, an update and a view: a key and a model give a model and perhaps an effect, a model gives a frame.
//! Nothing here decides: effects are handed to the caller ([`ReviewBackend`], [`WatchBackend`]), and come
//! back as data or as a message. Start reading at [`review::Review`].

mod frame;
mod keys;
mod prompt;
pub mod review;
mod screen;
mod text;
pub mod watch;

pub use self::keys::Key;
pub use self::review::{ReviewBackend, open_review};
pub use self::screen::ScreenEnd;
pub use self::watch::{WatchBackend, open_watch};

/// What came of an effect, in a sentence for the bottom line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// It was done.
    Done(String),
    /// It was refused, or failed; says why.
    Failed(String),
}

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Colours are wanted: `NO_COLOR` is not set.
    pub colour: bool,
}
