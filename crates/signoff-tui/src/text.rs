//! Texts of plans and agents, made safe to draw, and cut to a width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Lines without control characters: what looks like an escape sequence stays visible as text and moves no cursor.
pub(crate) fn lines(text: &str) -> Vec<String> {
    text.lines().map(single_line).collect()
}

/// One line; line breaks in it become spaces.
pub(crate) fn single_line(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' => "    ".to_owned(),
        '\n' | '\r' => " ".to_owned(),
        '\u{1b}' => "␛".to_owned(),
        c if c.is_control() || is_invisible(c) => "\u{fffd}".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(shown).collect()
}

/// `2026-11-18 09:25:27 UTC`, of a time in RFC 3339.
pub(crate) fn clock_time(at: &str) -> String {
    match (at.get(..10), at.get(11..19)) {
        (Some(date), Some(time)) => format!("{date} {time} UTC"),
        _ => at.to_owned(),
    }
}

/// Characters that turn or hide others.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The beginning of a line, at most so many columns wide.
pub(crate) fn truncate(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// A line broken at spaces, each part at most so many columns wide.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let indent: String = text
        .chars()
        .take_while(|c| *c == ' ')
        .take(width / 2)
        .collect();
    let mut out = Vec::new();
    let mut current = String::new();
    for word in text.split_inclusive(' ') {
        if (current.as_str().width() + word.trim_end().width()) > width
            && !current.trim().is_empty()
        {
            out.push(current.trim_end().to_owned());
            current = format!("{indent}  ");
        }
        let mut rest = word.to_owned();
        while current.as_str().width() + rest.trim_end().width() > width {
            let room = width.saturating_sub(current.as_str().width()).max(1);
            let head: String = rest.chars().take(room).collect();
            rest = rest.chars().skip(room).collect();
            current.push_str(&head);
            out.push(std::mem::replace(&mut current, format!("{indent}  ")));
        }
        current.push_str(&rest);
    }
    if !current.trim().is_empty() || out.is_empty() {
        out.push(current.trim_end().to_owned());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_moves_the_cursor() {
        assert_eq!(
            single_line("a\u{1b}[2Jb\u{7}\u{202e}c\r\nd"),
            "a␛[2Jb\u{fffd}\u{fffd}c  d"
        );
    }

    #[test]
    fn long_texts_are_cut_or_wrapped() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("界界界", 4), "界…");
        assert_eq!(wrap("  one two three", 9), ["  one two", "    three"]);
        assert_eq!(wrap("abcdefghijkl", 8), ["abcdefgh", "  ijkl"]);
    }
}
