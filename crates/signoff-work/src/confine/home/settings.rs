//! Settings of tools that people need, made anew without credentials: registries, certificates, how to build.
//!
//! Only keys that are known not to be secret are copied; names and passwords are cut out of addresses.

mod tables;

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use regex::Regex;
use toml::{Table, Value};

use self::tables::{Format, OPTIONS, SETTINGS, SettingsFile};
use crate::environment::Variables;

/// Larger files are not read: settings are small.
const LARGEST: u64 = 1024 * 1024;

/// A file of settings as a process finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingsCopy {
    pub(super) at: PathBuf,
    pub(super) text: String,
}

/// The settings of a home that are there.
pub(super) fn copies(home: &Path, variables: &Variables) -> Vec<SettingsCopy> {
    let copy = |settings: &SettingsFile| {
        let moved = settings.moved_by.and_then(|(variable, file)| {
            let directory = variables.get(OsStr::new(variable)).map(PathBuf::from)?;
            directory.is_absolute().then(|| directory.join(file))
        });
        let at = moved.unwrap_or_else(|| home.join(settings.path));
        let text = settings.redact(&read(&at)?)?;
        (!text.is_empty()).then_some(SettingsCopy { at, text })
    };
    SETTINGS.iter().filter_map(copy).collect()
}

/// The text of a small file; what else it may be is passed over.
pub(super) fn read(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

impl SettingsFile {
    /// Nothing where the text cannot be understood.
    fn redact(&self, text: &str) -> Option<String> {
        match self.format {
            Format::Lines => Some(self.redact_lines(text)),
            Format::Toml => self.redact_toml(text),
            Format::Xml => self.redact_xml(text),
        }
    }

    fn takes(&self, key: &str) -> bool {
        let fits = |known: &&str| match known.strip_suffix('*') {
            Some(beginning) => key.starts_with(beginning),
            None => key == *known,
        };
        self.keys.iter().any(fits) && !sounds_secret(key)
    }

    fn redact_lines(&self, text: &str) -> String {
        let mut taken = String::new();
        let (mut takes, mut goes_on, mut options) = (false, false, None);
        for line in text.lines() {
            let belongs = goes_on || line.starts_with([' ', '\t']);
            goes_on = line.ends_with('\\');
            if !belongs {
                let end = line.find(['=', ':', ' ']).unwrap_or(line.len());
                // `@scope:registry` and `"KEY": x`.
                let end = if line.starts_with('@') {
                    line.find('=').unwrap_or(line.len())
                } else {
                    end
                };
                let key = &line[..end];
                let key = key.trim_matches(['"', '\'', ' ']);
                takes = line.starts_with('[') || self.takes(key);
                options = OPTIONS.iter().find(|(known, _)| *known == key);
            }
            if takes && let Some((key, known)) = options {
                taken.push_str(&known_options(line, key, known));
                taken.push('\n');
            } else if takes && !line.trim().is_empty() {
                taken.push_str(&without_login(line));
                taken.push('\n');
            }
        }
        taken
    }

    fn redact_toml(&self, text: &str) -> Option<String> {
        let mut table: Table = text.parse().ok()?;
        table.retain(|key, _| self.takes(key));
        let mut value = Value::Table(table);
        redact_value(&mut value);
        toml::to_string(&value).ok()
    }

    fn redact_xml(&self, text: &str) -> Option<String> {
        let comments = Regex::new(r"(?s)<!--.*?-->").ok()?;
        let text = comments.replace_all(text, "");
        let root = Regex::new(r"<[A-Za-z][^>]*>").ok()?.find(&text)?.as_str();
        let name = root.trim_start_matches('<');
        let name = name.split([' ', '\n', '\t', '\r', '>']).next()?;
        let secret = r"(?s)<(?:username|password|passphrase|privateKey)>.*?</[A-Za-z]+>";
        let secret = Regex::new(secret).ok()?;
        let mut taken = format!("{root}\n");
        for key in self.keys {
            let element = Regex::new(&format!(r"(?s)<{key}>.*?</{key}>")).ok()?;
            for found in element.find_iter(&text) {
                taken.push_str(&without_login(&secret.replace_all(found.as_str(), "")));
                taken.push('\n');
            }
        }
        Some(format!("{taken}</{name}>\n"))
    }
}

/// A line, or one that goes on from it, with those options that are known to be harmless.
fn known_options(line: &str, key: &str, known: &[&str]) -> String {
    let after = line.find(key).map_or(0, |at| at + key.len());
    let (before, value) = line.split_at(after);
    let sign = value.find(|sign: char| !matches!(sign, ' ' | '\t' | '=' | ':'));
    let (sign, value) = value.split_at(sign.unwrap_or(value.len()));
    let value = value.trim_end_matches('\\');
    let is_known = |word: &&str| {
        let word = word.trim_start_matches(['"', '\'']);
        known.iter().any(|known| word.starts_with(known)) && !sounds_secret(word)
    };
    let words: Vec<&str> = value.split_whitespace().filter(is_known).collect();
    let more = if line.ends_with('\\') { " \\" } else { "" };
    format!("{before}{sign}{}{more}", words.join(" "))
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_login(text),
        Value::Array(values) => values.iter_mut().for_each(redact_value),
        Value::Table(table) => {
            table.retain(|key, _| !sounds_secret(key));
            table.iter_mut().for_each(|(_, value)| redact_value(value));
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

/// Is the value of this key likely to be a login?
pub(super) fn sounds_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let words = [
        "token",
        "passw",
        "secret",
        "credential",
        "_auth",
        "proxyuser",
        "signing",
        "apikey",
        "api_key",
        "api-key",
    ];
    words.iter().any(|word| key.contains(word))
}

/// Addresses without what may be a login: `https://name:password@host/?key=…` without name, password and what is asked for,
/// `name:password@host` without name and password.
pub(super) fn without_login(text: &str) -> String {
    let is_end = |sign: char| sign.is_whitespace() || "\"'<>,|".contains(sign);
    let words = text.split_inclusive(is_end).map(|word| {
        let (word, end) = match word.char_indices().next_back() {
            Some((at, sign)) if is_end(sign) => word.split_at(at),
            _ => (word, ""),
        };
        address_without_login(word) + end
    });
    words.collect()
}

fn address_without_login(word: &str) -> String {
    let Some(at) = word.find("://") else {
        return without_name_and_password(word);
    };
    let (scheme, mut rest) = word.split_at(at + 3);
    let mut safe = scheme.to_owned();
    loop {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, more) = rest.split_at(end);
        safe.push_str(host.rsplit('@').next().unwrap_or_default());
        // An address may have another one as its path.
        let inner = more.find("://").map_or(more.len(), |at| at + 3);
        let (path, next) = more.split_at(inner);
        match path.find('?') {
            Some(query) => {
                safe.push_str(&path[..query]);
                // The name of a part of a page is not sent to anybody.
                let fragment = more.find('#').filter(|fragment| *fragment > query);
                safe.push_str(fragment.map_or("", |at| &more[at..]));
                return safe;
            }
            None => safe.push_str(path),
        }
        if next.is_empty() {
            return safe;
        }
        rest = next;
    }
}

/// `name:password@host` without name and password; `git@host:path` has none.
fn without_name_and_password(word: &str) -> String {
    let parts = word.rsplit_once('@').and_then(|(login, host)| {
        let (name, _) = login.split_once(':')?;
        let key = name.rfind('=').map_or("", |at| &name[..=at]);
        Some(format!("{key}{host}"))
    });
    parts.unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests;
