//! A home with whatever a test puts there, and processes that look at it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::{Command, Level, Limits, Sandbox, Stdin};
use signoff_work::confine::{
    AgentRequirements, Confined, Home, HomeOptions, RunPaths, VisibleTree,
};
use signoff_work::environment::{Variables, for_agent, for_contract};

use super::{exists, make_program};

/// Where the system's own programs are.
pub(crate) const SYSTEM: &str = "/usr/local/bin:/usr/bin:/bin";

/// The levels that mount; `bwrap` may be missing, but where CI runs.
pub(crate) fn mounting_levels() -> Vec<Level> {
    let directories = ["/usr/bin", "/bin", "/usr/local/bin"];
    let mut paths = directories.iter().map(|it| Path::new(it).join("bwrap"));
    let has_bubblewrap = paths.any(|path| path.exists());
    assert!(
        has_bubblewrap || std::env::var_os("CI").is_none(),
        "`bwrap` is not installed: `cargo xtask test` installs it"
    );
    let bubblewrap = has_bubblewrap.then_some(Level::Bubblewrap);
    [Level::Namespaces].into_iter().chain(bubblewrap).collect()
}

/// A person's home and project.
pub(crate) struct HomeWorld {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) options: HomeOptions,
    pub(crate) overlays: bool,
    pub(crate) command: Vec<String>,
}

impl HomeWorld {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (home, tree) = (root.join("home"), root.join("tree"));
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(tree.join(".signoff")).unwrap();
        fs::write(home.join(".ssh/id"), "a private key").unwrap();
        let options = HomeOptions {
            home: Some(home),
            tree,
            variables: [("PATH".into(), SYSTEM.into())].into(),
            ..HomeOptions::default()
        };
        Self {
            _folder: folder,
            root,
            options,
            overlays: false,
            command: Vec::new(),
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.options.home.clone().unwrap()
    }

    /// Puts a file into the home.
    pub(crate) fn file(&self, path: &str, text: &str) -> &Self {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Puts a program into the home; `~` in it is the home.
    pub(crate) fn program(&self, path: &str, text: &str) -> &Self {
        let text = text.replace('~', &self.home().to_string_lossy());
        make_program(&self.home().join(path), &text);
        self
    }

    /// Puts a link into the home; `~` in what it leads to is the home.
    pub(crate) fn link(&self, path: &str, to: &str) -> &Self {
        let path = self.home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let to = to.replace('~', &self.home().to_string_lossy());
        std::os::unix::fs::symlink(to, path).unwrap();
        self
    }

    /// Sets a variable; `~` in it is the home.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> &mut Self {
        let value = value.replace('~', &self.home().to_string_lossy());
        self.options.variables.insert(name.into(), value.into());
        self
    }

    pub(crate) fn run_paths(&self, level: Level) -> RunPaths {
        RunPaths {
            kept: vec![self.options.tree.join(".signoff")],
            tree: self.options.tree.clone(),
            home: Home::resolve(&self.options),
            overlays: self.overlays && level == Level::Namespaces,
            path: self.options.variables[&OsString::from("PATH")].clone(),
            network: true,
            processes: None,
            memory: None,
            level,
            objects: None,
            shells: Vec::new(),
        }
    }

    /// A new one, where a run has it: in what is kept.
    fn scratch(&self) -> PathBuf {
        let all = self.options.tree.join(".signoff/scratch");
        fs::create_dir_all(&all).unwrap();
        let count = fs::read_dir(&all).unwrap().count();
        let scratch = all.join(count.to_string());
        fs::create_dir(&scratch).unwrap();
        scratch
    }

    fn agent(&self, level: Level) -> (Confined, Vec<(OsString, OsString)>) {
        let needs = AgentRequirements::of_command(&self.command);
        let all = &self.options.variables;
        let run_paths = self.run_paths(level);
        let confined =
            run_paths.for_agent(&self.scratch(), &needs, &VisibleTree::Checkout, &[], all);
        (
            confined.unwrap(),
            for_agent(all, &allowed(), needs.variables(all)),
        )
    }

    fn contract(&self, level: Level) -> (Confined, Vec<(OsString, OsString)>) {
        let confined =
            self.run_paths(level)
                .for_contract(&self.scratch(), &VisibleTree::Checkout, &[]);
        let variables: &Variables = &self.options.variables;
        let environment = for_contract(variables, &allowed(), &self.options.tree);
        (confined.unwrap(), environment)
    }

    fn run(
        &self,
        level: Level,
        (confined, mut env): (Confined, Vec<(OsString, OsString)>),
        script: &str,
    ) -> (String, String) {
        let policy = confined.into_policy(&mut env);
        let command = Command {
            argv: ["bash", "-c", script].map(OsString::from).to_vec(),
            cwd: self.options.tree.clone(),
            env,
            stdin: Stdin::Null,
            marker: None,
            limits: Limits {
                time: Some(Duration::from_mins(5)),
                output: 1 << 20,
                log: 0,
            },
            log: None,
            policy: Some(policy),
            mounts: None,
        };
        let ended = Sandbox::with_level(level).unwrap().run(command).unwrap();
        (ended.stdout.text().trim().to_owned(), ended.stderr.text())
    }

    /// Checks what an agent and a contract print; `~` in it is the home.
    #[track_caller]
    pub(crate) fn check_at(&self, level: Level, script: &str, expected: &str) {
        let home = self.home();
        let expected = expected.replace('~', &home.to_string_lossy());
        for who in ["agent", "contract"] {
            let confined = match who {
                "agent" => self.agent(level),
                _ => self.contract(level),
            };
            let (out, err) = self.run(level, confined, script);
            assert_eq!(out, expected, "{who} at {level}: {script}\n{err}");
        }
    }

    /// Checks what an agent alone prints.
    #[track_caller]
    pub(crate) fn check_agent(&self, level: Level, script: &str, expected: &str) {
        let (out, err) = self.run(level, self.agent(level), script);
        assert_eq!(out, expected, "agent at {level}: {script}\n{err}");
    }

    /// Checks what both print, whatever their home is.
    #[track_caller]
    pub(crate) fn check_without_home(&self, level: Level, script: &str, expected: &str) {
        self.check_agent(level, script, expected);
        let (out, err) = self.run(level, self.contract(level), script);
        assert_eq!(out, expected, "contract at {level}: {script}\n{err}");
    }

    /// Checks the same wherever the home is another one.
    #[track_caller]
    pub(crate) fn check(&self, script: &str, expected: &str) {
        for level in mounting_levels() {
            self.check_at(level, script, expected);
        }
    }

    /// Is this in the real home?
    pub(crate) fn has(&self, path: &str) -> bool {
        exists(&self.home().join(path))
    }
}

impl Drop for HomeWorld {
    /// The kernel leaves directories of layers that their owner has to unlock before they can be removed.
    fn drop(&mut self) {
        use std::os::unix::fs::PermissionsExt;
        let entries = |path: PathBuf| fs::read_dir(path).into_iter().flatten().flatten();
        for scratch in entries(self.options.tree.join(".signoff/scratch")) {
            for cache in entries(scratch.path().join("caches")) {
                let work = cache.path().join("work/work");
                fs::set_permissions(work, fs::Permissions::from_mode(0o700)).ok();
            }
        }
    }
}

fn allowed() -> Vec<String> {
    ["PATH", "LANG", "TERM", "HOME"].map(str::to_owned).to_vec()
}

/// Can this be looked at by whoever runs the tests?
pub(crate) fn is_readable(path: &Path) -> bool {
    fs::read_dir(path).is_ok()
}
