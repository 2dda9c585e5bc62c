//! A program that runs while the test goes on, for tests that kill it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use crate::Output;

/// How long anything may take before a test is given up. The machine may have other work to do.
pub const PATIENCE: Duration = Duration::from_mins(3);

/// A started program. Dropping it kills it.
#[derive(Debug)]
pub struct Running {
    child: Child,
    line: String,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    /// Starts it with its output going to files beside `output`.
    // Files, not pipes: a process that outlives its parent would hold a pipe open, and the test
    // that looks for such a process would hang instead of failing.
    pub(crate) fn start(mut command: Command, line: String, output: PathBuf) -> Self {
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| output.with_extension(name));
        let create = |path: &PathBuf| File::create(path).expect("the test's folder is writable");
        let started = command
            .stdout(create(&stdout))
            .stderr(create(&stderr))
            .spawn();
        let child = match started {
            Ok(child) => child,
            Err(error) => panic!("cannot start `{line}`: {error}"),
        };
        Self {
            child,
            line,
            stdout,
            stderr,
        }
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has it not ended yet?
    pub fn is_running(&mut self) -> bool {
        self.status().is_none()
    }

    /// What it has printed on stdout so far.
    pub fn stdout_so_far(&self) -> String {
        text(&self.stdout)
    }

    /// What it has printed on stderr so far.
    pub fn stderr_so_far(&self) -> String {
        text(&self.stderr)
    }

    /// Waits until the condition holds, and says whether it did before the program ended.
    #[track_caller]
    pub fn wait_until(&mut self, mut condition: impl FnMut() -> bool) -> bool {
        let mut ended = false;
        self.poll(|running| {
            ended = !running.is_running();
            ended || condition()
        });
        !ended || condition()
    }

    /// Ends it as a crash would, with SIGKILL. Its children live on.
    pub fn kill(mut self) -> Output {
        drop(self.child.kill());
        self.finish()
    }

    /// Waits for its end; a program that takes longer than [`PATIENCE`] is killed and fails the test.
    #[track_caller]
    pub fn wait(mut self) -> Output {
        self.poll(|running| !running.is_running());
        self.finish()
    }

    #[track_caller]
    fn poll(&mut self, mut done: impl FnMut(&mut Self) -> bool) {
        let begun = Instant::now();
        let mut pause = Duration::from_micros(200);
        while !done(self) {
            if begun.elapsed() > PATIENCE {
                drop(self.child.kill());
                let output = self.finish();
                panic!("gave up after {PATIENCE:?}\n{output}");
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child
            .try_wait()
            .expect("the child is ours to wait for")
    }

    fn finish(&mut self) -> Output {
        let status = self.child.wait().expect("the child is ours to wait for");
        Output {
            command: self.line.clone(),
            code: status.code(),
            stdout: text(&self.stdout),
            stderr: text(&self.stderr),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn text(path: &PathBuf) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
