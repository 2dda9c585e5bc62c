//! The files around a session: those that its agent may write in plan mode, below the plan directories that were
//! allocated to it and its own plan, and the repositories that git would find.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use signoff_plan::guard::{Agent, SessionFiles};
use signoff_store::threads::allocated_threads;
use signoff_work::environment::Variables;

use crate::threads::{SESSION_VARIABLE, plans_root};

/// The directories of one session.
#[derive(Debug)]
pub(super) struct SessionPlans {
    /// Markdown in them and in `tasks` is a plan.
    directories: Vec<PathBuf>,
    /// Markdown directly in them is a plan.
    flat: Vec<PathBuf>,
    /// Where its commands begin.
    directory: PathBuf,
    home: Option<PathBuf>,
}

impl SessionPlans {
    /// Finds them. What cannot be read allows nothing.
    pub(super) fn new(
        variables: &Variables,
        agent: Agent,
        session: Option<&str>,
        directory: &Path,
    ) -> Self {
        let named = variables.get(OsStr::new(SESSION_VARIABLE));
        let named = named.and_then(|id| id.to_str());
        let root = plans_root(variables);
        let sessions = [session, named].into_iter().flatten();
        let directories = sessions.flat_map(|id| match &root {
            Some(root) => allocated_threads(root, id).unwrap_or_default(),
            None => Vec::new(),
        });
        Self {
            directories: directories.collect(),
            flat: own_plans(variables, agent).into_iter().collect(),
            directory: directory.to_owned(),
            home: home(variables),
        }
    }
}

fn absolute(variables: &Variables, name: &str) -> Option<PathBuf> {
    let value = variables.get(OsStr::new(name)).map(PathBuf::from);
    value.filter(|path| path.is_absolute())
}

fn home(variables: &Variables) -> Option<PathBuf> {
    absolute(variables, "HOME")
}

/// Where an agent keeps the plans of its own plan mode.
fn own_plans(variables: &Variables, agent: Agent) -> Option<PathBuf> {
    match agent {
        Agent::Claude => {
            let default = || home(variables).map(|home| home.join(".claude"));
            let config = absolute(variables, "CLAUDE_CONFIG_DIR").or_else(default)?;
            Some(config.join("plans"))
        }
        // Others keep them elsewhere for each session, and hand their plan over by a tool.
        Agent::Codex | Agent::Gemini | Agent::Opencode | Agent::Pi => None,
    }
}

impl SessionFiles for SessionPlans {
    // Only Markdown: programs run what a `.git/config`, a `Makefile` or an `.npmrc` of the directory says.
    fn is_plan_file(&self, path: &str) -> bool {
        let path = Path::new(path);
        let is_in = |directory: &Path| path.parent() == Some(directory);
        let is_hidden = path
            .file_name()
            .is_none_or(|name| name.as_bytes().starts_with(b"."));
        let is_markdown = !is_hidden && path.extension().is_some_and(|ending| ending == "md");
        let is_thread = |directory: &PathBuf| is_in(directory) || is_in(&directory.join("tasks"));
        let threads = self
            .directories
            .iter()
            .filter(|&directory| is_thread(directory));
        let mut homes = threads.chain(self.flat.iter().filter(|flat| is_in(flat)));
        is_markdown && homes.any(|directory| is_really_below(path, directory))
    }

    fn bare_repository(&self, directories: &[String]) -> Option<String> {
        let mut possible = vec![self.directory.clone()];
        for directory in directories {
            let written = [Some(PathBuf::from(directory)), self.in_home(directory)];
            for path in written.iter().flatten() {
                // Which of them changes the directory of which is not looked at: each may be relative to each before it.
                let further: Vec<_> = possible
                    .iter()
                    .flat_map(|from| reached_paths(from, path))
                    .collect();
                possible.extend(further);
            }
            if possible.len() > MOST_DIRECTORIES {
                return Some(directory.clone());
            }
        }
        let found = possible
            .iter()
            .find_map(|directory| bare_repository(directory));
        found.map(|path| path.display().to_string())
    }
}

impl SessionPlans {
    /// What a path that begins with `~` means where that is not quoted.
    fn in_home(&self, path: &str) -> Option<PathBuf> {
        let rest = path.strip_prefix('~')?.trim_start_matches('/');
        // A home that is not known holds nothing of a clone.
        Some(self.home.as_ref()?.join(rest))
    }
}

/// Where a path leads from a directory: as the kernel goes, and as `cd` does, which takes back a link with `..`.
fn reached_paths(from: &Path, path: &Path) -> Vec<PathBuf> {
    let joined = from.join(path);
    let mut logical = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => {
                logical.pop();
            }
            part => logical.push(part),
        }
    }
    if logical == joined {
        vec![joined]
    } else {
        vec![joined, logical]
    }
}

/// So many directories are looked at.
const MOST_DIRECTORIES: usize = 64;

/// The bare repository that git would find from this directory on. A directory that is not there leads nowhere.
fn bare_repository(directory: &Path) -> Option<PathBuf> {
    let directory = directory.canonicalize().ok()?;
    // No clone brings a directory of this name.
    let is_git = |path: &Path| path.components().any(|part| part.as_os_str() == ".git");
    for at in directory.ancestors() {
        if is_git(at) || at.join(".git").symlink_metadata().is_ok() {
            return None;
        }
        let has = |name: &str| at.join(name).symlink_metadata().is_ok();
        if has("HEAD") && (has("commondir") || (has("objects") && has("refs"))) {
            return Some(at.to_owned());
        }
    }
    None
}

/// Whether the path lies below the directory, and neither it nor anything between is a link.
fn is_really_below(path: &Path, directory: &Path) -> bool {
    let Ok(rest) = path.strip_prefix(directory) else {
        return false;
    };
    let is_link = |path: &Path| {
        path.symlink_metadata()
            .is_ok_and(|found| found.is_symlink())
    };
    let mut at = directory.to_path_buf();
    if rest.as_os_str().is_empty() || is_link(&at) {
        return false;
    }
    for part in rest.components() {
        at.push(part);
        if is_link(&at) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_was_allocated_and_no_way_out_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let variables: Variables = [
            ("AGENTFLOW_PLANS_DIR".into(), root.clone().into_os_string()),
            ("HOME".into(), root.join("home").into_os_string()),
        ]
        .into();
        let state = r#"{"schema":"signoff.sessions/1","sessions":{"s1":{"threads":[{"thread_id":"t1","committed":[]}],"committed":[]},"s2":{"threads":[],"committed":[]}}}"#;
        let schema = signoff_api::threads::SESSIONS_SCHEMA;
        let state = state.replace("signoff.sessions/1", schema);
        fs::write(root.join("sessions.json"), state).unwrap();
        fs::create_dir_all(root.join("s1/tasks")).unwrap();
        fs::create_dir_all(root.join("home/.claude/plans/sub")).unwrap();
        symlink("/etc", root.join("s1/link")).unwrap();
        symlink("/etc/passwd", root.join("s1/file.md")).unwrap();
        let plans = SessionPlans::new(&variables, Agent::Claude, Some("s1"), &root);
        let is_plan = |path: &str| plans.is_plan_file(&format!("{}/{path}", root.display()));
        for path in [
            "s1/plan.md",
            "s1/tasks/01-a.md",
            "t1/plan.md",
            "home/.claude/plans/a.md",
        ] {
            assert!(is_plan(path), "{path}");
        }
        for path in [
            "s1",
            "s2/plan.md",
            "sessions.json",
            "s1/link/x",
            "s1/.git/config",
            "s1/tasks/.md",
            "s1/tasks/Makefile",
            "s1/node_modules/x.md",
            "s1/file.md",
            "home/.claude/plans/a.sh",
            "home/.claude/plans/sub/a.md",
            "home/.claude/settings.json",
        ] {
            assert!(!is_plan(path), "{path}");
        }
        let of_pi = SessionPlans::new(&variables, Agent::Pi, None, &root);
        assert!(!of_pi.is_plan_file(&format!("{}/s1/plan.md", root.display())));
        assert!(!of_pi.is_plan_file(&format!("{}/home/.claude/plans/a.md", root.display())));
    }
    #[test]
    fn a_bare_repository_is_found_where_git_finds_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for made in [
            ".git/objects",
            ".git/refs",
            "sub",
            "vendor/evil.git/objects/pack",
            "vendor/evil.git/refs",
            "vendor/linked",
        ] {
            fs::create_dir_all(root.join(made)).unwrap();
        }
        for file in [".git/HEAD", "vendor/evil.git/HEAD", "vendor/linked/HEAD"] {
            fs::write(root.join(file), "ref: refs/heads/main\n").unwrap();
        }
        fs::write(root.join("vendor/linked/commondir"), "../evil.git\n").unwrap();
        let found = |from: &str, directories: &[&str]| {
            let from = root.join(from);
            let plans = SessionPlans::new(&Variables::new(), Agent::Codex, None, &from);
            let directories: Vec<String> = directories.iter().map(|&d| d.to_owned()).collect();
            plans.bare_repository(&directories).is_some()
        };
        assert!(!found("", &[]));
        assert!(!found("sub", &[".."]));
        assert!(!found(".git", &[]));
        assert!(!found("", &["absent"]));
        assert!(found("", &["vendor/evil.git"]));
        assert!(found("", &["vendor", "evil.git"]));
        assert!(found("sub", &["../vendor/evil.git/objects"]));
        assert!(found("vendor/evil.git/refs", &[]));
        assert!(found("", &["vendor/linked"]));
        assert!(found("", &["sub"; 7]));
        // `cd` goes to `vendor/evil.git`, git to a directory that is not there.
        symlink(root.join("sub"), root.join("vendor/link")).unwrap();
        assert!(found("", &["vendor/link/../evil.git"]));
        assert!(found("", &["vendor/link", "..", "evil.git"]));
        assert!(!found("", &["vendor/link/.."]));
    }

    #[test]
    fn a_bare_repository_is_found_below_the_home_and_below_what_is_called_so() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let home = root.join("home");
        for made in ["home/evil.git", "~/quoted.git"] {
            for inner in ["objects", "refs", "HEAD"] {
                fs::create_dir_all(root.join(made).join(inner)).unwrap();
            }
        }
        let variables: Variables = [("HOME".into(), home.into_os_string())].into();
        let plans = SessionPlans::new(&variables, Agent::Claude, None, &root);
        let found = |path: &str| plans.bare_repository(&[path.to_owned()]).is_some();
        assert!(found("~/evil.git"));
        assert!(found("~/quoted.git"));
        assert!(!found("~"));
        assert!(!found("~/absent"));
    }
}
