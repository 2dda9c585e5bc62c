//! A project in a temporary folder, and the real binary run in it with nothing of this machine in
//! its environment.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::{Output, Running};

/// Where contracts and scripts find their commands.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// A project directory with a home beside it; both vanish with it.
#[derive(Debug)]
pub struct Project {
    // Held for its `Drop`; `root` is its canonical path.
    _folder: TempDir,
    root: PathBuf,
    binary: PathBuf,
    env: Vec<(String, String)>,
    /// Who runs programs, if not whoever runs the test.
    user: Option<u32>,
    started: AtomicUsize,
}

/// An ordinary user that every system has.
const NOBODY: u32 = 65534;

impl Project {
    /// An empty project for this binary: `Project::new(env!("CARGO_BIN_EXE_signoff"))`.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self::new_in(&std::env::temp_dir(), binary)
    }

    /// The same in another place than where temporary files are.
    pub fn new_in(place: &Path, binary: impl Into<PathBuf>) -> Self {
        let folder = TempDir::with_prefix_in("signoff-test-", place).expect("a temporary folder");
        let root = fs::canonicalize(folder.path()).expect("the folder was just made");
        for name in ["project", "home", "tmp", "bin", "output", "outside"] {
            fs::create_dir(root.join(name)).expect("the folder is ours");
        }
        let user = root.join("home/.config/signoff");
        fs::create_dir_all(&user).expect("the folder is ours");
        let free = "sandbox.mode = \"off\"\n";
        fs::write(user.join("config.toml"), free).expect("the folder is ours");
        Self {
            _folder: folder,
            root,
            binary: binary.into(),
            env: Vec::new(),
            user: None,
            started: AtomicUsize::new(0),
        }
    }

    /// The same with agents and contracts confined, so that steps work on trees of the run's own. They can write to what
    /// is [outside](Self::outside) and see nothing else that is beside the project.
    #[must_use]
    pub fn on_trees(self) -> Self {
        let config = self.home().join(".config/signoff/config.toml");
        let ledgers = self.root.join("outside").display().to_string();
        let text = format!("sandbox.writable = [{ledgers:?}]\n");
        fs::write(config, text).expect("the folder is ours");
        self
    }

    /// The same with agents and contracts confined as it is built in. They cannot write a ledger then, and see
    /// nothing that is beside the project.
    #[must_use]
    pub fn confined(self) -> Self {
        fs::remove_dir_all(self.home().join(".config")).expect("it was made");
        self
    }

    /// The same with everything in it given to an ordinary user, who runs all programs from now on; for tests that root
    /// runs, whom no missing right stops.
    #[must_use]
    pub fn of_ordinary_user(mut self) -> Self {
        let is_root = fs::metadata("/proc/self").is_ok_and(|itself| itself.uid() == 0);
        if !is_root {
            return self;
        }
        // Where the binary was built is not for everybody to see.
        let binary = self.root.join("bin/signoff");
        fs::copy(&self.binary, &binary).expect("the folder is ours");
        // An agent that follows a script is that binary too.
        let config = self.root.join("project/.signoff/config.toml");
        if let Ok(text) = fs::read_to_string(&config) {
            let (old, new) = (self.binary.to_string_lossy(), binary.to_string_lossy());
            fs::write(&config, text.replace(&*old, &new)).expect("the folder is ours");
        }
        let all = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&self.root, all).expect("the folder is ours");
        for name in ["project", "home", "tmp", "outside"] {
            set_owner(&self.root.join(name), NOBODY);
        }
        self.binary = binary;
        self.user = Some(NOBODY);
        self
    }

    /// The project directory.
    pub fn path(&self) -> PathBuf {
        self.root.join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The `TMPDIR` that programs get, to see what they leave there.
    pub fn temp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// A path beside the project, which agents and contracts can write to; for ledgers.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.root.join("outside").join(name)
    }

    /// Sets a variable for every program run from now on.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Writes a file of the project, with the directories it needs.
    pub fn write(&self, path: impl AsRef<Path>, text: &str) -> &Self {
        let target = self.path().join(path);
        let parent = target.parent().expect("a file is in a directory");
        fs::create_dir_all(parent).expect("the project is writable");
        fs::write(target, text).expect("the project is writable");
        self
    }

    #[track_caller]
    pub fn read(&self, path: impl AsRef<Path>) -> String {
        let path = path.as_ref();
        match fs::read_to_string(self.path().join(path)) {
            Ok(text) => text,
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }

    pub fn exists(&self, path: impl AsRef<Path>) -> bool {
        self.path().join(path).exists()
    }

    /// Runs `signoff` to its end.
    #[track_caller]
    pub fn signoff<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Output {
        self.spawn(args).wait()
    }

    /// Runs `signoff` with this text as its input.
    #[track_caller]
    pub fn signoff_with_input<S: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
        input: &str,
    ) -> Output {
        let path = self.next_output().with_extension("stdin");
        fs::write(&path, input).expect("the folder is ours");
        let mut command = self.command(&self.binary, args);
        command.stdin(fs::File::open(path).expect("it was just written"));
        self.start(command).wait()
    }

    /// Runs `signoff … --format json`, which must succeed, and returns what it printed.
    #[track_caller]
    pub fn json<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Value {
        let mut command = self.command(&self.binary, args);
        command.args(["--format", "json"]);
        self.start(command).wait().assert_success().json()
    }

    /// Starts `signoff` and lets it run.
    pub fn spawn<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Running {
        self.start(self.command(&self.binary, args))
    }

    /// Runs `signoff` to its end with variables that no other call gets.
    #[track_caller]
    pub fn signoff_with<S: AsRef<OsStr>>(
        &self,
        variables: &[(&str, &str)],
        args: impl IntoIterator<Item = S>,
    ) -> Output {
        self.spawn_with(variables, args).wait()
    }

    /// Starts `signoff` with variables that no other call gets, and lets it run.
    pub fn spawn_with<S: AsRef<OsStr>>(
        &self,
        variables: &[(&str, &str)],
        args: impl IntoIterator<Item = S>,
    ) -> Running {
        let mut command = self.command(&self.binary, args);
        command.envs(variables.iter().copied());
        self.start(command)
    }

    /// Starts `signoff` with variables that no other call gets and with pipes for its input and output, to talk to it.
    #[track_caller]
    pub fn spawn_piped<S: AsRef<OsStr>>(
        &self,
        variables: &[(&str, &str)],
        args: impl IntoIterator<Item = S>,
    ) -> std::process::Child {
        let mut command = self.command(&self.binary, args);
        let said = fs::File::create(self.next_output()).expect("the folder is ours");
        command
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(said);
        command.spawn().expect("the binary starts")
    }

    /// Runs a command line through bash in this directory, with `signoff` on its PATH.
    #[track_caller]
    pub fn bash(&self, line: &str, directory: &Path) -> Output {
        self.start(self.bash_command(line, directory)).wait()
    }

    /// Asks git something in the project.
    #[track_caller]
    pub fn git(&self, words: &str) -> String {
        let output = self.bash(&format!("git {words}"), &self.path());
        output.assert_success();
        output.stdout.trim_end().to_owned()
    }

    /// Starts a command line through bash, as `bash` does, on a terminal of its own.
    #[track_caller]
    pub fn on_terminal(&self, line: &str) -> crate::OnTerminal {
        let command = self.bash_command(line, &self.path());
        crate::OnTerminal::start(&command, line.to_owned())
    }

    fn bash_command(&self, line: &str, directory: &Path) -> Command {
        let link = self.root.join("bin/signoff");
        if !link.exists() {
            symlink(&self.binary, link).expect("the folder is ours");
        }
        let mut command = self.command(Path::new("bash"), ["--norc", "-c", line]);
        command.current_dir(directory);
        command
    }

    /// Processes that work inside this project's folder: after a run there should be none.
    // Linux only: elsewhere there is no /proc to look in, and the list is empty.
    pub fn processes(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .filter_map(Result::ok)
            .filter(|entry| {
                fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&self.root))
            })
            .map(|entry| {
                let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                format!("{} {line}", entry.file_name().to_string_lossy())
            })
            .collect()
    }

    fn command<S: AsRef<OsStr>>(
        &self,
        program: &Path,
        args: impl IntoIterator<Item = S>,
    ) -> Command {
        let mut command = Command::new(program);
        // The same for every way of starting it: the PATH is part of what is signed.
        let path = format!("{}:{SYSTEM_PATH}", self.root.join("bin").display());
        command
            .args(args)
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home().join(".config"))
            .env("XDG_STATE_HOME", self.home().join(".local/state"))
            .env("TMPDIR", self.temp())
            .env("USER", "somebody")
            .env("SIGNOFF_ACCOUNT", "tester")
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            // An agent may run the tests; those they play are nobody's but the test's.
            .env("SIGNOFF_TEST_SHELL", std::process::id().to_string())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.path())
            .stdin(Stdio::null());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    fn start(&self, command: Command) -> Running {
        let words: Vec<_> = std::iter::once(command.get_program())
            .chain(command.get_args())
            .map(OsStr::to_string_lossy)
            .collect();
        let line = words.join(" ");
        Running::start(command, line, self.next_output())
    }

    fn next_output(&self) -> PathBuf {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        self.root.join(format!("output/{number}"))
    }
}

/// Makes somebody the owner of everything there.
fn set_owner(path: &Path, user: u32) {
    lchown(path, Some(user), Some(user)).expect("we are root");
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).expect("it is ours").flatten() {
            set_owner(&entry.path(), user);
        }
    }
}

#[cfg(test)]
mod tests;
