//! A program on a terminal of its own, typed at by the test.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::{fmt, thread};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

use crate::{Output, PATIENCE};

/// A program whose controlling terminal the test holds. Dropping it kills it.
pub struct OnTerminal {
    child: Child,
    line: String,
    keyboard: File,
    arriving: Receiver<Vec<u8>>,
    screen: String,
}

impl OnTerminal {
    /// Starts it with the terminal as input, output and errors.
    #[track_caller]
    pub(crate) fn start(command: &Command, line: String) -> Self {
        let (keyboard, terminal) = pair().expect("the system has pseudo-terminals");
        let same = || Stdio::from(terminal.try_clone().expect("a descriptor is left"));
        // `setsid` makes its input the controlling terminal, which safe code cannot.
        let mut on_terminal = Command::new("setsid");
        on_terminal
            .arg("--ctty")
            .arg(command.get_program())
            .args(command.get_args())
            .env_clear()
            .envs(
                command
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            )
            .stdin(same())
            .stdout(same())
            .stderr(same());
        if let Some(directory) = command.get_current_dir() {
            on_terminal.current_dir(directory);
        }
        let child = match on_terminal.spawn() {
            Ok(child) => child,
            Err(error) => panic!("cannot start `{line}` with setsid: {error}"),
        };
        let arriving = listen(keyboard.try_clone().expect("a descriptor is left"));
        Self {
            child,
            line,
            keyboard,
            arriving,
            screen: String::new(),
        }
    }

    /// Waits until this text is on the screen.
    #[track_caller]
    pub fn expect(&mut self, text: &str) -> &mut Self {
        self.expect_times(text, 1)
    }

    /// Waits until this text was on the screen so many times.
    #[track_caller]
    pub fn expect_times(&mut self, text: &str, times: usize) -> &mut Self {
        while self.screen.matches(text).count() < times {
            assert!(self.read_more(), "it ended without `{text}`\n{self}");
        }
        self
    }

    /// Types a line and the return key.
    pub fn type_line(&mut self, text: &str) -> &mut Self {
        self.press(&format!("{text}\n"))
    }

    /// Presses these keys; `\x03` is Ctrl-C.
    pub fn press(&mut self, keys: &str) -> &mut Self {
        self.keyboard
            .write_all(keys.as_bytes())
            .expect("the terminal is ours");
        self
    }

    /// Waits for its end. What was on the screen is the output.
    #[track_caller]
    pub fn wait(mut self) -> Output {
        while self.read_more() {}
        let status = self.child.wait().expect("the child is ours to wait for");
        Output {
            command: self.line.clone(),
            code: status.code(),
            stdout: std::mem::take(&mut self.screen),
            stderr: String::new(),
        }
    }

    /// Takes in what arrives next; false at the end.
    #[track_caller]
    fn read_more(&mut self) -> bool {
        match self.arriving.recv_timeout(PATIENCE) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
                self.screen.push_str(&text);
                true
            }
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => panic!("gave up after {PATIENCE:?}\n{self}"),
        }
    }
}

/// Our end and the program's end of a new terminal.
fn pair() -> std::io::Result<(File, File)> {
    // Never the test's own controlling terminal.
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let ours = openpt(flags)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let theirs = ioctl_tiocgptpeer(&ours, flags)?.into();
    Ok((ours.into(), theirs))
}

/// Reads in a thread of its own, so that a program that says nothing cannot hang the test.
fn listen(mut terminal: File) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // An error is how the last program on a terminal says good-bye.
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            if send.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receive
}

impl fmt::Display for OnTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "command: {}\nscreen:\n{}", self.line, self.screen)
    }
}

impl fmt::Debug for OnTerminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
