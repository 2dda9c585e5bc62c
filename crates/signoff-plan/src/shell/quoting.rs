//! Which quotes a place in a text stands in.

use crate::source::text_from;

/// Which quotes a place stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoting {
    /// Between `'` and `'`.
    Single,
    /// Between `"` and `"`.
    Double,
    /// In none, or in something whose rules are others: a comment, back-ticks, a here-document.
    None,
}

/// The quotes that the byte at `offset` stands in.
pub fn quoting_at(text: &str, offset: usize) -> Quoting {
    let bytes = text.as_bytes();
    // Inside `"…$(…)…"` quotes begin anew, so that they nest.
    let mut double = vec![false];
    let mut at = 0;
    while at < offset {
        let in_double = double.last() == Some(&true);
        let byte = bytes.get(at).copied().unwrap_or_default();
        let next = bytes.get(at + 1).copied();
        if let Some(opaque) = opaque_part(text, at, in_double) {
            if opaque.end >= offset {
                return opaque.quoting;
            }
            at = opaque.end + 1;
            continue;
        }
        match byte {
            b'\\' => at += 1,
            b'"' if in_double => {
                double.pop();
            }
            b'"' => double.push(true),
            b'$' if next == Some(b'(') => {
                double.push(false);
                at += 1;
            }
            b'(' if !in_double => double.push(false),
            b')' if !in_double && double.len() > 1 => {
                double.pop();
            }
            _ => {}
        }
        at += 1;
    }
    if double.last() == Some(&true) {
        Quoting::Double
    } else {
        Quoting::None
    }
}

/// A part of the text in which nothing nests.
struct OpaquePart {
    quoting: Quoting,
    /// Where its last character stands.
    end: usize,
}

/// The single quotes, back-ticks, comment or here-document that begins here.
fn opaque_part(text: &str, at: usize, in_double: bool) -> Option<OpaquePart> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let (quoting, end) = match bytes.get(at)? {
        b'\'' if !in_double && before == Some(&b'$') => (Quoting::None, end_of(text, at + 1, "'")),
        b'\'' if !in_double => (Quoting::Single, end_of(text, at + 1, "'")),
        b'`' => (Quoting::None, end_of(text, at + 1, "`")),
        b'#' if !in_double && begins_word(bytes, at) => (Quoting::None, end_of(text, at, "\n")),
        // Where its body ends is not determined: nothing behind it counts as quoted.
        b'<' if !in_double && bytes.get(at + 1) == Some(&b'<') => (Quoting::None, text.len()),
        _ => return None,
    };
    Some(OpaquePart { quoting, end })
}

fn end_of(text: &str, from: usize, end: &str) -> usize {
    let rest = text_from(text, from);
    rest.find(end).map_or(text.len(), |length| from + length)
}

fn begins_word(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| bytes.get(before))
        .is_none_or(|byte| byte.is_ascii_whitespace() || b";&|(".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Quoting) {
        let offset = text.find('@').expect("a mark");
        assert_eq!(quoting_at(text, offset), expected, "{text}");
    }

    #[test]
    fn quotes_nest_and_end() {
        check("a @", Quoting::None);
        check("a '@'", Quoting::Single);
        check("a \"@\"", Quoting::Double);
        check("a 'x' @", Quoting::None);
        check("a \"x\" @", Quoting::None);
        check("a \"$(b @)\"", Quoting::None);
        check("a \"$(b \"@\")\"", Quoting::Double);
        check("a \"$(b) @\"", Quoting::Double);
        check("a \"'@'\"", Quoting::Double);
        check("a '\"' @", Quoting::None);
        check("a \\' @", Quoting::None);
        check("a \"\\\" @\"", Quoting::Double);
    }

    #[test]
    fn other_rules_are_no_quotes() {
        check("a $'@'", Quoting::None);
        check("a `b '@'`", Quoting::None);
        check("# '@'", Quoting::None);
        check("cat <<E\n'@'\nE", Quoting::None);
        check("(a) '@'", Quoting::Single);
        check("a#b '@'", Quoting::Single);
    }
}
