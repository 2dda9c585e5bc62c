//! Finds references in a text.

use std::fmt;

use crate::source::{Span, text_from};

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The step.
    pub id: &'a str,
    /// The way into its value.
    pub path: Vec<PathPart<'a>>,
}

/// One step of the way into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathPart<'a> {
    /// `.name`
    Name(&'a str),
    /// `[0]`
    Index(usize),
}

impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)?;
        for part in &self.path {
            match part {
                PathPart::Name(name) => write!(f, ".{name}")?,
                PathPart::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A place in a text where something begins with a dollar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// Where in the text, the dollar included.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind<'a>,
}

/// What begins with a dollar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenKind<'a> {
    /// The whole text is this reference.
    Whole(Reference<'a>),
    /// `${…}` in a text.
    Inside(Reference<'a>),
    /// `$$`: a dollar sign.
    Dollar,
    /// `$name` in the middle of a text, which is text.
    Name(&'a str),
    /// It begins like a reference, and is none.
    Bad(&'static str),
}

const UNCLOSED: &str = "is never closed with `}`";

/// Everything in a text that begins with a dollar, in order.
pub fn scan(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    if !text.contains('$') {
        return found;
    }
    if let Some(rest) = text.strip_prefix('$')
        && rest.starts_with(begins_name)
    {
        let span = Span::new(0, text.len());
        let kind = match read(rest) {
            Some((reference, "")) => TokenKind::Whole(reference),
            _ => TokenKind::Bad("begins like a reference, but is none"),
        };
        found.push(Token { span, kind });
        return found;
    }
    let mut at = 0;
    while let Some(offset) = text.get(at..).and_then(|rest| rest.find('$')) {
        let start = at + offset;
        let (kind, length) = dollar(text_from(text, start + 1));
        let span = Span::new(start, start + 1 + length);
        at = span.end;
        // Nor is any brace behind one that is never closed.
        let unclosed = kind == Some(TokenKind::Bad(UNCLOSED));
        found.extend(kind.map(|kind| Token { span, kind }));
        if unclosed {
            break;
        }
    }
    found
}

/// What stands behind a dollar in the middle of a text, and its length.
fn dollar(rest: &str) -> (Option<TokenKind<'_>>, usize) {
    if rest.starts_with('$') {
        return (Some(TokenKind::Dollar), 1);
    }
    if let Some(inside) = rest.strip_prefix('{') {
        let Some(end) = inside.find('}') else {
            return (Some(TokenKind::Bad(UNCLOSED)), 1);
        };
        let kind = match inside.get(..end).and_then(read) {
            Some((reference, "")) => TokenKind::Inside(reference),
            _ => TokenKind::Bad("begins like a reference, but is none"),
        };
        return (Some(kind), end + 2);
    }
    if rest.starts_with(begins_name) {
        let (name, _) = name(rest);
        return (Some(TokenKind::Name(name)), name.len());
    }
    (None, 0)
}

/// Reads `id.path[0]` and gives what is left.
fn read(text: &str) -> Option<(Reference<'_>, &str)> {
    let (id, mut rest) = name(text);
    if id.is_empty() {
        return None;
    }
    let mut path = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('.') {
            let (part, after) = name(after);
            if part.is_empty() {
                return None;
            }
            path.push(PathPart::Name(part));
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            let (index, after) = after.split_once(']')?;
            let digits = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
            path.push(PathPart::Index(index.parse().ok().filter(|_| digits)?));
            rest = after;
        } else {
            return Some((Reference { id, path }, rest));
        }
    }
}

fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn name(text: &str) -> (&str, &str) {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let length = text.find(|c| !part(c)).unwrap_or(text.len());
    text.split_at_checked(length).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = scan(text)
            .iter()
            .map(|found| {
                let place = found.span.slice(text);
                match &found.kind {
                    TokenKind::Whole(reference) => format!("whole {place} = {reference}"),
                    TokenKind::Inside(reference) => format!("inside {place} = {reference}"),
                    TokenKind::Dollar => format!("dollar {place}"),
                    TokenKind::Name(name) => format!("name {place} = {name}"),
                    TokenKind::Bad(why) => format!("bad {place}: {why}"),
                }
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_whole_text_is_a_reference() {
        check("$step_1", &["whole $step_1 = step_1"]);
        check("$a-b.c.d[0].e", &["whole $a-b.c.d[0].e = a-b.c.d[0].e"]);
        check("$a[1][2]", &["whole $a[1][2] = a[1][2]"]);
    }

    #[test]
    fn braces_refer_in_the_middle_of_a_text() {
        check(
            "v${a.b}-${2fa}",
            &["inside ${a.b} = a.b", "inside ${2fa} = 2fa"],
        );
        check("${a}", &["inside ${a} = a"]);
    }

    #[test]
    fn dollars_are_text_where_nothing_is_named() {
        for text in [
            "",
            "a",
            "$",
            "$100",
            "costs $5.00",
            "$ x",
            "a$",
            "$-x",
            "$1.a",
        ] {
            check(text, &[]);
        }
        check("$$a", &["dollar $$"]);
        check("$$$$", &["dollar $$", "dollar $$"]);
        check("echo $HOME", &["name $HOME = HOME"]);
    }

    #[test]
    fn what_only_begins_like_a_reference_is_noticed() {
        let none = "begins like a reference, but is none";
        for text in [
            "$a.map(x)",
            "$a b",
            "$a.",
            "$a[x]",
            "$a[0",
            "$a..b",
            "$HOME/bin",
            "$a[-1]",
            "$a[]",
        ] {
            check(text, &[&format!("bad {text}: {none}")]);
        }
        check("x ${a b}", &[&format!("bad ${{a b}}: {none}")]);
        check("x ${}", &[&format!("bad ${{}}: {none}")]);
        check("x ${{ a }}", &[&format!("bad ${{{{ a }}: {none}")]);
        check("x ${a", &["bad ${: is never closed with `}`"]);
    }
}
