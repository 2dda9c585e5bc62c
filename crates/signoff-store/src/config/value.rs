//! Single values of a configuration file, read as what they must be.

use std::path::PathBuf;
use std::time::Duration;

use signoff_plan::duration;
use toml::Spanned;
use toml::de::DeValue;

use super::Proof;
use super::problem::{did_you_mean, list_words};
use super::read::Reader;

/// No wait is longer, and no clock overflows below this.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// Larger numbers of days, minutes or rejections are refused.
pub(super) const LARGEST_COUNT: u32 = 100_000;

pub(super) type Value<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    pub(super) fn text(&mut self, value: &Value<'_>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => {
                self.problem(value, "must not be empty".to_owned(), None);
                None
            }
            DeValue::String(text) if text.contains('\0') => {
                self.problem(value, "must not contain a zero byte".to_owned(), None);
                None
            }
            DeValue::String(text) => Some(text.clone().into_owned()),
            other => self.wrong_type(value, "a string", other),
        }
    }

    pub(super) fn boolean(&mut self, value: &Value<'_>) -> Option<bool> {
        match value.get_ref() {
            DeValue::Boolean(boolean) => Some(*boolean),
            other => self.wrong_type(value, "`true` or `false`", other),
        }
    }

    /// A number of days, minutes or times; zero would switch off its purpose.
    pub(super) fn count(&mut self, value: &Value<'_>) -> Option<u32> {
        let DeValue::Integer(number) = value.get_ref() else {
            return self.wrong_type(value, "a whole number", value.get_ref());
        };
        let count = u32::from_str_radix(number.as_str(), number.radix());
        match count {
            Ok(count) if (1..=LARGEST_COUNT).contains(&count) => Some(count),
            Ok(_) | Err(_) => {
                let message = format!("must be a whole number from 1 to {LARGEST_COUNT}");
                self.problem(value, message, None);
                None
            }
        }
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(
        &mut self,
        value: &Value<'_>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(value)?;
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            return Some(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let message = format!(
            "`{}` is not among the choices {}",
            text.escape_debug(),
            list_words(&names)
        );
        self.problem(value, message, did_you_mean(&text, &names));
        None
    }

    pub(super) fn proof(&mut self, value: &Value<'_>) -> Option<Proof> {
        // What a person can be asked for.
        let proofs = [Proof::Any, Proof::Page, Proof::Terminal, Proof::Key];
        let choices = proofs.map(|proof| (proof.name(), proof));
        self.choice(value, &choices)
    }

    /// A file of the user's, so that it means the same in every project.
    pub(super) fn signers(&mut self, value: &Value<'_>) -> Option<PathBuf> {
        let path = PathBuf::from(self.text(value)?);
        if path.is_absolute() || path.starts_with("~") {
            return Some(path);
        }
        let hint = "write one like `~/.ssh/allowed_signers`".to_owned();
        self.problem(value, "must be an absolute path".to_owned(), Some(hint));
        None
    }

    pub(super) fn duration(&mut self, value: &Value<'_>) -> Option<Duration> {
        let DeValue::String(text) = value.get_ref() else {
            return self.wrong_type(value, "a duration like `\"10m\"`", value.get_ref());
        };
        let message = match duration::parse_with_zero(text) {
            Some(duration) if duration <= LONGEST => return Some(duration),
            Some(_) => format!("`{text}` is too long; the longest is `365d`"),
            None => format!("`{}` is not a duration", text.escape_debug()),
        };
        let hint = "write one like `90s`, `10m` or `1h 30m`".to_owned();
        self.problem(value, message, Some(hint));
        None
    }

    /// A duration within which something must have happened.
    pub(super) fn timeout(&mut self, value: &Value<'_>) -> Option<Duration> {
        let duration = self.duration(value)?;
        if duration.is_zero() {
            self.problem(
                value,
                "a time limit must be more than zero".to_owned(),
                None,
            );
            return None;
        }
        Some(duration)
    }

    /// A list of strings with the place of each.
    pub(super) fn texts<'v, 't>(
        &mut self,
        value: &'v Value<'t>,
    ) -> Option<Vec<(&'v Value<'t>, String)>> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_type(value, "a list of strings", value.get_ref());
        };
        let mut texts = Vec::new();
        let mut complete = true;
        for item in items {
            match item.get_ref() {
                DeValue::String(text) if !text.contains('\0') => {
                    texts.push((item, text.clone().into_owned()));
                }
                DeValue::String(_) => {
                    self.problem(item, "must not contain a zero byte".to_owned(), None);
                    complete = false;
                }
                other => {
                    self.wrong_type::<()>(item, "a string", other);
                    complete = false;
                }
            }
        }
        complete.then_some(texts)
    }

    pub(super) fn wrong_type<T>(
        &mut self,
        value: &Value<'_>,
        expected: &str,
        found: &DeValue<'_>,
    ) -> Option<T> {
        let message = format!("expected {expected}, found {}", kind_name(found));
        self.problem(value, message, None);
        None
    }
}

fn kind_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
