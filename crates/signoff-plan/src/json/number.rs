//! What JSON calls a number.

/// What is wrong with a word that begins like a number, as the end of a sentence about it.
pub(super) fn refusal(word: &str) -> Option<&'static str> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    let parts = [Some(whole), fraction, exponent];
    let written = parts.into_iter().flatten().all(is_digits);
    let padded = whole.len() > 1 && whole.starts_with('0');
    if !written || padded {
        return Some("is not a number");
    }
    let finite = word.parse().is_ok_and(f64::is_finite);
    (!finite).then_some("is too large for a number")
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn numbers_are_those_of_json() {
        for good in ["0", "-0", "10", "1.50", "1e9", "1E+9", "-1.5e-7"] {
            assert_eq!(refusal(good), None, "{good}");
        }
        for bad in [
            "01",
            "+1",
            ".5",
            "1.",
            "1e",
            "0x1f",
            "1_000",
            "--1",
            "-",
            "2024-01-01",
        ] {
            assert_eq!(refusal(bad), Some("is not a number"), "{bad}");
        }
        assert_eq!(refusal("1e999"), Some("is too large for a number"));
    }
}
