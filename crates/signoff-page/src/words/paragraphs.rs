//! Text that somebody broke into lines of a file, as paragraphs of a page.

/// A line that is at least this long was broken because it was full.
const FULL: usize = 60;

/// Joins lines that were broken because they were full; every other line end stays: those of lists, of code, and where
/// somebody wanted a new line.
pub fn join_full_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut is_full = false;
    let mut in_code = false;
    for (at, line) in text.lines().enumerate() {
        let is_fence = line.trim_start().starts_with("```");
        let goes_on = is_full && !in_code && !is_fence && continues(line);
        if at > 0 {
            joined.push(if goes_on { ' ' } else { '\n' });
        }
        joined.push_str(line);
        in_code ^= is_fence;
        is_full = line.chars().count() >= FULL && !line.ends_with(' ');
    }
    joined
}

/// Could this line go on with the sentence of the one before? An item of a list, a heading and what is indented do not.
fn continues(line: &str) -> bool {
    let Some(first) = line.chars().next() else {
        return false;
    };
    let number = line.trim_start_matches(|one: char| one.is_ascii_digit());
    let is_item = number.len() < line.len() && number.starts_with(['.', ')']);
    !first.is_whitespace() && !"-*+#>|•".contains(first) && !is_item
}

#[cfg(test)]
mod tests {
    use super::join_full_lines;

    #[test]
    fn only_full_lines_are_joined() {
        let full = "Write a test that fails because of it, and for no other reason. Say";
        for (text, expected) in [
            (format!("{full}\nwhy."), format!("{full} why.")),
            (format!("{full}\n\nNext."), format!("{full}\n\nNext.")),
            (format!("{full}\n- an item"), format!("{full}\n- an item")),
            (format!("{full}\n2. a step"), format!("{full}\n2. a step")),
            (format!("{full}\n2 steps."), format!("{full} 2 steps.")),
            (format!("{full}\n  code"), format!("{full}\n  code")),
            (
                format!("```\n{full}\ncode\n```\n{full}\nwords"),
                format!("```\n{full}\ncode\n```\n{full} words"),
            ),
            // Two spaces at its end ask for a new line.
            (format!("{full}  \nnew"), format!("{full}  \nnew")),
            ("short\nlines\n".to_owned(), "short\nlines".to_owned()),
            (String::new(), String::new()),
        ] {
            assert_eq!(join_full_lines(&text), expected);
        }
    }
}
