//! Whether a command line only reads: the judge of plan mode.
//!
//! A text is read-only if every command in it is a known program with arguments that are known to
//! only read. Everything else is not, above all what cannot be understood.

mod refusal;

pub use self::refusal::{NotReadOnly, Refusal};

/// Whether a shell text changes nothing: no file, no process, no setting.
pub fn read_only(text: &str) -> Result<(), NotReadOnly> {
    Err(NotReadOnly {
        command: text.to_owned(),
        reason: Refusal::Unreadable,
    })
}
