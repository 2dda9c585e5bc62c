//! Where programs keep what matters: sockets, secrets, caches, tools. Data, and what of it is there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where services listen: docker, D-Bus, agents of keys.
const SOCKETS: [&str; 1] = ["/run"];

/// What programs keep in a home and nobody's agent or test needs.
const SECRETS: [&str; 58] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".config/git/credentials",
    ".config/gcloud",
    ".config/containers/auth.json",
    ".config/rclone",
    ".config/doctl",
    ".config/sops",
    ".config/signoff",
    ".local/share/keyrings",
    ".password-store",
    ".vault-token",
    ".terraform.d",
    ".s3cfg",
    ".boto",
    ".oci",
    ".fly",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".huggingface",
    ".cache/huggingface/token",
    ".pgpass",
    ".my.cnf",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".psql_history",
    ".mysql_history",
    ".node_repl_history",
    ".claude.json",
    ".claude",
    ".codex",
    ".gemini",
    ".pi",
    ".local/share/opencode",
    ".config/opencode",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".electrum",
    ".bitcoin",
    ".ethereum",
];

/// What build tools write to in a home.
const CACHES: [&str; 16] = [
    ".cache",
    ".cargo",
    ".rustup/tmp",
    ".npm",
    ".yarn",
    ".bun/install/cache",
    ".local/share/pnpm",
    ".local/state",
    ".gradle",
    ".m2",
    ".ivy2",
    ".sbt",
    ".nuget",
    ".gem",
    "go/pkg",
    ".stack",
];

/// What in those caches is executed, or decides what is.
const KEPT: [&str; 6] = [
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/config",
    ".cargo/credentials.toml",
    ".cargo/env",
    ".gradle/init.d",
];

/// What tools are installed in, in a home.
const TOOLS: [&str; 22] = [
    ".cargo",
    ".rustup",
    ".nvm",
    ".volta",
    ".fnm",
    ".bun",
    ".deno",
    ".npm-global",
    ".local/bin",
    ".local/lib",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/share/mise",
    ".pyenv",
    ".rbenv",
    ".asdf",
    ".sdkman",
    ".jenv",
    ".opam",
    ".ghcup",
    ".dotnet",
    "go",
];

pub(super) fn sockets() -> Vec<PathBuf> {
    SOCKETS.iter().map(PathBuf::from).collect()
}

pub(super) fn secrets(home: &Path) -> Vec<PathBuf> {
    there(home, &SECRETS)
}

pub(super) fn caches(home: &Path) -> Vec<PathBuf> {
    there(home, &CACHES)
}

pub(super) fn kept_in_caches(home: &Path) -> Vec<PathBuf> {
    there(home, &KEPT)
}

/// By their names in the home.
pub(super) fn tools(home: &Path) -> Vec<&'static str> {
    let is_there = |name: &&&str| home.join(name).exists();
    TOOLS.iter().filter(is_there).copied().collect()
}

/// Those of a home that are there and are no links.
fn there(home: &Path, names: &[&str]) -> Vec<PathBuf> {
    let paths = names.iter().map(|name| home.join(name));
    let is_real = |path: &PathBuf| {
        path.symlink_metadata()
            .is_ok_and(|found| !found.is_symlink())
    };
    paths.filter(is_real).collect()
}

/// Where programs are, and how names are resolved.
pub(super) fn programs(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let names = Path::new("/etc/resolv.conf").canonicalize().ok();
    let entries = std::env::split_paths(path).filter(|entry| entry.is_dir());
    entries.chain(names)
}
