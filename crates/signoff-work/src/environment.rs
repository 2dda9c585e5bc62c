//! The environment that agents and contracts get: a list of what is let through, never what happens
//! to be set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Variables of the harness's own process, read once at its edge.
pub type Variables = BTreeMap<OsString, OsString>;

/// How to reach others: passed to everything that is started.
pub(crate) const PROXIES: [&str; 8] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Whose certificates are believed: files and directories, passed on where they can be seen.
pub(crate) const CERTIFICATES: [&str; 17] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE",
    "NIX_SSL_CERT_FILE",
    "DENO_CERT",
    "HTTPLIB2_CA_CERTS",
    "BUNDLE_SSL_CA_CERT",
    "HEX_CACERTS_PATH",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "CODEX_CA_CERTIFICATE",
];

/// Variables for an agent: those that all are allowed, and `login`, those that it logs in with; nothing else.
pub fn for_agent(
    all: &Variables,
    allowed: &[String],
    login: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let mut variables = login;
    let own = |name: &str| variables.iter().any(|(own, _)| own == name);
    let allowed = with_reach(allowed).into_iter();
    let allowed: Vec<String> = allowed.filter(|name| !own(name)).collect();
    variables.extend(select(all, &allowed));
    variables
}

/// The allowed names, and those of variables that say how others are reached and whose certificates are believed.
fn with_reach(allowed: &[String]) -> Vec<String> {
    let mut names = allowed.to_vec();
    for name in PROXIES.iter().chain(&CERTIFICATES) {
        if !names.iter().any(|known| known == name) {
            names.push((*name).to_owned());
        }
    }
    names
}

/// Variables for a contract: the allowed ones, with a PATH that has no entry inside the tree (an agent could have put a
/// fake checker there) and git without hooks. Git has no configuration of a person's either, unless the contract finds a
/// home that was made for it.
pub fn for_contract(all: &Variables, allowed: &[String], tree: &Path) -> Vec<(OsString, OsString)> {
    let mut variables = select(all, &with_reach(allowed));
    for (name, value) in &mut variables {
        if name == "PATH" {
            *value = path_outside(value, tree);
        }
    }
    let git = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_0", "core.hooksPath"),
        ("GIT_CONFIG_VALUE_0", "/dev/null"),
        // Ordinary files of the tree may look like a repository, with programs to run in its configuration.
        ("GIT_CONFIG_KEY_1", "safe.bareRepository"),
        ("GIT_CONFIG_VALUE_1", "explicit"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    variables.extend(git.map(|(name, value)| (name.into(), value.into())));
    variables
}

/// The entries of a PATH that are absolute and lie outside the tree, also by the links in them.
pub fn path_outside(path: &OsStr, tree: &Path) -> OsString {
    let kept = std::env::split_paths(path)
        .filter(|entry| entry.is_absolute() && !lies_inside(entry, tree));
    std::env::join_paths(kept).expect("an entry that was split off has no colon")
}

/// The entries of a PATH that lie, or lead, inside the tree: nothing is looked for in them.
pub fn path_inside(path: &OsStr, tree: &Path) -> Vec<PathBuf> {
    let entries = std::env::split_paths(path);
    entries
        .filter(|entry| entry.is_absolute() && lies_inside(entry, tree))
        .collect()
}

/// Does a path lie in the tree, as it is written or with its links resolved?
fn lies_inside(path: &Path, tree: &Path) -> bool {
    path.starts_with(tree) || resolve(path).starts_with(resolve(tree))
}

/// A path without links. What does not exist yet is taken from the directory that does: somebody may
/// make the rest.
fn resolve(path: &Path) -> PathBuf {
    let existing = path
        .ancestors()
        .find_map(|above| Some((above, above.canonicalize().ok()?)));
    match existing {
        Some((above, real)) => real.join(path.strip_prefix(above).unwrap_or(Path::new(""))),
        None => path.to_path_buf(),
    }
}

/// The allowed variables, and of those only what no shell executes.
pub fn select(all: &Variables, allowed: &[String]) -> Vec<(OsString, OsString)> {
    allowed
        .iter()
        // These make a shell run other code before the command.
        .filter(|name| !matches!(name.as_str(), "BASH_ENV" | "ENV" | "SIGNOFF_INSIDE"))
        .filter_map(|name| {
            let value = all.get(OsStr::new(name))?;
            Some((OsString::from(name), value.clone()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::AgentRequirements;

    fn variables() -> Variables {
        [
            ("PATH", "/usr/bin:/work/tree/bin:rel:/bin"),
            ("API_KEY", "secret"),
            ("BASH_ENV", "/evil"),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
    }

    #[test]
    fn only_what_is_allowed_gets_through() {
        let allowed = ["PATH".to_owned(), "BASH_ENV".to_owned(), "LANG".to_owned()];
        let seen = for_agent(&variables(), &allowed, Vec::new());
        assert_eq!(
            seen,
            [("PATH".into(), "/usr/bin:/work/tree/bin:rel:/bin".into())]
        );
    }

    #[test]
    fn how_others_are_reached_is_known_to_all() {
        let mut variables = variables();
        variables.insert("HTTPS_PROXY".into(), "http://proxy".into());
        variables.insert("SSL_CERT_FILE".into(), "/ca".into());
        let agent = for_agent(
            &variables,
            &[],
            AgentRequirements::of_command(&["claude".to_owned()]).variables(&variables),
        );
        let contract = for_contract(&variables, &[], Path::new("/work/tree"));
        for seen in [agent, contract] {
            assert!(seen.contains(&("HTTPS_PROXY".into(), "http://proxy".into())));
            assert!(seen.contains(&("SSL_CERT_FILE".into(), "/ca".into())));
        }
    }

    #[test]
    fn a_link_into_the_tree_is_no_way_around() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("tree/bin")).unwrap();
        std::os::unix::fs::symlink("tree/bin", root.join("way")).unwrap();
        std::os::unix::fs::symlink(root.join("tree"), root.join("named")).unwrap();
        let path = format!("/usr/bin:{0}/way:{0}/tree/../tree/bin", root.display());
        for tree in ["tree", "named"] {
            let seen = path_outside(OsStr::new(&path), &root.join(tree));
            assert_eq!(seen, "/usr/bin");
        }
    }

    #[test]
    fn an_entry_that_leads_into_the_tree_is_inside() {
        let dir = tempfile::tempdir().unwrap();
        let (tree, bin) = (dir.path().join("tree"), dir.path().join("bin"));
        std::fs::create_dir_all(tree.join("sub")).unwrap();
        std::fs::create_dir(&bin).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&tree, &link).unwrap();
        // The last two: what is not there yet, behind a link and beside the tree.
        let entries = [
            link.clone(),
            link.join("sub"),
            bin,
            link.join("later/bin"),
            dir.path().join("later"),
        ];
        let path = std::env::join_paths(&entries).unwrap();
        let [kept, later] = [&entries[2], &entries[4]];
        assert_eq!(
            path_outside(&path, &tree),
            std::env::join_paths([kept, later]).unwrap()
        );
        assert_eq!(
            path_inside(&path, &tree),
            [&entries[0], &entries[1], &entries[3]].map(Clone::clone)
        );
    }

    #[test]
    fn a_contract_finds_no_program_inside_the_tree() {
        let seen = for_contract(&variables(), &["PATH".to_owned()], Path::new("/work/tree"));
        assert!(
            seen.contains(&("PATH".into(), "/usr/bin:/bin".into())),
            "{seen:?}"
        );
    }
}
