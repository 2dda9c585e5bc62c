//! Places at which the crash tests kill the process.
//!
//! With the feature `failpoints`, `SIGNOFF_FAILPOINT="name:n"` ends the process by SIGKILL the n-th
//! time that point is reached, `SIGNOFF_HOLD="name:n"` stops it there until SIGCONT, and `SIGNOFF_FAULT=n` lets the n-th change of a file or directory fail
//! as if the disk were full. `SIGNOFF_FAULT=n+` lets every one from the n-th on fail, and
//! `SIGNOFF_CLOCK=ms` shifts the clock; `SIGNOFF_LEVEL=landlock` pretends that the machine's sandbox is no stronger, and
//! `SIGNOFF_ROOM=copy` that its overlays are not, and
//! `SIGNOFF_ACCOUNT=name` that the account is called so. Without the feature all of this compiles to nothing.

/// Is this a build for tests?
pub const COMPILED_IN: bool = cfg!(feature = "failpoints");

/// Dies here, or waits, if this is the place and the count asked for.
#[inline]
pub fn reach(point: &str) {
    hold(point);
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

/// Waits for SIGCONT, if a test wants something else to happen here meanwhile.
#[cfg(not(feature = "failpoints"))]
#[inline]
fn hold(_point: &str) {}

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
use armed::hold;
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

    impl Armed {
        fn should_die_at(&self, point: &str) -> bool {
            self.point == point && self.left.fetch_sub(1, Ordering::Relaxed) == 1
        }
    }

    fn armed_point(
        variable: &str,
        kept: &'static OnceLock<Option<Armed>>,
    ) -> Option<&'static Armed> {
        let parsed = || parse(&std::env::var(variable).ok()?);
        kept.get_or_init(parsed).as_ref()
    }

    fn parse(text: &str) -> Option<Armed> {
        let (point, count) = text.rsplit_once(':')?;
        Some(Armed {
            point: point.to_owned(),
            left: AtomicU64::new(count.parse().ok()?),
        })
    }

    pub(crate) fn should_die_at(point: &str) -> bool {
        static KILL: OnceLock<Option<Armed>> = OnceLock::new();
        armed_point("SIGNOFF_FAILPOINT", &KILL).is_some_and(|armed| armed.should_die_at(point))
    }

    pub(super) fn hold(point: &str) {
        static HOLD: OnceLock<Option<Armed>> = OnceLock::new();
        if armed_point("SIGNOFF_HOLD", &HOLD).is_some_and(|armed| armed.should_die_at(point)) {
            // A process that does not stop is seen by the test that waits for it.
            kill_process(getpid(), Signal::STOP).ok();
        }
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
