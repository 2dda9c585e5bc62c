//! A terminal of a size, with a person at it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use signoff_testkit::{Output, PATIENCE, Project};

/// How many terminals there were.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// The smallest screen that is promised, and a larger one.
pub(super) const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

/// A terminal in which a program was started; once it has ended, the shell that waits behind it shows how the terminal
/// was left.
pub(super) struct Terminal<'p> {
    project: &'p Project,
    /// Of a tmux of its own: one that ends takes no new terminals.
    socket: PathBuf,
}

/// Whether tmux is there. `cargo xtask test` installs it; where it cannot be, CI does not accept that.
pub(super) fn has_tmux() -> bool {
    let found = std::process::Command::new("tmux").arg("-V").output();
    let found = found.is_ok_and(|output| output.status.success());
    assert!(
        found || std::env::var_os("CI").is_none(),
        "tmux is not installed, so that the screens cannot be tested"
    );
    found
}

impl<'p> Terminal<'p> {
    /// Starts a program. Its own process id is in the file `pid`.
    pub(super) fn start(project: &'p Project, (columns, rows): (u16, u16), line: &str) -> Self {
        // A test may open more than one after the other.
        std::fs::remove_file(project.outside("pid")).ok();
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let socket = project.outside(&format!("tmux-{number}"));
        let terminal = Self { project, socket };
        let pid = project.outside("pid");
        let script = format!(
            "sh -c 'echo $$ > {}; exec {line}'\nprintf 'ended %s\\n' \"$?\"\nstty -a | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo);?'\nread -r _\n",
            pid.display()
        );
        project.write("in-terminal.sh", &script);
        terminal
            .tmux(&format!(
                "new-session -d -s t -x {columns} -y {rows} 'bash --norc in-terminal.sh'"
            ))
            .assert_success();
        terminal
    }

    fn tmux(&self, words: &str) -> Output {
        let line = format!(
            "env -u TMUX TERM=xterm-256color tmux -u -S {} -f /dev/null {words}",
            self.socket.display()
        );
        self.project.bash(&line, &self.project.path())
    }

    /// What is on the screen now.
    pub(super) fn screen(&self) -> String {
        self.tmux("capture-pane -p -t t").stdout
    }

    /// Waits until the screen shows this.
    #[track_caller]
    pub(super) fn expect(&self, text: &str) -> &Self {
        self.expect_that(text, |screen| screen.contains(text));
        self
    }

    #[track_caller]
    pub(super) fn expect_that(&self, what: &str, holds: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if holds(&screen) {
                return;
            }
            let waited = begun.elapsed();
            assert!(waited < PATIENCE, "not `{what}`:\n{screen}");
            std::thread::yield_now();
        }
    }

    /// Presses a key, by the name that tmux has for it.
    pub(super) fn press(&self, key: &str) -> &Self {
        self.tmux(&format!("send-keys -t t {key}")).assert_success();
        self
    }

    /// Types a text and enter.
    pub(super) fn type_line(&self, text: &str) -> &Self {
        self.tmux(&format!("send-keys -t t -l -- '{text}'"))
            .assert_success();
        self.press("Enter")
    }

    /// Sends the program a signal.
    pub(super) fn signal(&self, name: &str) {
        let line = format!("kill -{name} {}", self.pid());
        self.project
            .bash(&line, &self.project.path())
            .assert_success();
    }

    /// The program's process.
    pub(super) fn pid(&self) -> String {
        let text = std::fs::read_to_string(self.project.outside("pid"));
        text.expect("it was started").trim().to_owned()
    }

    /// Takes the terminal away.
    pub(super) fn kill(&self) {
        self.tmux("kill-server").assert_success();
    }

    /// The program has ended with this code, and the terminal is as it was before: lines are read and echoed, the
    /// cursor is there, and so is what stood on the screen.
    #[track_caller]
    pub(super) fn expect_restored(&self, code: u8) {
        self.expect(&format!("ended {code}"));
        self.expect_that("echo", |screen| {
            let has = |word: &str| {
                screen
                    .lines()
                    .any(|line| line.trim_end_matches(';') == word)
            };
            has("icanon") && has("echo")
        });
        let state = "display-message -p -t t '#{alternate_on} #{cursor_flag} #{mouse_any_flag}'";
        assert_eq!(self.tmux(state).stdout.trim(), "0 1 0", "{}", self.screen());
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        drop(self.tmux("kill-server"));
    }
}
