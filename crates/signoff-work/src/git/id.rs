//! Ids of objects.

use std::fmt;
use std::str::FromStr;

use crate::git::error::GitError;

/// The name of a git object: 40 or 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name that stands for "no object", as long as this one.
    pub(crate) fn none_like(&self) -> String {
        "0".repeat(self.0.len())
    }

    /// What git printed as a name.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, GitError> {
        String::from_utf8_lossy(bytes).trim_end().parse()
    }
}

impl FromStr for Id {
    type Err = GitError;

    fn from_str(text: &str) -> Result<Self, GitError> {
        let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if matches!(text.len(), 40 | 64) && text.bytes().all(hexadecimal) {
            Ok(Self(text.to_owned()))
        } else {
            Err(GitError::unexpected("the name of an object", text))
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn only_names_are_names() {
        let long = "0123456789abcdef".repeat(4);
        for (text, is_name) in [
            (&long[..40], true),
            (&long[..], true),
            (&long[..39], false),
            (&long[..41], false),
            ("HEAD", false),
            ("", false),
            ("--all", false),
            (&long[..40].to_uppercase(), false),
        ] {
            assert_eq!(text.parse::<Id>().is_ok(), is_name, "{text}");
        }
    }
}
