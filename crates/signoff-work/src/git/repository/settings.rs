//! What is read out of the person's configuration: values, never to be run.

use std::collections::BTreeMap;

use crate::git::names::{nul_separated, quote};

/// Values of the person's configuration that this crate reads, the last of each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings(BTreeMap<String, String>);

/// What a filter is made of.
const FILTER_PARTS: [&str; 3] = ["clean", "smudge", "process"];

impl Settings {
    /// Reads `git config --list --null`: `name`, and after a line feed its value.
    pub(crate) fn read(listing: &[u8]) -> Self {
        let mut values = BTreeMap::new();
        for entry in nul_separated(listing) {
            let entry = String::from_utf8_lossy(entry);
            // A name alone means yes.
            let (name, value) = entry.split_once('\n').unwrap_or((&entry, "true"));
            // The rest may hold secrets.
            let sections = [
                "core.",
                "user.",
                "extensions.",
                "hook.",
                "filter.",
                "remote.",
            ];
            // By this one git is kept from running hooks here.
            let is_ours = name == "core.hookspath" && value == "/dev/null";
            if sections.iter().any(|section| name.starts_with(section)) && !is_ours {
                values.insert(name.to_owned(), value.to_owned());
            }
        }
        Self(values)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Only who the person is, and what they ignore everywhere: nothing that changes contents of files.
    pub(crate) fn without_conversions(&self) -> Self {
        let taken = |name: &str| name.starts_with("user.") || name == "core.excludesfile";
        let values = self.0.iter().filter(|(name, _)| taken(name));
        Self(
            values
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name).and_then(boolean).unwrap_or(false)
    }

    /// Names of hooks that are commands in the configuration, which newer gits run.
    pub(crate) fn hooks(&self) -> impl Iterator<Item = &str> {
        self.subsections("hook.")
    }

    /// Whether there are filters at all.
    pub(crate) fn has_filters(&self) -> bool {
        self.subsections("filter.").next().is_some()
    }

    /// Whether a filter of this name would run a program.
    pub(crate) fn has_filter(&self, filter: &str) -> bool {
        FILTER_PARTS
            .iter()
            .any(|part| self.0.contains_key(&format!("filter.{filter}.{part}")))
    }

    /// The names of extensions of the repository's format.
    pub(crate) fn extensions(&self) -> impl Iterator<Item = &str> {
        self.0
            .keys()
            .filter_map(|name| name.strip_prefix("extensions."))
    }

    /// Whether objects are fetched only on demand.
    pub(crate) fn is_partial(&self) -> bool {
        self.get("extensions.partialclone").is_some()
            || self
                .subsections("remote.")
                .any(|remote| self.is_true(&format!("remote.{remote}.promisor")))
    }

    fn subsections<'s>(&'s self, section: &'static str) -> impl Iterator<Item = &'s str> {
        self.0.keys().filter_map(move |name| {
            let (middle, _) = name.strip_prefix(section)?.rsplit_once('.')?;
            Some(middle)
        })
    }

    /// The configuration of a git directory that the harness uses: how files and objects are to be read, as the person
    /// has it, and nothing that names a program.
    pub(crate) fn harness_config(&self, excludes: &[u8], attributes: &[u8]) -> String {
        let mut text = self.format();
        let mut core = vec![
            ("safecrlf", "false".to_owned()),
            ("fsmonitor", "false".to_owned()),
            ("untrackedCache", "false".to_owned()),
            ("splitIndex", "false".to_owned()),
            ("hooksPath", "/dev/null".to_owned()),
            ("logAllRefUpdates", "false".to_owned()),
            ("fsyncMethod", "batch".to_owned()),
            ("excludesFile", quoted_path(excludes)),
            ("attributesFile", quoted_path(attributes)),
        ];
        core.extend(self.conversions());
        text.push_str("[core]\n");
        text.extend(core.into_iter().map(setting_line));
        let person = |name, otherwise: &str| {
            let value = self.get(name).filter(|value| is_plain(value));
            quoted_text(value.unwrap_or(otherwise))
        };
        text + &format!(
            "[user]\n\tname = {}\n\temail = {}\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n\
             [submodule]\n\trecurse = false\n[diff]\n\tignoreSubmodules = all\n\
             [advice]\n\taddEmbeddedRepo = false\n[merge]\n\tdirectoryRenames = false\n",
            person("user.name", "Signoff"),
            person("user.email", "signoff@localhost"),
        )
    }

    /// The configuration of a repository that an agent gets.
    pub(crate) fn agent_config(&self) -> String {
        let mut text = self.format() + "[core]\n\tlogAllRefUpdates = true\n";
        text.extend(self.conversions().into_iter().map(setting_line));
        text + "[user]\n\tname = agent\n\temail = agent@localhost\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    }

    /// The configuration of a repository that holds what an agent put into its own: people are told to run git there.
    pub(crate) fn import_config(&self) -> String {
        self.format()
            + "[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n\tlogAllRefUpdates = false\n\
               [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    }

    fn format(&self) -> String {
        let sha256 = self.get("extensions.objectformat") == Some("sha256");
        let extension = if sha256 {
            "[extensions]\n\tobjectFormat = sha256\n"
        } else {
            ""
        };
        format!(
            "[core]\n\trepositoryFormatVersion = {}\n\tbare = false\n{extension}",
            u8::from(sha256)
        )
    }

    /// How contents and modes of files become what is in a commit.
    fn conversions(&self) -> Vec<(&'static str, String)> {
        let mut taken = Vec::new();
        for (name, key) in [
            ("ignoreCase", "core.ignorecase"),
            ("fileMode", "core.filemode"),
            ("symlinks", "core.symlinks"),
            ("precomposeUnicode", "core.precomposeunicode"),
        ] {
            if let Some(value) = self.get(key).and_then(boolean) {
                taken.push((name, value.to_string()));
            }
        }
        let words: [(_, _, &[&str]); 3] = [
            ("autocrlf", "core.autocrlf", &["input"]),
            ("eol", "core.eol", &["lf", "crlf", "native"]),
            (
                "sharedRepository",
                "core.sharedrepository",
                &["group", "all", "world", "everybody", "umask"],
            ),
        ];
        for (name, key, known) in words {
            let Some(value) = self.get(key).map(str::to_ascii_lowercase) else {
                continue;
            };
            let octal =
                name == "sharedRepository" && value.bytes().all(|byte| byte.is_ascii_digit());
            if known.contains(&value.as_str()) || octal {
                taken.push((name, value));
            } else if let Some(value) = boolean(&value).filter(|_| name != "eol") {
                taken.push((name, value.to_string()));
            }
        }
        taken
    }
}

fn setting_line((name, value): (&str, String)) -> String {
    format!("\t{name} = {value}\n")
}

/// As git reads it.
fn boolean(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" | "" => Some(false),
        _ => None,
    }
}

fn is_plain(value: &str) -> bool {
    !value.trim().is_empty() && !value.chars().any(char::is_control)
}

fn quoted_text(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path of ours. Git knows no numbers after a backslash here, so that a path with control characters is not found,
/// which is no more than that nothing is ignored.
fn quoted_path(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        Ok(text) if is_plain(text) => quoted_text(text),
        Ok(_) | Err(_) => quote(b"/dev/null"),
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    fn settings(entries: &[&str]) -> Settings {
        Settings::read(entries.join("\0").as_bytes())
    }

    #[test]
    fn only_harmless_values_are_taken_over() {
        let hostile = settings(&[
            "core.autocrlf\ninput",
            "core.eol\nlf\n\tsshCommand = evil",
            "core.fsmonitor\n/evil",
            "core.hookspath\n/evil",
            "core.filemode",
            "core.sharedrepository\n0660",
            "user.name\nA \"B\" \\C",
            "user.email\na@x\n[alias]",
            "alias.status\n!evil",
            "filter.lfs.clean\nevil",
            "hook.a.b.command\nevil",
            "extensions.objectformat\nsha256",
            "http.extraheader\nsecret",
        ]);
        let own = hostile.harness_config(b"/place/excludes", b"/place/attributes");
        for line in [
            "autocrlf = input",
            "fileMode = true",
            "sharedRepository = 0660",
            "name = \"A \\\"B\\\" \\\\C\"",
            "email = \"signoff@localhost\"",
            "objectFormat = sha256",
            "repositoryFormatVersion = 1",
        ] {
            assert!(own.contains(&format!("\t{line}\n")), "{line}\n{own}");
        }
        for word in ["evil", "alias", "secret", "eol"] {
            assert!(!own.contains(word), "{word}\n{own}");
        }
        assert!(hostile.has_filter("lfs") && !hostile.has_filter("other"));
        assert_eq!(hostile.hooks().collect::<Vec<_>>(), ["a.b"]);
    }

    #[test]
    fn a_partial_clone_is_known_by_its_remote() {
        assert!(settings(&["remote.a.b.promisor\nyes"]).is_partial());
        assert!(!settings(&["remote.a.promisor\nno", "remote.a.url\nx"]).is_partial());
    }
}
