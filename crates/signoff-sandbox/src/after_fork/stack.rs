//! Stacks for children that run in our memory.

use std::ffi::c_void;

/// A stack for a child until it executes another program or exits.
#[derive(Debug)]
pub(crate) struct ChildStack(Vec<u128>);

/// Enough for a process that makes a few system calls.
const SMALL_STACK: usize = 16 * 1024;

impl ChildStack {
    pub(crate) fn new() -> Self {
        Self::with_size(128 * 1024)
    }

    /// Returns a stack for a process that makes a few system calls.
    pub(crate) fn small() -> Self {
        Self::with_size(SMALL_STACK)
    }

    fn with_size(bytes: usize) -> Self {
        Self(vec![0; bytes / size_of::<u128>()])
    }

    /// Returns the end from which the stack grows down.
    pub(crate) fn top(&mut self) -> *mut c_void {
        self.0.as_mut_ptr_range().end.cast()
    }
}
