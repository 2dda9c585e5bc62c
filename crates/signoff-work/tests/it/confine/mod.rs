//! What agents and contracts can touch, by real processes in real repositories.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod home;
mod home_world;

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Duration;

use signoff_sandbox::{Command, CommandReport, Limits, Sandbox, Stdin};
use signoff_work::confine::{
    AgentRequirements, Confined, Home, HomeOptions, RunPaths, VisibleTree, closed_shells,
};
use signoff_work::environment::Variables;

/// A home, a repository with one commit, and a store in it.
struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
    sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in [
            "home/.ssh",
            "home/.cargo/bin",
            "home/.claude",
            "tree/.signoff",
        ] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("home/.ssh/id"), "secret").unwrap();
        fs::write(root.join("home/.claude/.credentials.json"), "login").unwrap();
        fs::write(root.join("home/.claude/history.jsonl"), "private").unwrap();
        fs::write(root.join("tree/a"), "1\n").unwrap();
        fs::write(root.join("tree/.signoff/journal"), "").unwrap();
        let world = Self {
            _folder: folder,
            root,
            sandbox: Sandbox::new().unwrap(),
        };
        world.git("init -q -b main");
        world.git("add a");
        world.git("-c user.name=p -c user.email=p@x commit -q -m first");
        world
    }

    fn tree(&self) -> PathBuf {
        self.root.join("tree")
    }

    fn git(&self, words: &str) -> String {
        let output = Process::new("git")
            .args(words.split(' '))
            .current_dir(self.tree())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "{words}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The system's, and one of our own that lies where the temporary directory is found.
    fn path(&self) -> OsString {
        let own = [
            self.root.join("bin"),
            self.tree().join("bin"),
            "/tmp".into(),
        ];
        let system = path();
        let all = own.into_iter().chain(std::env::split_paths(&system));
        std::env::join_paths(all).unwrap()
    }

    fn run_paths(&self) -> RunPaths {
        RunPaths {
            tree: self.tree(),
            kept: vec![self.tree().join(".signoff")],
            home: Home::resolve(&HomeOptions {
                home: Some(self.root.join("home")),
                tree: self.tree(),
                variables: [("PATH".into(), self.path())].into(),
                ..HomeOptions::default()
            }),
            overlays: false,
            path: self.path(),
            network: true,
            processes: Some(200),
            memory: None,
            level: self.sandbox.level().unwrap(),
            objects: None,
            shells: Vec::new(),
        }
    }

    fn agent(&self, program: &str) -> Confined {
        // Where a run has it: in what is kept.
        let scratch = self.tree().join(".signoff/scratch");
        fs::remove_dir_all(&scratch).ok();
        fs::create_dir_all(&scratch).unwrap();
        let needs = AgentRequirements::of_command(&[program.to_owned()]);
        let confined = self.run_paths().for_agent(
            &scratch,
            &needs,
            &VisibleTree::Checkout,
            &[],
            &Variables::default(),
        );
        confined.unwrap()
    }

    fn contract(&self) -> Confined {
        let scratch = self.root.join("scratch");
        fs::remove_dir_all(&scratch).ok();
        self.run_paths()
            .for_contract(&scratch, &VisibleTree::Checkout, &[])
            .unwrap()
    }

    fn run(&self, confined: Confined, script: &str) -> CommandReport {
        let mut env = vec![("PATH".into(), self.path())];
        let policy = confined.into_policy(&mut env);
        let command = Command {
            argv: ["bash", "-c", script].map(OsString::from).to_vec(),
            cwd: self.tree(),
            env,
            stdin: Stdin::Null,
            marker: None,
            limits: Limits {
                time: Some(Duration::from_secs(30)),
                output: 1 << 20,
                log: 0,
            },
            log: None,
            policy: Some(policy),
            mounts: None,
        };
        self.sandbox.run(command).unwrap()
    }

    #[track_caller]
    fn says(&self, confined: Confined, script: &str, expected: &str) {
        let ended = self.run(confined, script);
        let (out, err) = (ended.stdout.text(), ended.stderr.text());
        assert_eq!(out.trim(), expected, "{script}: {err}");
    }
}

fn path() -> OsString {
    std::env::var_os("PATH").unwrap()
}

fn make_program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[test]
fn an_agent_writes_to_its_tree_and_to_nothing_else() {
    let world = World::new();
    let home = world.root.join("home");
    let script = format!(
        "echo 2 > a; echo x > .signoff/journal; echo x > {0}/x; echo x > {0}/.cargo/bin/x; \
         cat {0}/.ssh/id; echo x > /etc/x; echo x > $HOME/x && echo x > /tmp/x && echo private",
        home.display()
    );
    world.says(world.agent(""), &script, "private");
    assert_eq!(fs::read_to_string(world.tree().join("a")).unwrap(), "2\n");
    assert_eq!(
        fs::read(world.tree().join(".signoff/journal")).unwrap(),
        b""
    );
    assert!(!exists(&home.join("x")) && !exists(&home.join(".cargo/bin/x")));
    assert!(exists(&world.tree().join(".signoff/scratch/home/x")));
}

#[test]
fn programs_are_found_wherever_they_are() {
    let world = World::new();
    for (directory, word) in [("bin", "own"), ("tree/bin", "tree")] {
        fs::create_dir(world.root.join(directory)).unwrap();
        let tool = world.root.join(directory).join(format!("tool-{word}"));
        make_program(&tool, &format!("#!/bin/sh\necho {word}\n"));
    }
    let script = format!(
        "tool-own; echo x > {}/bin/x; tool-tree && echo x > bin/x && rm bin/x && echo x > /tmp/x && ls /tmp/x",
        world.root.display()
    );
    for confined in [world.agent(""), world.contract()] {
        world.says(confined, &script, "own\ntree\n/tmp/x");
        assert!(!exists(&world.root.join("bin/x")));
    }
}

#[test]
fn an_agents_program_is_found_by_its_path_and_nothing_beside_it() {
    let world = World::new();
    // Where the agent finds a temporary directory of its own.
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let tools = folder.path();
    for file in ["agent", "other"] {
        make_program(&tools.join(file), "echo started\n");
    }
    let agent = tools.join("agent").display().to_string();
    let script = format!("sh {agent}; sh {}/other; echo x > {agent}", tools.display());
    world.says(world.agent(&agent), &script, "started");
    assert_eq!(fs::read(&agent).unwrap(), b"echo started\n");
    world.says(world.agent("agent"), &script, "");
}

#[test]
fn a_known_agent_finds_its_login_and_nothing_more() {
    let world = World::new();
    let script = "cat $HOME/.claude/.credentials.json; echo \" $IS_SANDBOX\"; ls -A $HOME/.claude";
    world.says(world.agent("claude"), script, "login 1\n.credentials.json");
    let ended = world.run(
        world.agent("claude"),
        "echo changed > $HOME/.claude/.credentials.json",
    );
    drop(ended);
    let real = world.root.join("home/.claude/.credentials.json");
    assert_eq!(fs::read(&real).unwrap(), b"login");
    // Somebody's own script that is called like one.
    world.says(world.agent("./claude"), script, "");
    // Another agent, and what an agent wrote to be tested.
    let steal = format!("cat {}; echo tried", real.display());
    for confined in [world.agent("codex"), world.contract()] {
        world.says(confined, &steal, "tried");
    }
}

#[test]
fn an_agent_commits_to_a_repository_of_its_own() {
    let world = World::new();
    let head = world.git("rev-parse HEAD");
    let hook = "mkdir -p .git/hooks; echo 'touch hooked' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";
    let script = format!(
        "{hook}; echo 2 > a; git config core.fsmonitor 'touch watched'; git commit -qam second --no-verify; \
         git log --format=%s; git show HEAD~1:a"
    );
    world.says(world.agent(""), &script, "second\nfirst\n1");
    assert_eq!(world.git("rev-parse HEAD"), head);
    assert_eq!(world.git("status --porcelain -uno"), " M a\n");
    assert!(!exists(&world.tree().join(".git/hooks/pre-commit")));
    assert_eq!(world.git("config --get-all core.bare"), "false\n");
    let config = fs::read_to_string(world.tree().join(".git/config")).unwrap();
    assert!(!config.contains("fsmonitor"), "{config}");
}

#[test]
fn what_a_hostile_repository_says_is_not_taken_over() {
    let world = World::new();
    world.git("config core.fsmonitor ./evil");
    world.git("config filter.x.clean ./evil");
    fs::write(world.tree().join("evil"), "#!/bin/sh\ntouch done\n").unwrap();
    let script = "chmod +x evil; git status --porcelain -uno; git config --get-regexp '.*(fsmonitor|clean).*'";
    world.says(world.agent(""), script, "");
    assert!(!exists(&world.tree().join("done")));
    // One that is read in another way stays the real one, and as it is.
    world.git("config core.repositoryformatversion 1");
    world.git("config extensions.partialClone origin");
    world.says(world.agent(""), "echo x > .git/x; echo seen", "seen");
    assert!(!exists(&world.tree().join(".git/x")));
}

/// Whoever repoints a worktree has the next git run a program of his own.
#[test]
fn where_the_repository_of_a_worktree_is_stays_as_it_is() {
    let world = World::new();
    let elsewhere = world.root.join("elsewhere");
    world.git(&format!(
        "init -q --separate-git-dir={}",
        elsewhere.display()
    ));
    let pointer = fs::read_to_string(world.tree().join(".git")).unwrap();
    let script = "echo 'gitdir: evil' > .git; mv .git old; rm -f .git; cat .git";
    for confined in [world.agent(""), world.contract()] {
        world.says(confined, script, pointer.trim());
    }
    assert_eq!(world.git("log --format=%s"), "first\n");
}

#[test]
fn a_contract_writes_to_the_tree_and_to_what_is_gone_with_it() {
    let world = World::new();
    let home = world.root.join("home");
    let script = format!(
        "for f in {0}/.cargo/registry {0}/.cargo/bin/cargo {0}/.profile .git/hooks/x .signoff/journal \
         /tmp/x built; do echo x > $f; done; cat {0}/.ssh/id",
        home.display()
    );
    world.says(world.contract(), &script, "");
    for written in ["scratch/home/.profile", "scratch/tmp/x", "tree/built"] {
        assert!(exists(&world.root.join(written)), "{written}");
    }
    for kept in [
        "home/.cargo/bin/cargo",
        "home/.cargo/registry",
        "home/.profile",
        "tree/.git/hooks/x",
    ] {
        assert!(!exists(&world.root.join(kept)), "{kept}");
    }
    assert_eq!(
        fs::read(world.tree().join(".signoff/journal")).unwrap(),
        b""
    );
}

/// Code under test must not print in the name of the shell that judges it, nor read what only the shell knows.
#[test]
fn a_contracts_shell_is_closed_to_what_it_starts() {
    let world = World::new();
    let mut run_paths = world.run_paths();
    if !run_paths.level.uses_mounts() {
        return;
    }
    let script = "for part in environ maps; do head -c 1 /proc/$$/$part > /dev/null && echo read $part; done; \
                  echo forged | tee /proc/$$/fd/1 > /dev/null; echo judged; sh -c 'echo inner'";
    let judged = |run_paths: &RunPaths| {
        let scratch = world.root.join("scratch");
        fs::remove_dir_all(&scratch).ok();
        let confined = run_paths.for_contract(&scratch, &VisibleTree::Checkout, &[]);
        world.run(confined.unwrap(), script).stdout.text()
    };
    assert!(
        judged(&run_paths).contains("forged"),
        "it has to be possible without"
    );
    let shells = world.root.join("shells");
    // As when a run goes on.
    closed_shells(&shells, &world.path()).unwrap();
    run_paths.shells = closed_shells(&shells, &world.path()).unwrap();
    assert_eq!(judged(&run_paths), "judged\ninner\n");
}

#[test]
fn an_agent_finds_what_its_command_names() {
    let world = World::new();
    let program = world.root.join("agent");
    make_program(&program, "program");
    let script = format!(
        "cat {}; ls {}/home",
        program.display(),
        world.root.display()
    );
    world.says(world.agent(&program.to_string_lossy()), &script, "program");
    world.says(world.agent("agent"), &script, "");
}
