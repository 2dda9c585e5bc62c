//! Text of others, made safe to show.

use signoff_plan::visible;

/// Makes foreign text safe to print: one line, no control characters.
pub fn sanitize(text: &str) -> String {
    // Fast path: most texts are plain, and a large run shows many.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .map(|c| if c == '\n' { ' ' } else { c })
        .filter(|c| !c.is_control() || *c == '\t')
        .collect();
    visible::escape_text(&text).into_owned()
}

/// A command on one line, with hidden and confusable characters escaped.
pub fn escape_command(text: &str) -> String {
    visible::escape_command(text).replace('\n', " ")
}

/// A foreign file name, escaped so that it stays on its line and does not move the cursor.
pub fn escape_file_name(text: &str) -> String {
    let shown = visible::escape_command(text);
    shown.replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use super::{escape_command, escape_file_name, sanitize};

    #[test]
    fn a_name_is_a_name_and_no_line() {
        assert_eq!(escape_file_name("src/a b.rs"), "src/a b.rs");
        assert_eq!(escape_file_name("b\n✓ 2. Extra"), "b\\n✓ 2. Extra");
        assert_eq!(
            escape_file_name("\u{1b}[1A\u{7}x\u{200b}"),
            "\\u{1b}[1A\\u{7}x\\u{200b}"
        );
    }

    #[test]
    fn lines_become_one_and_nothing_moves_the_cursor() {
        assert_eq!(sanitize("folded\nmore"), "folded more");
        assert_eq!(sanitize("a\r\nb\tc"), "a b\tc");
        assert_eq!(sanitize("\u{1b}[1mx\r\u{7}"), "[1mx");
        assert_eq!(sanitize("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn a_command_is_shown_with_every_character() {
        assert_eq!(escape_command("a\nb\r\u{1b}"), "a b\\u{d}\\u{1b}");
        assert_eq!(escape_command("rm\u{a0}x"), "rm\\u{a0}x");
    }
}
