//! A short text on the stack, for a forked child, which must not allocate.

use std::ffi::CStr;
use std::fmt;

/// At most `N - 1` bytes, and a zero after them.
#[derive(Debug)]
pub(crate) struct StackText<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> StackText<N> {
    pub(crate) fn new() -> Self {
        Self {
            bytes: [0; N],
            length: 0,
        }
    }

    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Write for StackText<N> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let end = self.length + part.len();
        let free = self.bytes.get_mut(self.length..end).filter(|_| end < N);
        free.ok_or(fmt::Error)?.copy_from_slice(part.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn takes_what_fits_with_a_zero_after_it() {
        let mut text = StackText::<8>::new();
        assert!(write!(text, "/{}/abc", 12).is_ok());
        assert_eq!(text.as_c_str(), c"/12/abc");
        assert!(text.write_str("d").is_err());
        assert_eq!(text.as_c_str(), c"/12/abc");
    }
}
