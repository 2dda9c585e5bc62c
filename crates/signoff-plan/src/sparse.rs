//! Values that are rarely anything but their default, and take no room until they are.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// Its default, which all who have nothing else share.
pub trait Blank: Default + PartialEq + 'static {
    /// The shared default.
    fn blank() -> &'static Self;
}

/// A value that takes the space of a pointer until it is changed.
// A plan may have a hundred thousand steps, and most of what a step can have only few of them have.
#[derive(Debug, Clone)]
pub struct Sparse<T>(Option<Box<T>>);

impl<T: Blank> Sparse<T> {
    /// The value to change, where there is one.
    pub fn as_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Gives its room back if it is the default again.
    pub fn condense(&mut self) {
        if self.0.as_deref() == Some(T::blank()) {
            self.0 = None;
        }
    }
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Blank> PartialEq for Sparse<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Blank + Eq> Eq for Sparse<T> {}

impl<T: Blank + Hash> Hash for Sparse<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let value = self.0.as_deref();
        value.filter(|value| *value != T::blank()).hash(state);
    }
}

impl<T: Blank> From<T> for Sparse<T> {
    fn from(value: T) -> Self {
        let mut sparse = Self(Some(Box::new(value)));
        sparse.condense();
        sparse
    }
}

impl<T: Blank> Deref for Sparse<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or_else(|| T::blank())
    }
}

impl<T: Blank> DerefMut for Sparse<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

/// Makes types [`Blank`], each with a default of its own for all.
#[macro_export]
macro_rules! blank {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::sparse::Blank for $type {
            fn blank() -> &'static Self {
                static BLANK: std::sync::LazyLock<$type> = std::sync::LazyLock::new(Default::default);
                &BLANK
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Pair(u64, String);

    crate::blank!(Pair);

    #[test]
    fn a_value_takes_room_from_its_first_change_until_it_is_the_default_again() {
        let mut pair = Sparse::<Pair>::default();
        assert!(pair.1.is_empty() && pair.as_mut().is_none());
        pair.1.push('x');
        assert_eq!(*pair, Pair(0, "x".to_owned()));
        pair.1.clear();
        assert!(pair.as_mut().is_some() && pair == Sparse::default());
        pair.condense();
        assert!(pair.as_mut().is_none());
        assert!(Sparse::from(Pair::default()).as_mut().is_none());
        assert!(Sparse::from(Pair(1, String::new())).as_mut().is_some());
    }

    #[test]
    fn it_is_no_larger_than_a_pointer() {
        assert_eq!(size_of::<Sparse<[u64; 0]>>(), size_of::<usize>());
    }
}
