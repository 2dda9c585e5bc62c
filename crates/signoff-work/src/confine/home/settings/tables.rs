//! Which files of settings there are, and which of their keys are known not to be secret. Data.

/// A file of settings.
pub(super) struct SettingsFile {
    /// Where it is in a home.
    pub(super) path: &'static str,
    /// A variable that names another place, and where it is there.
    pub(super) moved_by: Option<(&'static str, &'static str)>,
    pub(super) format: Format,
    /// What is taken over: keys, or the beginnings of keys that end with `*`.
    pub(super) keys: &'static [&'static str],
}

/// Options that a program is handed as the value of a setting. Whatever else stands there may be a password.
pub(super) const OPTIONS: [(&str, &[&str]); 3] = [
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
pub(super) enum Format {
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

pub(super) const SETTINGS: [SettingsFile; 11] = [
    SettingsFile {
        path: ".cargo/config.toml",
        moved_by: Some(("CARGO_HOME", "config.toml")),
        format: Format::Toml,
        keys: CARGO,
    },
    SettingsFile {
        path: ".cargo/config",
        moved_by: Some(("CARGO_HOME", "config")),
        format: Format::Toml,
        keys: CARGO,
    },
    SettingsFile {
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
    SettingsFile {
        path: ".config/pip/pip.conf",
        moved_by: None,
        format: Format::Lines,
        keys: PIP,
    },
    SettingsFile {
        path: ".pip/pip.conf",
        moved_by: None,
        format: Format::Lines,
        keys: PIP,
    },
    SettingsFile {
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
    SettingsFile {
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
    SettingsFile {
        path: ".bundle/config",
        moved_by: None,
        format: Format::Lines,
        keys: &["BUNDLE_MIRROR*", "BUNDLE_SSL_CA_CERT", "BUNDLE_JOBS"],
    },
    SettingsFile {
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
    SettingsFile {
        path: ".m2/settings.xml",
        moved_by: None,
        format: Format::Xml,
        keys: &["mirrors", "proxies", "pluginGroups"],
    },
    SettingsFile {
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
