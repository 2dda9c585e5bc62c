//! JSON: two spaces for each level, what stood on one short line stays on one, comments stay where
//! they are.

use crate::source::Source;

/// How long a line may be that holds a whole list or object.
const WIDTH: usize = 80;

/// Whether a source begins as a JSON object.
pub(super) fn is_object(source: &Source) -> bool {
    let text = source.text().trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim_start);
    lines
        .find(|line| !line.is_empty() && !line.starts_with("//"))
        .is_some_and(|line| line.starts_with('{'))
}

pub(super) fn format(source: &Source) -> Option<Source> {
    let text = source.text();
    let mark = source.byte_order_mark_len();
    let tokens = tokens(text.get(mark..)?)?;
    let mut writer = Writer {
        tokens: &tokens,
        at: 0,
        out: text.get(..mark)?.to_owned(),
        indent: 0,
    };
    writer.write_all()?;
    let out = if text.contains("\r\n") {
        writer.out.replace('\n', "\r\n")
    } else {
        writer.out
    };
    Some(Source::new(source.name(), out.into_bytes()))
}

/// A piece of JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token<'t> {
    text: &'t str,
    /// Line it begins on.
    line: usize,
    /// For an opening bracket the index of its partner.
    close: Option<usize>,
    /// Blank lines before it; one of them is kept before a comment or a member.
    blank_before: bool,
}

impl Token<'_> {
    fn is_comment(&self) -> bool {
        self.text.starts_with("//")
    }

    fn is_opening(&self) -> bool {
        matches!(self.text, "{" | "[")
    }

    fn is_closing(&self) -> bool {
        matches!(self.text, "}" | "]")
    }
}

/// Splits a text into tokens; `None` where it is no JSON.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    let mut line = 0;
    loop {
        let trimmed = rest.trim_start();
        let skipped = rest.get(..rest.len() - trimmed.len())?;
        let newlines = skipped.matches('\n').count();
        line += newlines;
        rest = trimmed;
        if rest.is_empty() {
            break;
        }
        let length = token_len(rest)?;
        let text = rest.get(..length)?;
        let token = Token {
            text: text.trim_end(),
            line,
            close: None,
            blank_before: newlines > 1,
        };
        if token.is_opening() {
            open.push(tokens.len());
        } else if token.is_closing() {
            let partner = open.pop()?;
            let count = tokens.len();
            let opening = tokens.get_mut(partner)?;
            if (opening.text == "{") != (token.text == "}") {
                return None;
            }
            opening.close = Some(count);
        }
        tokens.push(token);
        rest = rest.get(length..)?;
    }
    open.is_empty().then_some(tokens)
}

fn token_len(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with(['{', '}', '[', ']', ',', ':']) {
        return Some(1);
    }
    if rest.starts_with('"') {
        let mut escaped = false;
        let inside = rest.char_indices().skip(1);
        for (at, c) in inside {
            match c {
                '"' if !escaped => return Some(at + 1),
                '\n' => return None,
                _ => escaped = c == '\\' && !escaped,
            }
        }
        return None;
    }
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let length = rest.len() - rest.trim_start_matches(word).len();
    (length > 0).then_some(length)
}

struct Writer<'t> {
    tokens: &'t [Token<'t>],
    at: usize,
    out: String,
    indent: usize,
}

impl<'t> Writer<'t> {
    fn write_all(&mut self) -> Option<()> {
        while let Some(token) = self.next() {
            self.token(token)?;
        }
        let kept = self.out.trim_end().len();
        self.out.truncate(kept);
        self.out.push('\n');
        Some(())
    }

    fn next(&mut self) -> Option<&'t Token<'t>> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(token)
    }

    fn token(&mut self, token: &'t Token<'t>) -> Option<()> {
        let previous = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
        let next = self.tokens.get(self.at);
        if token.is_comment() {
            self.comment(token, previous);
            return Some(());
        }
        if token.is_closing() {
            self.indent = self.indent.saturating_sub(1);
            self.line(false);
            self.out.push_str(token.text);
            self.break_unless(next, &[","]);
            return Some(());
        }
        match token.text {
            "," => {
                self.out.push(',');
                self.break_unless(next, &[]);
            }
            ":" => self.out.push_str(": "),
            _ if token.is_opening() => self.open(token)?,
            text => {
                self.begin(token);
                self.out.push_str(text);
                self.break_unless(next, &[",", ":"]);
            }
        }
        Some(())
    }

    /// Writes a list or object on one line if it stood so and is short, else begins its lines.
    fn open(&mut self, token: &'t Token<'t>) -> Option<()> {
        self.begin(token);
        let close = token.close?;
        let inside = self.tokens.get(self.at..close)?;
        let last = self.tokens.get(close)?;
        let on_one_line = last.line == token.line || inside.is_empty();
        let short = on_one_line.then(|| one_line(token, inside, last));
        let column = self.out.len() - self.out.rfind('\n').map_or(0, |newline| newline + 1);
        match short.filter(|text| text.len() <= 2 || column + text.len() <= WIDTH) {
            Some(text) => {
                self.out.push_str(&text);
                self.at = close + 1;
                let next = self.tokens.get(self.at);
                self.break_unless(next, &[","]);
            }
            None => {
                self.out.push_str(token.text);
                self.indent += 1;
                self.out.push('\n');
            }
        }
        Some(())
    }

    /// Indents, where a line begins.
    fn begin(&mut self, token: &Token<'_>) {
        self.line(token.blank_before);
    }

    fn line(&mut self, blank: bool) {
        if self.out.is_empty() || self.out.ends_with('\u{feff}') {
            return;
        }
        if self.out.ends_with('\n') {
            let after_bracket = self.out.trim_end().ends_with(['{', '[']);
            if blank && !after_bracket && !self.out.ends_with("\n\n") {
                self.out.push('\n');
            }
            self.out.push_str(&"  ".repeat(self.indent));
        }
    }

    /// A comment stays behind what it stood behind, or on its own line.
    fn comment(&mut self, token: &Token<'_>, previous: Option<&Token<'_>>) {
        let behind = previous.is_some_and(|previous| previous.line == token.line);
        if behind {
            while self.out.ends_with(['\n', ' ']) {
                self.out.pop();
            }
            self.out.push(' ');
        } else {
            if !self.out.is_empty() && !self.out.ends_with(['\n', '\u{feff}']) {
                self.out.push('\n');
            }
            self.line(token.blank_before);
        }
        self.out.push_str(token.text);
        self.out.push('\n');
    }

    fn break_unless(&mut self, next: Option<&Token<'_>>, glued: &[&str]) {
        if !next.is_some_and(|next| glued.contains(&next.text)) {
            self.out.push('\n');
        }
    }
}

fn one_line(open: &Token<'_>, inside: &[Token<'_>], close: &Token<'_>) -> String {
    let mut text = open.text.to_owned();
    for token in inside {
        text.push_str(token.text);
        if matches!(token.text, "," | ":") {
            text.push(' ');
        }
    }
    text.push_str(close.text);
    text
}
