//! Where a founder notes whom it started, in memory that it shares with us whether or not it is a copy of us.
#![expect(unsafe_code, reason = "shared memory has no safe form")]

use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::after_fork::failure::{ChildFailure, StartStage};

#[derive(Debug)]
pub(crate) struct SetupReport(NonNull<Page>);

#[derive(Debug)]
struct Page {
    guard: AtomicI32,
    leader: AtomicI32,
    /// What the founder could not do: its number, counted from 1, and the error.
    failed_step: AtomicI32,
    errno: AtomicI32,
}

// SAFETY: everything in the page is atomic.
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
        // Fresh memory is zero, which is what a new page holds.
        NonNull::new(page.cast())
            .map(Self)
            .ok_or_else(io::Error::last_os_error)
    }

    /// Forgets those of the last time.
    pub(crate) fn clear(&self) {
        let page = self.page();
        for cell in [&page.guard, &page.leader, &page.failed_step, &page.errno] {
            cell.store(0, Ordering::Release);
        }
    }

    pub(crate) fn record_init(&self, pid: i32) {
        self.page().guard.store(pid, Ordering::Release);
    }

    pub(crate) fn record_leader(&self, pid: i32) {
        self.page().leader.store(pid, Ordering::Release);
    }

    pub(crate) fn note_failure(&self, part: usize, failure: ChildFailure) {
        let page = self.page();
        page.errno.store(failure.errno, Ordering::Release);
        let part = i32::try_from(part).unwrap_or(i32::MAX - 1);
        page.failed_step.store(part + 1, Ordering::Release);
    }

    pub(crate) fn guard(&self) -> Option<i32> {
        some(&self.page().guard)
    }

    pub(crate) fn leader(&self) -> Option<i32> {
        some(&self.page().leader)
    }

    /// Returns which part the founder could not do, and why.
    pub(crate) fn failure(&self) -> Option<(usize, ChildFailure)> {
        let part = usize::try_from(some(&self.page().failed_step)?).ok()?;
        let failure = ChildFailure {
            stage: StartStage::Confine,
            errno: self.page().errno.load(Ordering::Acquire),
        };
        Some((part - 1, failure))
    }

    fn page(&self) -> &Page {
        // SAFETY: the mapping is as long as a page, and lives as long as this value.
        unsafe { self.0.as_ref() }
    }
}

fn some(cell: &AtomicI32) -> Option<i32> {
    Some(cell.load(Ordering::Acquire)).filter(|value| *value != 0)
}

impl Drop for SetupReport {
    fn drop(&mut self) {
        // SAFETY: nobody refers to the page any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<Page>()) };
    }
}
