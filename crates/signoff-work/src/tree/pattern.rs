//! One line of a `.gitignore` file, matched as git does.

use signoff_plan::glob::sequence;

/// A line that says which paths are ignored, or with `!` which are not.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) negated: bool,
    folders_only: bool,
    what: PatternKind,
}

#[derive(Debug, PartialEq, Eq)]
enum PatternKind {
    /// The name of a file in any folder.
    Name(Vec<Token>),
    /// `*.log`: the end of a name.
    Ending(Box<[u8]>),
    /// A name without wildcards.
    Literal(Box<[u8]>),
    /// A path from the folder of the `.gitignore` file.
    Path(Vec<Part>),
}

/// One part of a path.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// `**`: any number of folders.
    Folders,
    Name(Vec<Token>),
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Byte(u8),
    Any,
    Star,
    Class {
        negated: bool,
        ranges: Vec<(u8, u8)>,
    },
}

impl Pattern {
    /// Reads one line; `None` if it ignores nothing.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let line = without_trailing_spaces(line.strip_suffix(b"\r").unwrap_or(line));
        if line.first() == Some(&b'#') {
            return None;
        }
        let (negated, line) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (folders_only, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let what = pattern_kind(line)?;
        Some(Self {
            negated,
            folders_only,
            what,
        })
    }

    /// Whether the line speaks of this path, which is relative to the folder of its file.
    pub(super) fn matches(&self, path: &[u8], name: &[u8], is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        match &self.what {
            PatternKind::Literal(wanted) => **wanted == *name,
            PatternKind::Ending(ending) => name.ends_with(ending),
            PatternKind::Name(tokens) => name_matches(tokens, name),
            PatternKind::Path(parts) => path_matches(parts, path),
        }
    }
}

fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let [before @ .., b' '] = rest {
        // Not one that is escaped.
        if before
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count()
            % 2
            == 1
        {
            break;
        }
        rest = before;
    }
    rest
}

fn pattern_kind(line: &[u8]) -> Option<PatternKind> {
    if line.is_empty() {
        return None;
    }
    if line.contains(&b'/') {
        let line = line.strip_prefix(b"/").unwrap_or(line);
        let parts = line.split(|byte| *byte == b'/').map(|part| match part {
            b"**" => Some(Part::Folders),
            _ => tokens(part).map(Part::Name),
        });
        let mut parts = parts.collect::<Option<Vec<Part>>>()?;
        // `a/**` is what lies in `a`, not `a` itself.
        if let Some(Part::Folders) = parts.last() {
            parts.push(Part::Name(vec![Token::Star]));
        }
        return Some(PatternKind::Path(parts));
    }
    let tokens = tokens(line)?;
    let bytes = |tokens: &[Token]| -> Option<Box<[u8]>> {
        let byte = |token: &Token| match token {
            Token::Byte(byte) => Some(*byte),
            _ => None,
        };
        tokens.iter().map(byte).collect()
    };
    Some(match tokens.as_slice() {
        [Token::Star, rest @ ..] if let Some(ending) = bytes(rest) => PatternKind::Ending(ending),
        all if let Some(name) = bytes(all) => PatternKind::Literal(name),
        _ => PatternKind::Name(tokens),
    })
}

/// `None` for a pattern that git never matches: an open bracket, a backslash at the end.
fn tokens(part: &[u8]) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = part;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        found.push(match first {
            b'*' => {
                if found.last() == Some(&Token::Star) {
                    continue;
                }
                Token::Star
            }
            b'?' => Token::Any,
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                rest = after;
                Token::Byte(*escaped)
            }
            b'[' => {
                let (class, after) = class(rest)?;
                rest = after;
                class
            }
            byte => Token::Byte(*byte),
        });
    }
    Some(found)
}

/// What stands between `[` and `]`, and what follows.
fn class(text: &[u8]) -> Option<(Token, &[u8])> {
    let (negated, mut rest) = match text {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    let mut first = true;
    loop {
        let (from, after) = match rest {
            [b']', after @ ..] if !first => return Some((Token::Class { negated, ranges }, after)),
            [b'[', b':', after @ ..] => {
                let end = after.windows(2).position(|pair| pair == b":]")?;
                ranges.extend(named_class(after.get(..end)?)?);
                rest = after.get(end + 2..)?;
                first = false;
                continue;
            }
            [b'\\', byte, after @ ..] | [byte, after @ ..] => (*byte, after),
            [] => return None,
        };
        first = false;
        (rest, ranges) = match after {
            [b'-', to, beyond @ ..] if *to != b']' => {
                let (to, beyond) = match (to, beyond) {
                    (b'\\', [escaped, beyond @ ..]) => (escaped, beyond),
                    _ => (to, beyond),
                };
                // The first one counts even where the order is wrong.
                ranges.extend([(from, from), (from, *to)]);
                (beyond, ranges)
            }
            _ => {
                ranges.push((from, from));
                (after, ranges)
            }
        };
    }
}

fn named_class(name: &[u8]) -> Option<Vec<(u8, u8)>> {
    Some(match name {
        b"alpha" => vec![(b'a', b'z'), (b'A', b'Z')],
        b"digit" => vec![(b'0', b'9')],
        b"alnum" => vec![(b'a', b'z'), (b'A', b'Z'), (b'0', b'9')],
        b"upper" => vec![(b'A', b'Z')],
        b"lower" => vec![(b'a', b'z')],
        b"space" => vec![(b'\t', b'\r'), (b' ', b' ')],
        b"blank" => vec![(b' ', b' '), (b'\t', b'\t')],
        b"punct" => vec![(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        b"xdigit" => vec![(b'0', b'9'), (b'a', b'f'), (b'A', b'F')],
        b"cntrl" => vec![(0, 31), (127, 127)],
        b"print" => vec![(b' ', b'~')],
        b"graph" => vec![(b'!', b'~')],
        _ => return None,
    })
}

fn path_matches(parts: &[Part], path: &[u8]) -> bool {
    let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
    sequence(
        parts,
        &names,
        |part| matches!(part, Part::Folders),
        |part, name| match part {
            Part::Folders => false,
            Part::Name(tokens) => name_matches(tokens, name),
        },
    )
}

fn name_matches(tokens: &[Token], name: &[u8]) -> bool {
    sequence(
        tokens,
        name,
        |token| *token == Token::Star,
        |token, byte| match token {
            Token::Byte(wanted) => wanted == byte,
            Token::Any => true,
            Token::Star => false,
            Token::Class { negated, ranges } => {
                ranges.iter().any(|(from, to)| (from..=to).contains(&byte)) != *negated
            }
        },
    )
}
