//! Where programs keep what matters: sockets, secrets, caches, tools. Data, and what of it is there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use signoff_sandbox::Bind;

/// Where services listen: docker, D-Bus, agents of keys.
const SOCKETS: [&str; 1] = ["/run"];

/// What a private directory is put in place of.
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// What programs keep in a home and nobody's agent or test needs.
const SECRETS: [&str; 16] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".config/gh",
    ".config/gcloud",
    ".config/signoff",
    ".local/share/keyrings",
    ".password-store",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
];

/// What agents log in with. The one whose login it is has a copy; no other agent, and no test that one wrote, is to
/// send it away.
const LOGINS: [&str; 12] = [
    ".claude.json",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".codex/.env",
    ".gemini/oauth_creds.json",
    ".gemini/gemini-credentials.json",
    ".gemini/.env",
    ".local/share/opencode/auth.json",
    ".config/opencode/opencode.json",
    ".config/opencode/opencode.jsonc",
    ".pi/agent/auth.json",
    ".pi/agent/models.json",
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

pub(super) fn temporary() -> Vec<PathBuf> {
    TEMPORARY.iter().map(PathBuf::from).collect()
}

pub(super) fn secrets(home: &Path) -> Vec<PathBuf> {
    let mut found = there(home, &SECRETS);
    found.extend(there(home, &LOGINS));
    found
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

/// What is needed wherever it lies: programs, and how names are resolved.
pub(super) fn needed(path: &OsStr) -> Vec<PathBuf> {
    let names = Path::new("/etc/resolv.conf").canonicalize().ok();
    let programs = std::env::split_paths(path).filter(|entry| entry.is_dir());
    programs.chain(names).collect()
}

/// Those that lie in a covered directory, and in none that is seen all the same.
pub(super) fn below(covered: &[PathBuf], needed: Vec<PathBuf>) -> Vec<Bind> {
    let mut binds: Vec<Bind> = Vec::new();
    for path in needed {
        let is_below = |above: &PathBuf| path != *above && path.starts_with(above);
        let is_seen = binds.iter().any(|bind| path.starts_with(&bind.to));
        if covered.iter().any(is_below) && !is_seen {
            binds.push(Bind {
                from: path.clone(),
                to: path,
                writable: false,
            });
        }
    }
    binds
}
