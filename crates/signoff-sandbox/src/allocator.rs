//! A setting of the C library's allocator. It is in this crate because setting it takes `unsafe`.

/// Stops glibc from keeping small freed blocks in its fast bins.
///
/// A plan of many steps is many small blocks, and glibc sorts all those in the fast bins whenever a large block is
/// freed: that was a seventh of the time of resuming a run of 20,000 steps.
pub fn disable_fast_bins() {
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "the C library has no safe interface for it")]
    // SAFETY: `mallopt` takes two numbers and may be called at any time.
    unsafe {
        libc::mallopt(libc::M_MXFAST, 0);
    }
}
