//! Names as parts of addresses.

use std::fmt::Write as _;

/// A name as one part of a path.
pub fn path_segment(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(byte));
            }
            other => {
                let _ = write!(text, "%{other:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::path_segment;

    #[test]
    fn a_name_is_one_part() {
        assert_eq!(path_segment("PLAN-a1"), "PLAN-a1");
        assert_eq!(
            path_segment("docs/a plan.md?x#y"),
            "docs%2Fa%20plan.md%3Fx%23y"
        );
    }
}
