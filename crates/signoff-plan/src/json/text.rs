//! Text in quotes.

use super::parser::Parser;
use crate::source::{Span, text_from, text_up_to};

/// Reads the text that begins at the parser's place, which is a quote.
pub(super) fn read(parser: &mut Parser<'_>) -> String {
    let start = parser.at;
    let rest = parser.rest();
    let single = rest.starts_with('\'');
    let quote = if single { b'\'' } else { b'"' };
    let body = text_from(rest, 1);
    // Most text has neither escapes nor mistakes.
    let plain = |byte: &u8| *byte == quote || *byte == b'\\' || *byte < b' ';
    let length = body
        .bytes()
        .position(|byte| plain(&byte))
        .unwrap_or(body.len());
    let text = if body.as_bytes().get(length) == Some(&quote) {
        parser.at += length + 2;
        text_up_to(body, length).to_owned()
    } else {
        parser.at += 1;
        decode(parser, start, char::from(quote))
    };
    if single {
        parser.problem(
            Span::new(start, parser.at),
            "text must stand in double quotes",
        );
    }
    text
}

fn decode(parser: &mut Parser<'_>, start: usize, quote: char) -> String {
    let mut text = String::new();
    loop {
        let rest = parser.rest();
        let clean = |c: char| c != quote && c != '\\' && c >= ' ';
        let length = rest.find(|c| !clean(c)).unwrap_or(rest.len());
        text.push_str(text_up_to(rest, length));
        parser.at += length;
        let here = parser.at;
        match parser.rest().chars().next() {
            Some(c) if c == quote => {
                parser.at += 1;
                return text;
            }
            Some('\\') => text.extend(escape(parser)),
            None | Some('\n' | '\r') => {
                parser.problem(Span::new(start, here), "the quote is never closed");
                return text;
            }
            Some(control) => {
                let code = u32::from(control);
                let span = Span::new(here, here + 1);
                parser.problem(
                    span,
                    format!("write this control character as `\\u{code:04x}`"),
                );
                text.push(control);
                parser.at += 1;
            }
        }
    }
}

/// What an escape means; a wrong one is reported and means nothing.
fn escape(parser: &mut Parser<'_>) -> Option<char> {
    let start = parser.at;
    let Some(letter) = parser.rest().chars().nth(1) else {
        parser.at += 1;
        return None;
    };
    // A line end is left to the caller, which closes the quote.
    if letter < ' ' {
        parser.problem(
            Span::new(start, start + 1),
            "`\\` must be written as `\\\\`",
        );
        parser.at += 1;
        return Some('\\');
    }
    parser.at += 1 + letter.len_utf8();
    let meaning = match letter {
        '"' | '\\' | '/' => Some(letter),
        '\'' => Some('\''),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'u' => parse_unicode_escape(parser),
        _ => None,
    };
    if meaning.is_none() || letter == '\'' {
        let span = Span::new(start, parser.at);
        let written = span.slice(parser.text);
        parser.problem(span, format!("`{written}` is not a JSON escape"));
    }
    meaning
}

/// The character of `\uXXXX`, or of two of them that belong together.
fn parse_unicode_escape(parser: &mut Parser<'_>) -> Option<char> {
    let first = parse_four_digits(parser)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    parser.rest().strip_prefix("\\u")?;
    parser.at += 2;
    let second = parse_four_digits(parser)?;
    let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low)
}

fn parse_four_digits(parser: &mut Parser<'_>) -> Option<u32> {
    let digits = parser.rest().get(..4)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| all)?;
    parser.at += 4;
    Some(code)
}

#[cfg(test)]
mod tests {
    use crate::json::{Comments, parse};

    #[track_caller]
    fn check(text: &str, json: &str, problems: &[&str]) {
        let (node, found) = parse(text, 0, Comments::Refused);
        assert_eq!(node.expect("text").to_json().to_string(), json);
        let found: Vec<_> = found
            .iter()
            .map(|problem| format!("{} | {}", problem.span.slice(text), problem.message))
            .collect();
        assert_eq!(found, problems, "{text}");
    }

    #[test]
    fn escapes_are_those_of_json() {
        check(r#""\"\\\/\b\f\n\r\t\u0041""#, r#""\"\\/\b\f\n\r\tA""#, &[]);
        check(r#""a\qb""#, r#""ab""#, &[r"\q | `\q` is not a JSON escape"]);
        check(r#""\u12""#, r#""12""#, &[r"\u | `\u` is not a JSON escape"]);
        check(
            r#""\ud800x""#,
            r#""x""#,
            &[r"\ud800 | `\ud800` is not a JSON escape"],
        );
        check(
            "\"a\tb\"",
            r#""a\tb""#,
            &["\t | write this control character as `\\u0009`"],
        );
    }

    #[test]
    fn text_ends_with_its_line() {
        check(
            "[\"a, b\n, 1]",
            r#"["a, b",1]"#,
            &["\"a, b | the quote is never closed"],
        );
        check("\"a", r#""a""#, &["\"a | the quote is never closed"]);
        check("\"a\\", r#""a""#, &["\"a\\ | the quote is never closed"]);
        check("\"", r#""""#, &["\" | the quote is never closed"]);
    }
}
