//! Short durations.

/// `0.4s`, `12s`, `3m 10s`, `2h 5m`, `3d 4h`.
pub fn short_duration(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match seconds {
        0..10 => format!("{seconds}.{}s", milliseconds % 1000 / 100),
        10..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h {}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::short_duration;

    #[test]
    fn the_two_largest_units_are_told() {
        for (milliseconds, expected) in [
            (0, "0.0s"),
            (990, "0.9s"),
            (9_999, "9.9s"),
            (10_000, "10s"),
            (59_999, "59s"),
            (60_000, "1m 0s"),
            (3_599_999, "59m 59s"),
            (3_600_000, "1h 0m"),
            (90_061_000, "1d 1h"),
        ] {
            assert_eq!(short_duration(milliseconds), expected);
        }
    }
}
