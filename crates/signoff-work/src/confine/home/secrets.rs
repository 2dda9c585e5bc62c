//! What no agent and no contract gets to see of a home, wherever a link puts it. Data, and what of it is there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::path_set::PathSet;
use crate::confine::ITS_OWN;
use crate::environment::Variables;

/// What programs keep in a home and no agent or test needs. It is never part of the allow-list, and it is hidden where
/// it lies in something that is, or where a link puts it outside of the home.
const SECRETS: [&str; 83] = [
    // Keys and logins.
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/git/credentials",
    ".config/gcloud",
    ".config/containers",
    ".config/rclone",
    ".config/doctl",
    ".config/sops",
    ".config/op",
    ".local/share/keyrings",
    ".password-store",
    ".vault-token",
    ".terraform.d",
    ".terraformrc",
    ".s3cfg",
    ".boto",
    ".oci",
    ".fly",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".config/uv/uv.toml",
    ".local/share/uv/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".cargo/config",
    ".cargo/config.toml",
    ".gem/credentials",
    ".bundle/config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".nuget/NuGet/NuGet.Config",
    ".dotnet/corefx",
    ".aspnet",
    ".microsoft/usersecrets",
    ".huggingface",
    ".cache/huggingface/token",
    ".pgpass",
    ".my.cnf",
    // What was typed.
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    // Agents.
    ".claude.json",
    ".claude",
    ".codex",
    ".gemini",
    ".pi",
    ".local/share/opencode",
    ".config/opencode",
    // Container services listen in there: a socket can be used through a read-only mount.
    ".docker",
    ".rd",
    ".orbstack",
    ".colima",
    ".lima",
    ".local/share/containers",
    // Browsers, mail, editors, money.
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/Code",
    ".vscode-server/data",
    ".cursor-server/data",
    ".electrum",
    ".bitcoin",
    ".ethereum",
];

/// The harness's own directories: where they are in a home, and the variable that names another place for the first part.
pub(super) const OWN: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_DATA_HOME", ".local/share"),
];

/// Credentials of tools that a variable put elsewhere.
const MOVED: [(&str, &[&str]); 4] = [
    (
        "CARGO_HOME",
        &["credentials", "credentials.toml", "config", "config.toml"],
    ),
    ("GRADLE_USER_HOME", &["gradle.properties"]),
    ("COMPOSER_HOME", &["auth.json"]),
    ("HF_HOME", &["token"]),
];

/// Programs that are installed beside secrets.
const PROGRAMS: [&str; 1] = [".claude/local"];

/// Variables that name sockets of services and agents of keys, and what stands before the path.
const SOCKETS: [(&str, &str); 4] = [
    ("SSH_AUTH_SOCK", ""),
    ("DOCKER_HOST", "unix://"),
    ("CONTAINER_HOST", "unix://"),
    ("DBUS_SESSION_BUS_ADDRESS", "unix:path="),
];

/// Sets of paths: as they are named, and where links lead from there.
#[derive(Debug, Clone, Default)]
pub(super) struct HomeSecrets {
    paths: PathSet,
    own: Vec<PathBuf>,
    programs: PathSet,
}

impl HomeSecrets {
    pub(super) fn new(homes: &[PathBuf], variables: &Variables) -> Self {
        let value = |name: &str| variables.get(OsStr::new(name)).map(PathBuf::from);
        let own = OWN.iter().flat_map(|(variable, default)| {
            let directories = homes.iter().map(move |home| home.join(default));
            let directories = directories.chain(value(variable));
            directories.map(|directory| directory.join("signoff"))
        });
        let own = with_targets(own.filter(|path| path.is_absolute()).collect());
        let below_home = homes.iter().flat_map(|home| SECRETS.map(|s| home.join(s)));
        let moved = MOVED.iter().flat_map(|(variable, files)| {
            let directory = value(variable).filter(|directory| directory.is_absolute());
            let directory = directory.into_iter();
            directory.flat_map(|directory| files.iter().map(move |file| directory.join(file)))
        });
        let sockets = SOCKETS.iter().filter_map(|(variable, before)| {
            let value = variables.get(OsStr::new(variable))?.to_str()?;
            let path = value.strip_prefix(before)?.split([',', ';']).next()?;
            // Where a process has something of its own it finds none.
            let is_seen = !ITS_OWN.iter().any(|own| Path::new(path).starts_with(own));
            (is_seen && path.starts_with('/')).then(|| PathBuf::from(path))
        });
        let paths = below_home.chain(moved).chain(sockets).chain(own.clone());
        let programs = homes.iter().flat_map(|home| PROGRAMS.map(|p| home.join(p)));
        Self {
            paths: with_targets(paths.collect()).into_iter().collect(),
            own,
            programs: programs.collect(),
        }
    }

    /// Is this a secret, or does it lie in one?
    pub(super) fn cover(&self, path: &Path) -> bool {
        self.paths.cover(path) && !self.programs.cover(path)
    }

    /// Is this the harness's own, or does it lie in it?
    pub(super) fn cover_own(&self, path: &Path) -> bool {
        self.own.iter().any(|own| path.starts_with(own))
    }

    /// The same, or is it around it?
    pub(super) fn touch_own(&self, path: &Path) -> bool {
        self.cover_own(path) || self.own.iter().any(|own| own.starts_with(path))
    }

    /// Those that are there, without links.
    pub(super) fn existing_paths(&self) -> impl Iterator<Item = &Path> {
        let is_real = |path: &&Path| {
            let found = path.symlink_metadata();
            found.is_ok_and(|found| !found.is_symlink())
                && path.canonicalize().is_ok_and(|real| real == *path)
        };
        self.paths.iter().filter(is_real)
    }
}

fn with_targets(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let targets = paths.iter().filter_map(|path| path.canonicalize().ok());
    let targets: Vec<PathBuf> = targets.collect();
    paths.extend(targets);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_variable_moved_is_a_secret_there() {
        let set = [
            ("SSH_AUTH_SOCK", "/opt/agent/socket"),
            ("DOCKER_HOST", "unix:///var/my/docker.sock"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/opt/bus,guid=1"),
            ("XDG_STATE_HOME", "/data/state"),
            ("CARGO_HOME", "/data/cargo"),
        ];
        let set = set.map(|(name, value)| (name.into(), value.into()));
        let secrets = HomeSecrets::new(&["/home/ada".into()], &set.into());
        for (path, expected) in [
            ("/opt/agent/socket", true),
            ("/var/my/docker.sock", true),
            ("/opt/bus", true),
            ("/data/state/signoff/trust", true),
            ("/data/cargo/credentials.toml", true),
            ("/home/ada/.local/state/signoff", true),
            ("/home/ada/.claude/history.jsonl", true),
            ("/home/ada/.claude/local/claude", false),
            ("/data/cargo/bin", false),
            ("/opt", false),
        ] {
            assert_eq!(secrets.cover(Path::new(path)), expected, "{path}");
        }
    }
}
