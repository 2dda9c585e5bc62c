//! Places at which the crash tests kill the process.
//!
//! With the feature `failpoints`, `SIGNOFF_FAILPOINT="name:n"` ends the process by SIGKILL the n-th
//! time that point is reached, and `SIGNOFF_FAULT=n` lets the n-th change of a file or directory fail
//! as if the disk were full. `SIGNOFF_FAULT=n+` lets every one from the n-th on fail, and
//! `SIGNOFF_CLOCK=ms` shifts the clock; `SIGNOFF_LEVEL=landlock` pretends that the machine's sandbox is no stronger, and
//! `SIGNOFF_ROOM=copy` that its overlays are not, and
//! `SIGNOFF_ACCOUNT=name` that the account is called so. Without the feature all of this compiles to nothing.

/// Is this a build for tests?
pub const COMPILED_IN: bool = cfg!(feature = "failpoints");

/// Dies here, if this is the place and the count asked for.
#[inline]
pub fn reach(point: &str) {
    if should_die_at(point) {
        die();
    }
}

/// Counts one arrival; true when the process is to die at this one. For points that leave
/// something half done first.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub(crate) fn should_die_at(_point: &str) -> bool {
    false
}

#[cfg(not(feature = "failpoints"))]
#[inline]
pub(crate) fn die() {}

/// Called before every system call that changes the disk; fails if this is the one that the test names.
#[cfg(not(feature = "failpoints"))]
#[inline]
#[expect(
    clippy::unnecessary_wraps,
    reason = "with the feature it fails where a test wants it to"
)]
pub(crate) fn change() -> std::io::Result<()> {
    Ok(())
}

/// Milliseconds by which a test wants the clock to be wrong.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn clock_shift() -> i64 {
    0
}

/// The level of the sandbox that a test wants to be the strongest.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn sandbox_level() -> Option<String> {
    None
}

/// The name of the account that a test plays.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn account() -> Option<String> {
    None
}

/// The best overlay level that a test allows.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn overlay_level() -> Option<String> {
    None
}

#[cfg(feature = "failpoints")]
pub use armed::{account, clock_shift, overlay_level, sandbox_level};
#[cfg(feature = "failpoints")]
pub(crate) use armed::{change, die, should_die_at};

#[cfg(feature = "failpoints")]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    struct Armed {
        point: String,
        left: AtomicU64,
    }

    fn armed_point() -> Option<&'static Armed> {
        static ARMED: OnceLock<Option<Armed>> = OnceLock::new();
        ARMED
            .get_or_init(|| parse(&std::env::var("SIGNOFF_FAILPOINT").ok()?))
            .as_ref()
    }

    fn parse(text: &str) -> Option<Armed> {
        let (point, count) = text.rsplit_once(':')?;
        Some(Armed {
            point: point.to_owned(),
            left: AtomicU64::new(count.parse().ok()?),
        })
    }

    pub(crate) fn should_die_at(point: &str) -> bool {
        armed_point().is_some_and(|armed| {
            armed.point == point && armed.left.fetch_sub(1, Ordering::Relaxed) == 1
        })
    }

    pub(crate) fn change() -> std::io::Result<()> {
        static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
        let fault = FAULT.get_or_init(|| {
            let text = std::env::var("SIGNOFF_FAULT").ok()?;
            let (first, lasts) = match text.strip_suffix('+') {
                Some(first) => (first, true),
                None => (text.as_str(), false),
            };
            Some(Fault {
                first: first.parse().ok()?,
                lasts,
                changes: AtomicU64::new(0),
            })
        });
        let fails = fault.as_ref().is_some_and(|fault| {
            let number = fault.changes.fetch_add(1, Ordering::Relaxed) + 1;
            number == fault.first || (fault.lasts && number > fault.first)
        });
        if fails {
            return Err(rustix::io::Errno::NOSPC.into());
        }
        Ok(())
    }

    /// Which changes of the disk fail.
    struct Fault {
        first: u64,
        lasts: bool,
        changes: AtomicU64,
    }

    /// The name of the account that a test plays.
    pub fn account() -> Option<String> {
        std::env::var("SIGNOFF_ACCOUNT").ok()
    }

    /// Milliseconds by which a test wants the clock to be wrong.
    pub fn clock_shift() -> i64 {
        static SHIFT: OnceLock<i64> = OnceLock::new();
        let given = || std::env::var("SIGNOFF_CLOCK").ok()?.parse().ok();
        *SHIFT.get_or_init(|| given().unwrap_or(0))
    }

    /// The level of the sandbox that a test wants to be the strongest.
    pub fn sandbox_level() -> Option<String> {
        std::env::var("SIGNOFF_LEVEL").ok()
    }

    /// The best overlay level that a test allows.
    pub fn overlay_level() -> Option<String> {
        std::env::var("SIGNOFF_ROOM").ok()
    }

    pub(crate) fn die() {
        // A kill that fails leaves the process alive, and the test that expected it dead says so.
        kill_process(getpid(), Signal::KILL).ok();
    }
}
