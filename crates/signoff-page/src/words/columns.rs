//! Text measured in terminal columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a text in columns.
pub fn width(text: &str) -> usize {
    // Most texts are plain, and thousands of them may be laid out at once.
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Cuts a text to at most so many columns.
pub fn truncate(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut left = columns.saturating_sub(1);
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        short.push(letter);
    }
    if columns > 0 {
        short.truncate(short.trim_end().len());
        short.push('…');
    }
    short
}

/// Adds a text, padded to its column.
pub fn push(line: &mut String, text: &str, columns: usize) {
    line.push_str(text);
    spaces(line, columns.saturating_sub(width(text)));
}

/// Adds spaces.
pub fn spaces(line: &mut String, count: usize) {
    line.extend(std::iter::repeat_n(' ', count));
}

/// Breaks a text between words into lines of at most so many columns.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= columns => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns() {
        for (text, columns, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("日本語", 5, "日本…"),
            ("a bc", 3, "a…"),
            ("abc", 0, ""),
        ] {
            assert_eq!(truncate(text, columns), expected);
        }
    }

    #[test]
    fn text_is_broken_between_words() {
        assert_eq!(
            wrap("red before, green after", 11),
            ["red before,", "green after"]
        );
        assert_eq!(wrap("a/very/long/path b", 5), ["a/very/long/path", "b"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn columns_are_filled_up() {
        let mut line = String::new();
        push(&mut line, "語", 4);
        push(&mut line, "abc", 2);
        assert_eq!(line, "語  abc");
    }
}
