//! Texts of agents, made short enough to be shown.

/// Bytes of a tool's output that an event holds.
const OUTPUT: usize = 4 * 1024;
/// Bytes of a message that an event holds.
const MESSAGE: usize = 64 * 1024;
/// Bytes of a line that says what a tool call is about.
const LINE: usize = 160;

/// The beginning and the end of a tool's output.
pub(super) fn short_output(text: &str) -> String {
    if text.len() <= OUTPUT {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(OUTPUT * 3 / 4)];
    let tail = &text[text.ceil_char_boundary(text.len() - OUTPUT / 4)..];
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n… {left_out} bytes …\n{tail}")
}

/// The beginning of a message.
pub(super) fn short_message(text: &str) -> String {
    shorten(text, MESSAGE)
}

/// The first line that is not empty, shortened.
pub(super) fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    shorten(line.unwrap_or_default(), LINE)
}

fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(limit)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_both_ends_of_an_output() {
        let long = format!("first{}last", "é".repeat(OUTPUT));
        let short = short_output(&long);
        assert!(short.starts_with("first") && short.ends_with("last"));
        assert!(short.len() < OUTPUT + 40, "{}", short.len());
        assert_eq!(short_output("all"), "all");
    }

    #[test]
    fn a_line_is_the_first_with_words() {
        assert_eq!(one_line("\n  cargo test \nmore"), "cargo test");
        assert_eq!(one_line(&"é".repeat(200)).len(), LINE + "…".len());
    }
}
