//! How long to wait before a retry.

use crate::Millis;

const CAP: Millis = 60_000;

/// Pause before the retry that follows failure number `failures` (from 1): the base doubled each
/// time, at most a minute, up to a quarter more.
///
/// The jitter is drawn from the names, not from a random source: replay must choose the same time.
pub(crate) fn pause(base: Millis, failures: u32, run: &str, step: &str) -> Millis {
    let doubled = base.saturating_mul(1 << failures.saturating_sub(1).min(16));
    let capped = doubled.min(CAP);
    let spread = capped / 4;
    if spread == 0 {
        return capped;
    }
    capped + fnv(run, step, failures) % spread
}

/// FNV-1a: spreads retries of many runs, which is all that jitter is for.
fn fnv(run: &str, step: &str, failures: u32) -> u64 {
    let bytes = run
        .bytes()
        .chain(step.bytes())
        .chain(failures.to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_up_to_a_cap() {
        for (failures, low) in [
            (1, 1000),
            (2, 2000),
            (3, 4000),
            (7, 60_000),
            (u32::MAX, 60_000),
        ] {
            let pause = pause(1000, failures, "run", "step");
            assert!((low..low + low / 4).contains(&pause), "{failures}: {pause}");
        }
    }

    #[test]
    fn no_base_means_no_pause() {
        assert_eq!(pause(0, 3, "run", "step"), 0);
    }

    #[test]
    fn is_the_same_every_time_and_differs_between_runs() {
        assert_eq!(pause(1000, 1, "a", "s"), pause(1000, 1, "a", "s"));
        assert_ne!(pause(1000, 1, "a", "s"), pause(1000, 1, "b", "s"));
    }
}
