//! What a setup process tells us: which processes it started, or why it could not.
//!
//! It lies in memory that both share, also where the setup process has a copy of everything else.
#![expect(unsafe_code, reason = "shared memory has no safe form")]

use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::after_fork::failure::{ChildFailure, StartStage};

#[derive(Debug)]
pub(crate) struct SetupReport(NonNull<Page>);

/// How far a setup process came, and why no further.
#[derive(Debug)]
pub(crate) struct SetupFailure {
    pub(crate) steps_done: usize,
    pub(crate) failure: ChildFailure,
}

#[derive(Debug)]
struct Page {
    init: AtomicI32,
    leader: AtomicI32,
    /// The step that failed, counted from 1.
    failed_step: AtomicI32,
    errno: AtomicI32,
}

// SAFETY: every field of the page is atomic.
unsafe impl Send for SetupReport {}

impl SetupReport {
    pub(crate) fn new() -> io::Result<Self> {
        // SAFETY: a new mapping, which nothing else refers to.
        let page = unsafe {
            libc::mmap(
                ptr::null_mut(),
                size_of::<Page>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // New memory is zero, which is what an empty report holds.
        NonNull::new(page.cast())
            .map(Self)
            .ok_or_else(io::Error::last_os_error)
    }

    /// Clears what the last setup process reported.
    pub(crate) fn clear(&self) {
        let page = self.page();
        for cell in [&page.init, &page.leader, &page.failed_step, &page.errno] {
            cell.store(0, Ordering::Release);
        }
    }

    pub(crate) fn record_init(&self, pid: i32) {
        self.page().init.store(pid, Ordering::Release);
    }

    pub(crate) fn record_leader(&self, pid: i32) {
        self.page().leader.store(pid, Ordering::Release);
    }

    pub(crate) fn record_failure(&self, steps_done: usize, failure: ChildFailure) {
        let page = self.page();
        page.errno.store(failure.errno, Ordering::Release);
        let steps_done = i32::try_from(steps_done).unwrap_or(i32::MAX - 1);
        page.failed_step.store(steps_done + 1, Ordering::Release);
    }

    /// Returns the init process, if one was started.
    pub(crate) fn init(&self) -> Option<i32> {
        nonzero(&self.page().init)
    }

    /// Returns the process that becomes the command, if it was started.
    pub(crate) fn leader(&self) -> Option<i32> {
        nonzero(&self.page().leader)
    }

    /// Returns how far the setup process came, and why no further, if it failed.
    pub(crate) fn failure(&self) -> Option<SetupFailure> {
        let failed_step = usize::try_from(nonzero(&self.page().failed_step)?).ok()?;
        let failure = ChildFailure {
            stage: StartStage::Confine,
            errno: self.page().errno.load(Ordering::Acquire),
        };
        Some(SetupFailure {
            steps_done: failed_step - 1,
            failure,
        })
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping is as long as a page, and lives as long as this value.
        unsafe { self.0.as_ref() }
    }
}

fn nonzero(cell: &AtomicI32) -> Option<i32> {
    Some(cell.load(Ordering::Acquire)).filter(|value| *value != 0)
}

impl Drop for SetupReport {
    fn drop(&mut self) {
        // SAFETY: nothing refers to the page any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Page>()) };
    }
}
