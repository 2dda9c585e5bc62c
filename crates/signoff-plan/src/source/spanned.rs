//! Values that know where they were read.

use super::Span;

/// A value and the place it was read from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spanned<T> {
    /// What was read.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Puts a value at its place.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// Changes the value, keeps the place.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned::new(change(self.value), self.span)
    }
}
