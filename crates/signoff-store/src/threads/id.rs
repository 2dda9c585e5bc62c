//! The name of a thread, which is also the name of its directory.

use std::fmt;

/// Longest id: names that are made of one must stay below the systems' limit.
const LONGEST: usize = 128;

/// The id of a thread or a session. No id leads out of the directory it stands in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ThreadId(String);

impl ThreadId {
    /// Takes letters, digits, `-` and `_`, beginning with one of the first two.
    pub fn new(text: &str) -> Result<Self, ThreadIdError> {
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match text.chars().next() {
            None => return Err(ThreadIdError::Empty),
            Some(first) if !first.is_ascii_alphanumeric() => {
                return Err(ThreadIdError::Beginning(first));
            }
            Some(_) => {}
        }
        if let Some(other) = text.chars().find(|c| !plain(c)) {
            return Err(ThreadIdError::Character(other));
        }
        if text.len() > LONGEST {
            return Err(ThreadIdError::Long(text.len()));
        }
        Ok(Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThreadIdError {
    Empty,
    Beginning(char),
    Character(char),
    Long(usize),
}

impl fmt::Display for ThreadIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Beginning(c) => write!(f, "it begins with {c:?}, not with a letter or digit"),
            Self::Character(c) => write!(f, "it holds {c:?}"),
            Self::Long(length) => {
                write!(f, "it has {length} characters, and {LONGEST} are the most")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_plain_names() {
        for good in [
            "01950f64-7c1a-7d2e-9a55-0242ac120002",
            "thread_456",
            "A",
            &"x".repeat(128),
        ] {
            assert_eq!(ThreadId::new(good).map(|id| id.0), Ok(good.to_owned()));
        }
        for (bad, why) in [
            ("", ThreadIdError::Empty),
            ("..", ThreadIdError::Beginning('.')),
            ("../../etc", ThreadIdError::Beginning('.')),
            ("/etc/passwd", ThreadIdError::Beginning('/')),
            ("a/b", ThreadIdError::Character('/')),
            ("a\\b", ThreadIdError::Character('\\')),
            ("a.b", ThreadIdError::Character('.')),
            ("a b", ThreadIdError::Character(' ')),
            ("a\0b", ThreadIdError::Character('\0')),
            ("a\nb", ThreadIdError::Character('\n')),
            ("-rf", ThreadIdError::Beginning('-')),
            ("~", ThreadIdError::Beginning('~')),
            ("é", ThreadIdError::Beginning('é')),
            // A full-width dot and slash, and a letter that looks like a Latin one.
            ("a\u{ff0e}\u{ff0f}", ThreadIdError::Character('\u{ff0e}')),
            ("p\u{0430}th", ThreadIdError::Character('\u{0430}')),
            (&"x".repeat(129), ThreadIdError::Long(129)),
        ] {
            assert_eq!(ThreadId::new(bad), Err(why), "{bad:?}");
        }
    }
}
