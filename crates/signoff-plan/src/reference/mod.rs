//! References in `args` to what other steps give: `$build`, `$build.files[0].name`, and in the middle
//! of a text `${build.version}`.
//!
//! Text that is exactly one reference becomes the value with its type. `$$` is a dollar sign, and
//! `$100` is text: an id that begins with a digit is written in braces.

mod read;
mod resolve;

pub use self::read::{PathPart, Reference, Token, TokenKind, scan};
pub use self::resolve::{Unresolved, resolve};

/// Whether a text holds something that is known only when the plan runs.
pub fn is_dynamic(text: &str) -> bool {
    let known =
        |found: &Token<'_>| matches!(found.kind, TokenKind::Whole(_) | TokenKind::Inside(_));
    scan(text).iter().any(known)
}
