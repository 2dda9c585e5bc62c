//! The thread that starts the leaders of commands, as the kernel's lists of children show it.

use std::sync::atomic::{AtomicI32, Ordering};

/// The parent of every leader, and of every process that a leader starts as its sibling.
#[derive(Debug)]
pub(crate) struct SpawningThread {
    id: u32,
    /// The child that is between fork and exec; 0 if there is none.
    starting: AtomicI32,
}

impl SpawningThread {
    /// Describes the calling thread.
    pub(crate) fn current() -> Self {
        let id = rustix::thread::gettid().as_raw_nonzero().get();
        Self {
            id: id.cast_unsigned(),
            starting: AtomicI32::new(0),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Returns the child that is between fork and exec; 0 if there is none.
    pub(crate) fn starting_child(&self) -> u32 {
        self.starting.load(Ordering::Acquire).cast_unsigned()
    }

    /// Where the kernel writes the number of a child before it runs.
    pub(crate) fn starting_slot(&self) -> *mut i32 {
        self.starting.as_ptr()
    }

    /// Forgets the child that was starting. To be called once its number is known (see `children`).
    pub(crate) fn clear_starting(&self) {
        self.starting.store(0, Ordering::Release);
    }
}
