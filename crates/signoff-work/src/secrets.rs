//! Keeps secrets out of what is shown.
//!
//! A secret is the value of a variable that is called like one, a word that looks like a key of a known service, and
//! whatever the settings say. Journals and logs keep what else was said, readable by their owner only; values of variables
//! are kept out of them too.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;

use crate::environment::Variables;

/// Stands in the place of a secret.
pub const HIDDEN: &str = "[redacted]";

/// Parts of names of variables that hold secrets.
const NAMES: [&str; 9] = [
    "SECRET",
    "TOKEN",
    "PASSWORD",
    "PASSWD",
    "API_KEY",
    "APIKEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
    "CREDENTIAL",
];

/// A shorter value is a word like any other.
const SHORTEST: usize = 8;

/// What keys of known services begin with, and how long they are at least.
const KEYS: [(&str, usize); 10] = [
    ("sk-", 24),
    ("ghp_", 36),
    ("gho_", 36),
    ("ghs_", 36),
    ("github_pat_", 40),
    ("glpat-", 20),
    ("xoxb-", 24),
    ("xoxp-", 24),
    ("AKIA", 20),
    ("npm_", 36),
];

/// What is not shown.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// Longest first: one may be part of another.
    values: Vec<String>,
    patterns: OnceLock<Vec<Regex>>,
}

impl Secrets {
    /// The secrets of an environment.
    pub fn of(all: &Variables) -> Self {
        let secret = all
            .iter()
            .filter(|(name, _)| is_secret(&name.to_string_lossy()));
        let values = secret.filter_map(|(_, value)| value.to_str());
        // What has several lines is shown line by line.
        let values = values.flat_map(|value| std::iter::once(value).chain(value.lines()));
        let values = values.filter(|value| value.trim().len() >= SHORTEST);
        // In JSON it may be written in another way.
        let mut values: Vec<String> = values
            .flat_map(|value| [value.to_owned(), escaped_value(value)])
            .collect();
        values.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        values.dedup();
        Self {
            values,
            patterns: OnceLock::new(),
        }
    }

    /// Adds what the settings say, once. A pattern that cannot be read was refused with the settings.
    pub fn add(&self, patterns: &[String]) {
        self.patterns.get_or_init(|| {
            let read = patterns.iter().filter_map(|text| Regex::new(text).ok());
            read.collect()
        });
    }

    /// The values of variables among them.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The text without the values of variables: all that is taken out of what is judged, because a pattern may fit
    /// what a contract looks for.
    pub fn hide_values<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = Cow::Borrowed(text);
        for value in &self.values {
            if shown.contains(value.as_str()) {
                shown = Cow::Owned(shown.replace(value.as_str(), HIDDEN));
            }
        }
        shown
    }

    /// The text without them.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut shown = self.hide_values(text);
        for (begin, length) in KEYS {
            if shown.contains(begin) {
                shown = Cow::Owned(without_keys(&shown, begin, length));
            }
        }
        for pattern in self.patterns.get().into_iter().flatten() {
            if pattern.is_match(&shown) {
                shown = Cow::Owned(pattern.replace_all(&shown, HIDDEN).into_owned());
            }
        }
        shown
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.iter().any(|part| name.contains(part))
}

fn escaped_value(value: &str) -> String {
    let text = serde_json::Value::from(value).to_string();
    text.trim_matches('"').to_owned()
}

/// Words that begin like a key and are long enough to be one are left out.
fn without_keys(text: &str, begin: &str, length: usize) -> String {
    let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, found)) = rest.find(begin).map(|at| rest.split_at(at)) {
        shown.push_str(before);
        let end = found.find(|c| !belongs(c)).unwrap_or(found.len());
        let (word, after) = found.split_at(end);
        // In the middle of a word it does not begin one.
        let begins = !before.ends_with(belongs);
        shown.push_str(if begins && word.len() >= length {
            HIDDEN
        } else {
            word
        });
        rest = after;
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(set: &[(&str, &str)]) -> Secrets {
        let all = set
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        Secrets::of(&all.collect())
    }

    #[test]
    fn values_of_secret_variables_are_not_shown() {
        let secrets = secrets(&[
            ("GITHUB_TOKEN", "hunter2-hunter2"),
            ("db_password", "a\"b\\c-long"),
            ("SHORT_SECRET", "true"),
            ("KEY_SECRET", "first-line-1\nsecond-line"),
            ("HOME", "/home/ada-lovelace"),
        ]);
        for (text, shown) in [
            ("said hunter2-hunter2!", "said [redacted]!"),
            (
                "{\"text\":\"a\\\"b\\\\c-long\"}",
                "{\"text\":\"[redacted]\"}",
            ),
            ("a\"b\\c-long", "[redacted]"),
            ("> second-line", "> [redacted]"),
            ("true at /home/ada-lovelace", "true at /home/ada-lovelace"),
            ("", ""),
        ] {
            assert_eq!(secrets.hide(text), shown, "{text}");
        }
    }

    #[test]
    fn one_that_is_part_of_another_leaves_nothing() {
        let secrets = secrets(&[("A_TOKEN", "12345678"), ("B_TOKEN", "12345678-more")]);
        assert_eq!(
            secrets.hide("12345678-more 12345678"),
            "[redacted] [redacted]"
        );
    }

    #[test]
    fn keys_of_known_services_are_not_shown() {
        let key = format!("ghp_{}", "a1".repeat(18));
        let none = Secrets::default();
        assert_eq!(none.hide(&format!("({key}) x")), "([redacted]) x");
        for text in [
            "task-list",
            "sk-short",
            "risk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "ghp_",
        ] {
            assert_eq!(none.hide(text), text);
        }
    }

    #[test]
    fn the_settings_name_more() {
        let secrets = Secrets::default();
        secrets.add(&["id-[0-9]+".to_owned()]);
        assert_eq!(secrets.hide("id-12 id-x"), "[redacted] id-x");
    }
}
