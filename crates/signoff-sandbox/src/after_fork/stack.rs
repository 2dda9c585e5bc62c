//! Stacks for children that run in our memory.

use std::ffi::c_void;

/// Memory for a child to run on before it becomes the command.
#[derive(Debug)]
pub(crate) struct ChildStack(Vec<u128>);

/// Enough for a process that makes a few system calls.
const SMALL_STACK: usize = 16 * 1024;

impl ChildStack {
    pub(crate) fn new() -> Self {
        Self::of(128 * 1024)
    }

    /// For a few system calls.
    pub(crate) fn small() -> Self {
        Self::of(SMALL_STACK)
    }

    fn of(bytes: usize) -> Self {
        Self(vec![0; bytes / size_of::<u128>()])
    }

    /// Stacks grow down from here.
    pub(crate) fn top(&mut self) -> *mut c_void {
        self.0.as_mut_ptr_range().end.cast()
    }
}
