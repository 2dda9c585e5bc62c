//! A mark that every descendant of a command carries, even if it clears its environment and leaves its session.
//!
//! Orphans of all commands end up as children of this process, and two commands may run at once; the brand says
//! whose they are. It is kept in `RLIMIT_LOCKS`, a resource limit that no kernel since 2.4 looks at: limits are
//! inherited, survive exec, and an ordinary user can only lower them. So it is a number with room to count down in:
//! a harness inside a command takes its command's brand and fills the next field.

use std::sync::atomic::{AtomicU64, Ordering};

const FIELD_BITS: u32 = 20;
/// Content of a field not yet used; the greatest value, because a limit cannot be raised.
const FREE: u64 = (1 << FIELD_BITS) - 1;
const TOP: u64 = 0x4 << 60;
const ALL_FREE: u64 = TOP | (FREE << 40) | (FREE << 20) | FREE;
/// Positions of the fields, outermost harness first.
const SHIFTS: [u32; 3] = [40, 20, 0];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Brand(u64);

impl Brand {
    /// Returns a brand for one more command, or nothing if this process cannot give any.
    pub(crate) fn next() -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Harnesses side by side count from different places, in case one inherits the other's orphans.
        let first = u64::from(std::process::id()) * 1009;
        Self::inside(own_limit(), first + COUNT.fetch_add(1, Ordering::Relaxed))
    }

    /// Recognises a brand in the value of the limit.
    pub(crate) fn recognise(limit: u64) -> Option<Self> {
        (limit >> 60 == TOP >> 60).then_some(Self(limit))
    }

    /// Says whether `other` belongs to the same command, or to a harness that this command started.
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

    fn inside(own: u64, count: u64) -> Option<Self> {
        let base = Self::recognise(own).map_or(ALL_FREE, Self::limit);
        if own < base {
            return None;
        }
        let shift = SHIFTS
            .into_iter()
            .find(|shift| base >> shift & FREE == FREE)?;
        Some(Self(base & !(FREE << shift) | (count % FREE) << shift))
    }
}

/// A mark of the run that a process belongs to, for whoever ends what a crash left.
///
/// Brands are counted by a harness that is gone by then; this one can be worked out again from the marker. It is kept
/// in `RLIMIT_RSS`, which no kernel since 2.4 looks at either. A process that lowers this limit on purpose loses it,
/// which the filter of system calls prevents where there is one (see `seccomp`); a harness that has it itself, inside
/// of a command of another one, or whose own limit is lower, cannot give it.
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

    /// Returns the tag that a marker stands for as a whole: one that names a part of a run stands for none.
    pub(crate) fn of_whole(marker: &str) -> Option<Self> {
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
        let outer = Brand::inside(UNLIMITED, 7).unwrap();
        let other = Brand::inside(UNLIMITED, 8).unwrap();
        let inner = Brand::inside(outer.limit(), 3).unwrap();
        let innermost = Brand::inside(inner.limit(), 0).unwrap();
        assert!(outer.covers(outer) && outer.covers(inner) && outer.covers(innermost));
        assert!(inner.covers(innermost));
        assert!(!outer.covers(other) && !other.covers(inner) && !inner.covers(outer));
    }

    #[test]
    fn a_tag_stands_for_a_whole_run() {
        let tag = RunTag::of_marker("r-1/step/2");
        assert_eq!(RunTag::of_whole("r-1/"), Some(tag));
        assert_eq!(RunTag::of_whole("r-1"), Some(tag));
        assert_ne!(RunTag::of_whole("r-2/"), Some(tag));
        for part in ["r-1/step/2", "", "/"] {
            assert_eq!(RunTag::of_whole(part), None);
        }
        assert_eq!(tag.limit() >> 60, TOP >> 60);
    }

    #[test]
    fn goes_down_only() {
        let outer = Brand::inside(UNLIMITED, FREE + 5).unwrap();
        let inner = Brand::inside(outer.limit(), FREE - 1).unwrap();
        assert!(inner.limit() < outer.limit());
    }

    #[test]
    fn gives_none_where_it_cannot() {
        assert_eq!(Brand::inside(1024, 0), None);
        let deepest = (0..3).fold(UNLIMITED, |limit, _| {
            Brand::inside(limit, 1).unwrap().limit()
        });
        assert_eq!(Brand::inside(deepest, 1), None);
        assert_eq!(Brand::recognise(UNLIMITED), None);
    }
}
