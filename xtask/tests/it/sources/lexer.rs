//! Tells a Rust file's code from its comments, and leaves out what stands in quotes.

/// The two kinds of text that the rules look at.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Text {
    pub(crate) code: String,
    pub(crate) comments: String,
}

/// Splits a file; a space stands where something was taken out.
pub(crate) fn split(source: &str) -> Text {
    let mut text = Text::default();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (length, is_comment) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), true)
        } else if rest.starts_with("/*") {
            (block_comment(rest), true)
        } else if let Some(length) = quoted(rest, &text.code) {
            (length, false)
        } else {
            text.code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        if is_comment {
            text.comments.push_str(&rest[..length]);
            text.comments.push('\n');
        }
        text.code.push(' ');
        rest = &rest[length..];
    }
    text
}

/// Length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of the string or character that begins here, if one does.
fn quoted(text: &str, before: &str) -> Option<usize> {
    if let Some(string) = text.strip_prefix('"') {
        return Some(1 + escaped(string, '"')?);
    }
    if let Some(character) = text.strip_prefix('\'') {
        // `'a` without a closing quote is a lifetime.
        let mut chars = character.chars();
        let is_char = match chars.next()? {
            '\\' => true,
            _ => chars.next() == Some('\''),
        };
        return if is_char {
            Some(1 + escaped(character, '\'')?)
        } else {
            None
        };
    }
    let in_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if in_word { None } else { raw(text) }
}

/// Length up to and including the closing quote; a backslash hides what follows it.
fn escaped(text: &str, quote: char) -> Option<usize> {
    let mut hidden = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if hidden => hidden = false,
            '\\' => hidden = true,
            _ if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Length of a raw string: `r"…"`, `r#"…"#`, `br#"…"#`.
fn raw(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close)?;
    Some(text.len() - body.len() + end + close.len())
}

#[test]
fn splits_code_from_comments_and_quotes() {
    for (source, code, comments) in [
        ("a // b\nc", "a  \nc", "// b\n"),
        ("a /* b /* c */ d */ e", "a   e", "/* b /* c */ d */\n"),
        (r#"f("a \" // b") + g"#, "f( ) + g", ""),
        (r##"f(r#"a " // b"#) + g"##, "f( ) + g", ""),
        (r#"for r in b"x" {}"#, "for r in b  {}", ""),
        (
            r"fn f<'a>(c: &'a str) { '\'' '/' }",
            "fn f<'a>(c: &'a str) {     }",
            "",
        ),
        ("let é = 'é'; // ü", "let é =  ;  ", "// ü\n"),
    ] {
        let text = split(source);
        assert_eq!(
            (text.code.as_str(), text.comments.as_str()),
            (code, comments)
        );
    }
}
