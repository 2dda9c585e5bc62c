//! A project for one attack, and the one who is attacked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use signoff_testkit::{Output, Project};
use tempfile::TempDir;

use super::table::Attack;
use crate::support::BINARY;

/// An ordinary user that every system has.
const NOBODY: u32 = 65534;

/// Who runs Signoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Root, where the tests run as root.
    Root,
    /// Somebody else: whoever runs the tests, or nobody in particular.
    Ordinary,
}

/// What the sandbox is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Off,
    At(&'static str),
}

impl Mode {
    fn mounts(self) -> bool {
        matches!(self, Self::At("namespaces" | "bubblewrap"))
    }

    /// What asks for the level.
    fn variable(self) -> String {
        match self {
            Self::Off => String::new(),
            Self::At(level) => format!("SIGNOFF_LEVEL={level}"),
        }
    }
}

/// The binary where everybody may execute it: where it was built is not for everybody to see. One copy serves all stages
/// of a test, which are on the same file system.
pub(crate) struct SharedBinary(TempDir);

impl SharedBinary {
    pub(crate) fn new() -> Self {
        let folder = TempDir::with_prefix("signoff-test-").expect("a temporary folder");
        fs::copy(BINARY, folder.path().join("signoff")).expect("the folder is ours");
        Self(folder)
    }
}

/// What a stage is made for.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) user: User,
    pub(crate) mode: Mode,
    pub(crate) binary: &'a SharedBinary,
}

pub(crate) struct Stage<'a> {
    project: Project,
    attack: &'a Attack,
    user: User,
    /// Where services listen.
    run: PathBuf,
}

impl<'a> Stage<'a> {
    /// Everything but the run; `fields` are those of the attacker's step. Nothing where there is no such user.
    pub(crate) fn new(attack: &'a Attack, setting: Setting<'_>, fields: &str) -> Option<Self> {
        let Setting { user, mode, .. } = setting;
        if user == User::Root && !is_root() {
            return None;
        }
        let project = Project::new(BINARY);
        let run = listening_directory(&project);
        let stage = Self {
            project,
            attack,
            user,
            run,
        };
        stage.furnish(setting, fields);
        stage.listen();
        // An attack that was not prepared shows nothing.
        stage.bash(attack.prepare).assert_success();
        if !mode.mounts() {
            // The agent's script is a file of the project, and runs as it lies there.
            let trust = format!("exec env {} signoff trust", mode.variable());
            stage.bash(&trust).assert_success();
        }
        Some(stage)
    }

    fn furnish(&self, setting: Setting<'_>, fields: &str) {
        let (project, attack) = (&self.project, self.attack);
        let binary = project.path().with_file_name("bin").join("signoff");
        fs::hard_link(setting.binary.0.path().join("signoff"), &binary)
            .expect("both are in the folder of temporary files");
        fs::create_dir(project.outside("beside")).expect("the folder is ours");
        project
            .write(".signoff/config.toml", "")
            .write(
                "agent.sh",
                &self.filled(&format!("{}\ntrue\n", attack.script)),
            )
            .write("contract.sh", &self.filled(attack.contract))
            .write("plan.md", &self.plan(fields));
        let mode = if setting.mode == Mode::Off {
            "off"
        } else {
            "auto"
        };
        // Where steps take turns, the one beside the attack gets its turn before the next attempt, also on a busy machine.
        let config = format!(
            "[sandbox]\nmode = \"{mode}\"\nenv = [\"PATH\", \"LANG\", \"TERM\", \"HOME\", \"BASH_ENV\"]\n\n\
             [run]\nbackoff = \"500ms\"\n\n[agents.default]\ndriver = \"command\"\ncommand = [\"bash\", \"agent.sh\"]\n"
        );
        fs::write(project.home().join(".config/signoff/config.toml"), config)
            .expect("the folder is ours");
        if self.user == User::Ordinary && is_root() {
            let root = project.path().with_file_name("");
            fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).expect("it is ours");
            for name in ["project", "home", "tmp", "outside"] {
                give(&root.join(name));
            }
        }
    }

    fn plan(&self, fields: &str) -> String {
        let on_fail = if fields.contains("**on_fail:**") {
            ""
        } else {
            "**on_fail:** abort\n"
        };
        let contract = self.filled(self.attack.contract);
        format!(
            "---\ntype: plan\nstatus: draft\nowner: ada\n---\n\n# Attacked\n\n**Budget:** 1h\n\n## Steps\n\n\
             ### 1. Work\n\n**id:** attack\n**depends_on:** none\n**task:** Do the work.\n\n{fields}\n{on_fail}\
             **contract:**\n```shell\n{contract}\n```\nexit_code == 0\n{}",
            self.attack.others
        )
    }

    /// Has services listen that note whoever comes.
    fn listen(&self) {
        let reached = self.project.outside("beside/reached");
        for socket in [
            self.run.join("docker.sock"),
            self.project.outside("beside/agent.sock"),
        ] {
            let listener = UnixListener::bind(&socket).expect("the folder is ours");
            fs::set_permissions(&socket, fs::Permissions::from_mode(0o777)).expect("it is ours");
            let reached = reached.clone();
            std::thread::spawn(move || {
                // Whoever comes is sent away again at once.
                while listener.accept().is_ok() {
                    fs::write(&reached, "").ok();
                }
            });
        }
    }

    /// Signs the plan and runs it.
    pub(crate) fn run(&self, mode: Mode) -> Output {
        let level = mode.variable();
        let output = self.bash(&format!(
            "exec 9>> @BESIDE@/descriptor; exec env {level} SECRET_KEY=in-the-environment BASH_ENV=@P@/env.sh \
             SSH_AUTH_SOCK=@BESIDE@/agent.sock signoff run plan.md --approve --format json"
        ));
        fs::write(self.project.outside("beside/events"), &output.stdout).expect("it is ours");
        self.bash("cat .signoff/runs/*/steps/attack/*/agent.log > @SAID@ 2> /dev/null");
        output
    }

    /// Runs a script as the user, in the project.
    pub(crate) fn bash(&self, script: &str) -> Output {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = self.project.outside(&format!("beside/{number}.sh"));
        let script = format!("export PATH=@P@/bin:@BESIDE@/way:$PATH\n{script}\n");
        fs::write(&file, self.filled(&script)).expect("the folder is ours");
        let whoever = if self.user == User::Ordinary && is_root() {
            format!("setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups ")
        } else {
            String::new()
        };
        let line = format!("exec {whoever}bash {}", file.display());
        self.project.bash(&line, &self.project.path())
    }

    pub(crate) fn attack(&self) -> &Attack {
        self.attack
    }

    /// Runs a control without Signoff, with the keys that a run has around it.
    pub(crate) fn bare(&self, script: &str) -> Output {
        self.bash(&format!("export SECRET_KEY=in-the-environment\n{script}"))
    }

    /// Whether the attack had its effect.
    pub(crate) fn happened(&self) -> bool {
        self.bash(self.attack.happened).code == Some(0)
    }

    /// The beginning of what the agent printed.
    pub(crate) fn said(&self) -> String {
        let bytes = fs::read(self.project.outside("beside/said")).unwrap_or_default();
        let bytes = bytes.get(..4000).unwrap_or(&bytes);
        format!("the agent said: {}", String::from_utf8_lossy(bytes))
    }

    fn filled(&self, text: &str) -> String {
        let beside = self.project.outside("beside");
        let values = [
            ("@P@", self.project.path()),
            ("@HOME@", self.project.home()),
            ("@RUN@", self.run.clone()),
            ("@SAID@", beside.join("said")),
            ("@EVENTS@", beside.join("events")),
            ("@BESIDE@", beside),
        ];
        let fill = |text: String, (name, value): (&str, PathBuf)| {
            text.replace(name, &value.to_string_lossy())
        };
        values.into_iter().fold(text.to_owned(), fill)
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        // What a control lets live.
        for process in self.project.processes() {
            let id = process.split(' ').next().unwrap_or_default();
            self.project
                .bash(&format!("kill -KILL {id}"), Path::new("/"));
        }
        if self.run.starts_with("/run") {
            fs::remove_dir_all(&self.run).ok();
        }
    }
}

/// Below `/run`, where we may; otherwise in `/tmp`, which is hidden as well.
fn listening_directory(project: &Project) -> PathBuf {
    let name = project.outside("").to_string_lossy().replace('/', "-");
    let run = PathBuf::from(format!("/run/signoff-test{name}"));
    let own = project.outside("run");
    [run, own]
        .into_iter()
        .find(|directory| fs::create_dir(directory).is_ok())
        .expect("the folder is ours")
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|itself| {
        use std::os::unix::fs::MetadataExt;
        itself.uid() == 0
    })
}

fn give(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).expect("we are root");
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("it is ours").flatten() {
            give(&entry.path());
        }
    }
}
