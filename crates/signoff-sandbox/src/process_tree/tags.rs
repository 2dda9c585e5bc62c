//! Tags that every descendant of a command has, even if it clears its environment and leaves its session.
//!
//! They are stored in resource limits that no kernel since 2.4 uses. Limits are inherited, survive exec, and an
//! ordinary user can only lower them.

use std::sync::atomic::{AtomicU64, Ordering};

const FIELD_BITS: u32 = 20;
/// Content of an unused field: the highest value, because a limit cannot be raised.
const FREE: u64 = (1 << FIELD_BITS) - 1;
const TOP: u64 = 0x4 << 60;
const ALL_FREE: u64 = TOP | (FREE << 40) | (FREE << 20) | FREE;
/// Positions of the fields, outermost harness first.
const SHIFTS: [u32; 3] = [40, 20, 0];

/// Says which command a process belongs to: orphans of all commands become children of this process, and several
/// commands may run at once.
///
/// It is stored in `RLIMIT_LOCKS`. It has fields with room to count down, because a limit can only be lowered: a
/// harness inside of a command inherits the command's tag and fills the next field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandTag(u64);

impl CommandTag {
    /// Returns the tag of the next command, or `None` if this process cannot set any.
    pub(crate) fn next() -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Harnesses on one machine start at different numbers, in case one adopts orphans of another.
        let first = u64::from(std::process::id()) * 1009;
        Self::nested_tag(own_limit(), first + COUNT.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the tag that the value of the limit is, if it is one.
    pub(crate) fn from_limit(limit: u64) -> Option<Self> {
        (limit >> 60 == TOP >> 60).then_some(Self(limit))
    }

    /// Whether `other` belongs to the same command, or to a harness that this command started.
    pub(crate) fn covers(self, other: Self) -> bool {
        let free = SHIFTS
            .iter()
            .filter(|shift| self.0 >> **shift & FREE == FREE)
            .count();
        let shift = u32::try_from(free).unwrap_or(0) * FIELD_BITS;
        self.0 >> shift == other.0 >> shift
    }

    pub(crate) fn limit(self) -> u64 {
        self.0
    }

    /// Returns the tag of a command that a process with this limit starts.
    fn nested_tag(own: u64, count: u64) -> Option<Self> {
        let base = Self::from_limit(own).map_or(ALL_FREE, Self::limit);
        if own < base {
            return None;
        }
        let shift = SHIFTS
            .into_iter()
            .find(|shift| base >> shift & FREE == FREE)?;
        Some(Self(base & !(FREE << shift) | (count % FREE) << shift))
    }
}

/// Says which run a process belongs to, to find what a crash left behind.
///
/// Command tags are counted by a harness that is gone by then; this one can be computed from the marker. It is stored
/// in `RLIMIT_RSS`. A process that lowers this limit on purpose loses the tag; the system call filter prevents that
/// where there is one (see `seccomp`). A harness that has a run tag itself, inside of another's command, or whose own
/// limit is lower, cannot set one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunTag(u64);

impl RunTag {
    /// Returns the tag of the run that a marker begins with.
    pub(crate) fn of_marker(marker: &str) -> Self {
        let run = marker.split('/').next().unwrap_or(marker);
        // FNV-1a: the same in every version of this program.
        let hash = run.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        Self(TOP | hash >> 4)
    }

    /// Returns the tag of the run that a marker names. A marker that names a part of a run has none.
    pub(crate) fn of_whole_run(marker: &str) -> Option<Self> {
        let run = marker.strip_suffix('/').unwrap_or(marker);
        (!run.is_empty() && !run.contains('/')).then(|| Self::of_marker(run))
    }

    pub(crate) fn limit(self) -> u64 {
        self.0
    }
}

fn own_limit() -> u64 {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Locks).maximum.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNLIMITED: u64 = u64::MAX;

    #[test]
    fn covers_itself_and_what_is_inside() {
        let outer = CommandTag::nested_tag(UNLIMITED, 7).unwrap();
        let other = CommandTag::nested_tag(UNLIMITED, 8).unwrap();
        let inner = CommandTag::nested_tag(outer.limit(), 3).unwrap();
        let innermost = CommandTag::nested_tag(inner.limit(), 0).unwrap();
        assert!(outer.covers(outer) && outer.covers(inner) && outer.covers(innermost));
        assert!(inner.covers(innermost));
        assert!(!outer.covers(other) && !other.covers(inner) && !inner.covers(outer));
    }

    #[test]
    fn a_run_tag_means_a_whole_run() {
        let tag = RunTag::of_marker("r-1/step/2");
        assert_eq!(RunTag::of_whole_run("r-1/"), Some(tag));
        assert_eq!(RunTag::of_whole_run("r-1"), Some(tag));
        assert_ne!(RunTag::of_whole_run("r-2/"), Some(tag));
        for part in ["r-1/step/2", "", "/"] {
            assert_eq!(RunTag::of_whole_run(part), None);
        }
        assert_eq!(tag.limit() >> 60, TOP >> 60);
    }

    #[test]
    fn goes_down_only() {
        let outer = CommandTag::nested_tag(UNLIMITED, FREE + 5).unwrap();
        let inner = CommandTag::nested_tag(outer.limit(), FREE - 1).unwrap();
        assert!(inner.limit() < outer.limit());
    }

    #[test]
    fn gives_none_where_it_cannot() {
        assert_eq!(CommandTag::nested_tag(1024, 0), None);
        let deepest = (0..3).fold(UNLIMITED, |limit, _| {
            CommandTag::nested_tag(limit, 1).unwrap().limit()
        });
        assert_eq!(CommandTag::nested_tag(deepest, 1), None);
        assert_eq!(CommandTag::from_limit(UNLIMITED), None);
    }
}
