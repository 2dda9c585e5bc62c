//! Settings of tools that people need, made anew without credentials: registries, certificates, how to build.
//!
//! Of each file only what is known to be no secret is taken over; names and passwords are cut out of addresses.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use regex::Regex;
use toml::{Table, Value};

use crate::environment::Variables;

/// Nobody's settings are larger.
const LARGEST: u64 = 1024 * 1024;

/// A file of settings.
struct Settings {
    /// Where it is in a home.
    path: &'static str,
    /// A variable that names another place, and where it is there.
    moved_by: Option<(&'static str, &'static str)>,
    format: Format,
    /// What is taken over: keys, or the beginnings of keys that end with `*`.
    keys: &'static [&'static str],
}

/// Options that a program is handed as the value of a setting. Whatever else stands there may be a password.
const OPTIONS: [(&str, &[&str]); 3] = [
    (
        "GOFLAGS",
        &[
            "-buildvcs=",
            "-count=",
            "-mod=",
            "-modcacherw",
            "-p=",
            "-race",
            "-tags=",
            "-trimpath",
            "-v",
        ],
    ),
    ("org.gradle.jvmargs", JVM),
    ("kotlin.daemon.jvmargs", JVM),
];

const JVM: &[&str] = &[
    "--add-exports",
    "--add-modules",
    "--add-opens",
    "-Dfile.encoding=",
    "-Djava.io.tmpdir=",
    "-Djava.net.",
    "-Dsun.",
    "-Duser.",
    "-X",
    "-ea",
];

#[derive(Clone, Copy)]
enum Format {
    /// `key = value`, `key: value` or `key value`, one a line; what is indented belongs to the line above.
    Lines,
    Toml,
    /// Elements of the root, by their names.
    Xml,
}

const CARGO: &[&str] = &[
    "alias",
    "build",
    "cargo-new",
    "doc",
    "future-incompat-report",
    "http",
    "net",
    "patch",
    "profile",
    "registries",
    "registry",
    "resolver",
    "source",
    "target",
    "term",
    "unstable",
];

const PIP: &[&str] = &[
    "index-url",
    "extra-index-url",
    "find-links",
    "no-index",
    "trusted-host",
    "cert",
    "proxy",
    "timeout",
    "retries",
    "disable-pip-version-check",
    "break-system-packages",
    "require-virtualenv",
];

const SETTINGS: [Settings; 11] = [
    Settings {
        path: ".cargo/config.toml",
        moved_by: Some(("CARGO_HOME", "config.toml")),
        format: Format::Toml,
        keys: CARGO,
    },
    Settings {
        path: ".cargo/config",
        moved_by: Some(("CARGO_HOME", "config")),
        format: Format::Toml,
        keys: CARGO,
    },
    Settings {
        path: ".npmrc",
        moved_by: None,
        format: Format::Lines,
        keys: &[
            "registry",
            "@*",
            "ca",
            "cafile",
            "strict-ssl",
            "proxy",
            "http-proxy",
            "https-proxy",
            "noproxy",
            "audit",
            "auto-install-peers",
            "engine-strict",
            "fund",
            "hoist*",
            "ignore-scripts",
            "legacy-peer-deps",
            "node-linker",
            "nodedir",
            "offline",
            "omit*",
            "prefer-offline",
            "public-hoist-pattern*",
            "save-exact",
            "shamefully-hoist",
            "strict-peer-dependencies",
            "update-notifier",
            "yes",
        ],
    },
    Settings {
        path: ".config/pip/pip.conf",
        moved_by: None,
        format: Format::Lines,
        keys: PIP,
    },
    Settings {
        path: ".pip/pip.conf",
        moved_by: None,
        format: Format::Lines,
        keys: PIP,
    },
    Settings {
        path: ".config/uv/uv.toml",
        moved_by: None,
        format: Format::Toml,
        keys: &[
            "allow-insecure-host",
            "default-index",
            "extra-index-url",
            "find-links",
            "index",
            "index-strategy",
            "index-url",
            "native-tls",
            "no-index",
            "offline",
            "python-downloads",
            "python-install-mirror",
            "python-preference",
            "system-certs",
        ],
    },
    Settings {
        path: ".yarnrc.yml",
        moved_by: None,
        format: Format::Lines,
        keys: &[
            "npmRegistryServer",
            "httpProxy",
            "httpsProxy",
            "httpsCaFilePath",
            "caFilePath",
            "enableStrictSsl",
            "enableTelemetry",
            "enableGlobalCache",
            "nodeLinker",
        ],
    },
    Settings {
        path: ".bundle/config",
        moved_by: None,
        format: Format::Lines,
        keys: &["BUNDLE_MIRROR*", "BUNDLE_SSL_CA_CERT", "BUNDLE_JOBS"],
    },
    Settings {
        path: ".config/go/env",
        moved_by: None,
        format: Format::Lines,
        keys: &[
            "GOPROXY",
            "GOPRIVATE",
            "GONOPROXY",
            "GOSUMDB",
            "GONOSUMDB",
            "GONOSUMCHECK",
            "GOFLAGS",
            "GOTOOLCHAIN",
            "GOPATH",
            "GOMODCACHE",
            "CGO_ENABLED",
        ],
    },
    Settings {
        path: ".m2/settings.xml",
        moved_by: None,
        format: Format::Xml,
        keys: &["mirrors", "proxies", "pluginGroups"],
    },
    Settings {
        path: ".gradle/gradle.properties",
        moved_by: Some(("GRADLE_USER_HOME", "gradle.properties")),
        format: Format::Lines,
        keys: &[
            "org.gradle.caching*",
            "org.gradle.configuration-cache*",
            "org.gradle.configureondemand",
            "org.gradle.console",
            "org.gradle.daemon*",
            "org.gradle.java.*",
            "org.gradle.jvmargs",
            "org.gradle.logging.*",
            "org.gradle.parallel",
            "org.gradle.priority",
            "org.gradle.unsafe.*",
            "org.gradle.vfs.*",
            "org.gradle.warning.mode",
            "org.gradle.welcome",
            "org.gradle.workers.*",
            "android.*",
            "kotlin.*",
            "systemProp.http.*",
            "systemProp.https.*",
        ],
    },
];

/// A file of settings as a process finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copy {
    pub(super) at: PathBuf,
    pub(super) text: String,
}

/// The settings of a home that are there.
pub(super) fn copies(home: &Path, variables: &Variables) -> Vec<Copy> {
    let copy = |settings: &Settings| {
        let moved = settings.moved_by.and_then(|(variable, file)| {
            let place = variables.get(OsStr::new(variable)).map(PathBuf::from)?;
            place.is_absolute().then(|| place.join(file))
        });
        let at = moved.unwrap_or_else(|| home.join(settings.path));
        let text = settings.redact(&read(&at)?)?;
        (!text.is_empty()).then_some(Copy { at, text })
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

impl Settings {
    /// Nothing where the text cannot be understood.
    fn redact(&self, text: &str) -> Option<String> {
        match self.format {
            Format::Lines => Some(self.lines(text)),
            Format::Toml => self.toml(text),
            Format::Xml => self.xml(text),
        }
    }

    fn takes(&self, key: &str) -> bool {
        let fits = |known: &&str| match known.strip_suffix('*') {
            Some(beginning) => key.starts_with(beginning),
            None => key == *known,
        };
        self.keys.iter().any(fits) && !sounds_secret(key)
    }

    fn lines(&self, text: &str) -> String {
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

    fn toml(&self, text: &str) -> Option<String> {
        let mut table: Table = text.parse().ok()?;
        table.retain(|key, _| self.takes(key));
        let mut value = Value::Table(table);
        redact_value(&mut value);
        toml::to_string(&value).ok()
    }

    fn xml(&self, text: &str) -> Option<String> {
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

/// `https://name:password@host/` without name and password.
pub(super) fn without_login(text: &str) -> String {
    let mut rest = text;
    let mut safe = String::new();
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        safe.push_str(before);
        let end = after.find(['/', '"', '\'', ' ', '<', '?', '#', ',']);
        let (host, more) = after.split_at(end.unwrap_or(after.len()));
        safe.push_str(host.rsplit('@').next().unwrap_or_default());
        rest = more;
    }
    safe.push_str(rest);
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &str) {
        let mut settings = SETTINGS.iter();
        let settings = settings.find(|one| one.path == path).unwrap();
        assert_eq!(settings.redact(text).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn registries_stay_and_logins_go() {
        check(
            ".npmrc",
            "registry=https://me:pw@npm.example/\n//npm.example/:_authToken=abc\n@a:registry = https://a.example\n@a:_authToken=x\n_auth=abc\nfund=false\nkey=-----BEGIN\\\nabc\nemail=me\n",
            "registry=https://npm.example/\n@a:registry = https://a.example\nfund=false\n",
        );
        check(
            ".config/pip/pip.conf",
            "[global]\nindex-url = https://me:pw@pypi.example/simple\nextra-index-url =\n    https://x@a.example\n    https://b.example\nusername = me\npassword = \n  abc\n",
            "[global]\nindex-url = https://pypi.example/simple\nextra-index-url =\n    https://a.example\n    https://b.example\n",
        );
        check(
            ".gradle/gradle.properties",
            "org.gradle.jvmargs=-Xmx2g\ngpr.key=abc\nsigning.password=x\\\n  y\nsystemProp.https.proxyHost=p\nsystemProp.https.proxyPassword=q\n",
            "org.gradle.jvmargs=-Xmx2g\nsystemProp.https.proxyHost=p\n",
        );
        check(
            ".gradle/gradle.properties",
            "org.gradle.jvmargs=-Xmx2g -Dx=abc -Dfile.encoding=UTF-8 \\\n  -DmyPassword=q -XX:+UseG1GC\norg.gradle.project.key=abc\nandroid.injected.signing.key=x\n",
            "org.gradle.jvmargs=-Xmx2g -Dfile.encoding=UTF-8 \\\n  -XX:+UseG1GC\n",
        );
        check(
            ".config/go/env",
            "GOPROXY=https://u:p@p.example,direct\nGOFLAGS=-mod=mod -ldflags=-X=main.key=abc\nGOAUTH=x\n",
            "GOPROXY=https://p.example,direct\nGOFLAGS=-mod=mod\n",
        );
        check(
            ".yarnrc.yml",
            "npmRegistryServer: \"https://u:p@npm.example\"\nnpmAuthToken: abc\nnpmScopes:\n  a:\n    npmAuthToken: abc\n",
            "npmRegistryServer: \"https://npm.example\"\n",
        );
    }

    #[test]
    fn cargo_finds_its_sources_without_tokens() {
        check(
            ".cargo/config.toml",
            "registries = { a = { index = 'sparse+https://u:p@a.example/', token = 'abc' } }\n[env]\nX = 'abc'\n[source.crates-io]\nreplace-with = 'a'\n[registry]\ntoken = '''\nabc'''\n",
            "[registries.a]\nindex = \"sparse+https://a.example/\"\n\n[registry]\n\n[source.crates-io]\nreplace-with = \"a\"\n",
        );
        let cargo = &SETTINGS[0];
        assert_eq!(cargo.redact("token = "), None);
    }

    #[test]
    fn maven_finds_its_mirrors_without_servers() {
        check(
            ".m2/settings.xml",
            "<?xml version='1.0'?>\n<settings xmlns=\"x\">\n<!-- <mirrors>old</mirrors> --><servers><server><password>abc</password></server></servers><mirrors><mirror><url>https://u:p@m.example/x</url></mirror></mirrors><proxies><proxy><host>p</host><username>me</username><password>\nabc</password></proxy></proxies></settings>",
            "<settings xmlns=\"x\">\n<mirrors><mirror><url>https://m.example/x</url></mirror></mirrors>\n<proxies><proxy><host>p</host></proxy></proxies>\n</settings>\n",
        );
    }
}
