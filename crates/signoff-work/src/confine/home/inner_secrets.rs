//! Keys and logins that lie in what is seen of a home, looked for by name in its uppermost directories. What lies deeper
//! came with a tool, and is nobody's own.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, FileType};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::allow::AllowList;
use super::settings::{self, SettingsCopy, sounds_secret, without_login};

/// Levels of directories that are searched.
const DEEPEST: usize = 3;
/// The most files and directories that are searched for each tool.
const MOST: usize = 20_000;

/// Files that hold logins whatever is in them.
const LOGINS: [&str; 19] = [
    ".bunfig.toml",
    ".env",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".vault-token",
    "_netrc",
    "auth.ini",
    "auth.json",
    "bunfig.toml",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "secrets.json",
    "token",
];
/// How names of logins of services begin, which end in `.json`.
const SERVICE: [&str; 2] = ["service-account", "service_account"];
/// How names of private keys begin, unless they end in `.pub`.
const KEYS: [&str; 4] = ["id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];
/// How names of stores of keys end.
const STORES: [&str; 4] = ["kdbx", "keystore", "p12", "pfx"];
/// Files with these endings hold certificates, which everybody may see, or private keys.
const MAYBE_KEYS: [&str; 2] = ["key", "pem"];
const PRIVATE: &str = "PRIVATE KEY-----";
/// No first line of a key is longer.
const FIRST_LINE: u64 = 80;

/// Where directories of downloads have repositories without a working tree.
const REPOSITORIES: [&str; 2] = ["db", "cache/vcs"];

/// What was found.
#[derive(Debug, Default)]
pub(super) struct InnerSecrets {
    pub(super) hidden: Vec<PathBuf>,
    /// Settings of repositories, without names and passwords.
    pub(super) copies: Vec<SettingsCopy>,
}

/// Finds secrets in what a list shows, except in what a person named.
pub(super) fn find_inner_secrets(list: &AllowList) -> InnerSecrets {
    let mut search = Search {
        list,
        found: InnerSecrets::default(),
        looked_at: 0,
    };
    for root in list.roots() {
        search.looked_at = 0;
        search.directory(root, DEEPEST);
    }
    for cache in list.caches.keys() {
        search.looked_at = 0;
        for path in REPOSITORIES {
            for repository in search.entries(&cache.join(path)).keys() {
                search.repository(repository);
            }
        }
    }
    search.found
}

struct Search<'a> {
    list: &'a AllowList,
    found: InnerSecrets,
    looked_at: usize,
}

impl Search<'_> {
    /// What is in a directory. In their order, so that the same is found each time.
    fn entries(&self, directory: &Path) -> BTreeMap<PathBuf, FileType> {
        let left = MOST.saturating_sub(self.looked_at);
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let entries = entries.take(left);
        entries
            .filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)))
            .collect()
    }

    fn directory(&mut self, directory: &Path, levels: usize) {
        let entries = self.entries(directory);
        self.looked_at += entries.len();
        for (path, kind) in entries {
            if let Some(name) = path.file_name() {
                self.entry(&path, name, kind, levels);
            }
        }
    }

    fn entry(&mut self, path: &Path, name: &OsStr, kind: FileType, levels: usize) {
        if self.list.is_named(path) || self.list.secrets.cover(path) {
            return;
        }
        let is_secret =
            || holds_secret(path, name) || levels == DEEPEST && is_bare_private_key(path);
        if kind.is_file() && is_secret() {
            self.found.hidden.push(path.to_owned());
        } else if kind.is_dir() && name == ".git" {
            self.repository(path);
        } else if kind.is_dir() && levels > 1 {
            self.directory(path, levels - 1);
        }
    }

    /// Takes logins out of a repository: those of the addresses it came from.
    fn repository(&mut self, repository: &Path) {
        let credentials = repository.join("credentials");
        if credentials.is_file() {
            self.found.hidden.push(credentials);
        }
        let at = repository.join("config");
        let is_file = at.symlink_metadata().is_ok_and(|found| found.is_file());
        if !is_file || self.list.is_named(&at) {
            return;
        }
        match settings::read(&at).map(|text| (without_logins(&text), text)) {
            Some((safe, text)) if safe == text => {}
            // Only what is seen can be put in its place.
            Some((safe, _)) if self.list.shows(&at) => {
                self.found.copies.push(SettingsCopy { at, text: safe });
            }
            Some(_) | None => self.found.hidden.push(at),
        }
    }
}

/// Is this a private file of the person?
fn holds_secret(path: &Path, name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let ending = Path::new(name.as_ref()).extension();
    let ending = ending.map_or_else(String::new, |ending| {
        ending.to_string_lossy().to_lowercase()
    });
    let is_key = KEYS.iter().any(|key| name.starts_with(key)) && ending != "pub";
    let is_service = ending == "json" && SERVICE.iter().any(|begins| name.starts_with(begins));
    LOGINS.contains(&name.as_ref())
        || is_service
        || name.starts_with(".env.")
        || is_key
        || STORES.contains(&ending.as_str())
        || MAYBE_KEYS.contains(&ending.as_str())
            && settings::read(path).is_none_or(|text| text.contains(PRIVATE))
}

/// Is this a private key whose name does not say so? Only the first line is read, and not of files with an ending.
fn is_bare_private_key(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let is_read = path.extension().is_none()
        && File::open(path)
            .and_then(|file| file.take(FIRST_LINE).read_to_end(&mut beginning))
            .is_ok();
    let line = beginning.split(|byte| *byte == b'\n').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    is_read && line.starts_with("-----BEGIN") && line.contains(PRIVATE)
}

/// The settings of a repository without names and passwords in addresses, and without headers and the like.
fn without_logins(text: &str) -> String {
    let mut safe = String::new();
    for line in text.split_inclusive('\n') {
        let key = line.split('=').next().unwrap_or_default().trim();
        let is_secret = sounds_secret(key) || key.to_ascii_lowercase().contains("extraheader");
        if !is_secret || key.starts_with('[') {
            safe.push_str(&without_login(line));
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_keeps_everything_but_logins() {
        let text = "[remote \"origin\"]\n\turl = https://me:pw@x.example/a.git\n\tfetch = +refs/*\n\
                    [http \"https://x.example\"]\n\textraheader = Authorization: Basic abc\n\tproxyAuthToken = x\n";
        let expected = "[remote \"origin\"]\n\turl = https://x.example/a.git\n\tfetch = +refs/*\n\
                        [http \"https://x.example\"]\n";
        assert_eq!(without_logins(text), expected);
        let harmless = "[remote \"origin\"]\n\turl = git@x.example:a.git\n";
        assert_eq!(without_logins(harmless), harmless);
    }

    #[test]
    fn files_of_keys_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, expected) in [
            (".env", "", true),
            (".env.local", "", true),
            ("env", "", false),
            ("id_rsa", "", true),
            ("id_ed25519_work", "", true),
            ("id_rsa.pub", "", false),
            ("store.P12", "", true),
            ("ca.pem", "-----BEGIN CERTIFICATE-----", false),
            ("my.pem", "-----BEGIN RSA PRIVATE KEY-----", true),
            ("x.key", "-----BEGIN PRIVATE KEY-----", true),
            ("README", "", false),
            ("secrets.json", "", true),
            ("token", "", true),
            ("token.rs", "", false),
            ("_netrc", "", true),
            ("service-account-build.json", "", true),
            ("service-account.md", "", false),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            assert_eq!(holds_secret(&path, OsStr::new(name)), expected, "{name}");
        }
    }
    #[test]
    fn a_private_key_of_another_name_is_known_by_its_first_line() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text, expected) in [
            ("deploy", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n", true),
            ("ca", "-----BEGIN CERTIFICATE-----\nabc\n", false),
            ("tool", "#!/bin/sh\n# -----BEGIN PRIVATE KEY-----\n", false),
            ("empty", "", false),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            assert_eq!(is_bare_private_key(&path), expected, "{name}");
        }
    }
}
