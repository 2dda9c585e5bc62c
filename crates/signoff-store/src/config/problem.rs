//! What is wrong with a setting, and where.

use std::error::Error;
use std::fmt;

use super::SettingLocation;

/// One problem, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub location: SettingLocation,
    /// One line that stands alone.
    pub message: String,
    /// What to do about it, where we can guess.
    pub suggestion: Option<String>,
}

/// Every problem of every layer, in the order of the layers and of their lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors {
    pub problems: Vec<Problem>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            location,
            message,
            suggestion,
        } = self;
        write!(f, "{location}: {message}")?;
        if let Some(suggestion) = suggestion {
            write!(f, "; {suggestion}")?;
        }
        Ok(())
    }
}

/// One line per problem.
impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl Error for Problem {}
impl Error for ConfigErrors {}

/// Line and column of a byte, both from 1; the column in characters.
pub(super) fn position(text: &str, offset: usize) -> (usize, usize) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// "did you mean", if one of the known words is close enough to be what was meant.
pub(super) fn did_you_mean(word: &str, known: &[&str]) -> Option<String> {
    nearest(word, known).map(|near| format!("did you mean `{near}`?"))
}

/// The known word that was meant, if one is close enough.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let (distance, near) = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(word, known), *known))
        .min_by_key(|(distance, _)| *distance)?;
    let allowed = (word.chars().count() / 3).max(1);
    (distance <= allowed).then_some(near)
}

/// `a`, `b` and `c`
pub(super) fn list_words(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
