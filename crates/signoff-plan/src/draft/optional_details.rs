//! Details that take no room where there are none.

use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use super::{Details, Step};

/// The details of a step, if it has any.
// Plans may have a hundred thousand steps, of which each would be four times as large.
#[derive(Debug, Clone, Default)]
pub(crate) struct OptionalDetails(Option<Box<Details>>);

impl OptionalDetails {
    /// The details to change, where there are any.
    pub(crate) fn present(&mut self) -> Option<&mut Details> {
        self.0.as_deref_mut()
    }
}

impl PartialEq for OptionalDetails {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

static NONE: LazyLock<Details> = LazyLock::new(Details::default);

impl OptionalDetails {
    fn get(&self) -> &Details {
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl Deref for Step {
    type Target = Details;

    fn deref(&self) -> &Details {
        self.details.get()
    }
}

impl DerefMut for Step {
    fn deref_mut(&mut self) -> &mut Details {
        self.details.0.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_take_room_once_they_are_written() {
        let mut step = Step::default();
        assert!(step.details.present().is_none() && step.when.is_none());
        step.when = None;
        assert!(step.details.present().is_some());
        assert_eq!(step, Step::default());
    }
}
