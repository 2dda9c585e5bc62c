//! Values, reasons and commits, cut to one short line.

use super::columns::truncate;
use super::sanitize::sanitize;

/// Columns of a value, and of a reason.
pub const SHOWN: usize = 100;
const REASON: usize = 400;

/// The first digits of a commit's name.
pub fn short_commit(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// A value on one line, cut if it is long.
pub fn short_value(value: &serde_json::Value) -> String {
    truncate(&sanitize(&value.to_string()), SHOWN)
}

/// A reason on one line, cut if it is long.
pub fn one_line(reason: &str) -> String {
    // Nearly every reason is one short line, and a table has many.
    if reason.len() <= REASON && !reason.contains(char::is_control) {
        return sanitize(reason);
    }
    let words: Vec<&str> = reason.split_whitespace().collect();
    truncate(&sanitize(&words.join(" ")), REASON)
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_reason_is_one_line_whatever_others_said() {
        assert_eq!(one_line("a  short one"), "a  short one");
        assert_eq!(
            one_line("status 500: <html>\r\n\n  <p>no\u{7}</p>\n"),
            "status 500: <html> <p>no</p>"
        );
        let page = one_line(&"word ".repeat(1000));
        assert!(page.len() < 410 && page.ends_with('…'), "{page}");
    }
}
