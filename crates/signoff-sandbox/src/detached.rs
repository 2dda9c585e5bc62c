//! A program of our own that goes on when this process, its terminal and whoever started it have ended.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What is started. It is not confined: it is the harness itself.
#[derive(Debug)]
pub struct DetachedCommand {
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it prints. A lock on this file is held as long as it runs.
    pub output: File,
}

/// Starts it in a session of its own, without a terminal and as a child of nobody here: whoever ends this process with all
/// its children does not end that one.
pub fn start_detached(command: DetachedCommand) -> io::Result<()> {
    let mut argv = command.argv.into_iter();
    let program = argv
        .next()
        .ok_or_else(|| io::Error::other("no program is named"))?;
    let mut started = Command::new(program);
    started
        .args(argv)
        .current_dir(command.cwd)
        .env_clear()
        .envs(command.env)
        .stdin(Stdio::null())
        .stderr(command.output.try_clone()?)
        .stdout(command.output);
    leave_session(&mut started);
    // The first child ends at once; the one that goes on is its child.
    started.spawn()?.wait()?;
    Ok(())
}

#[expect(unsafe_code, reason = "what a child does between fork and exec")]
fn leave_session(command: &mut Command) {
    let leave = || {
        // SAFETY: `setsid`, `fork` and `_exit` are safe to call between fork and exec, and touch no memory.
        unsafe {
            if libc::setsid() == -1 {
                return Err(io::Error::last_os_error());
            }
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => Ok(()),
                _ => libc::_exit(0),
            }
        }
    };
    // SAFETY: `leave` allocates nothing and takes no lock.
    unsafe {
        command.pre_exec(leave);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(script: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("output");
        let output = File::create(&path).unwrap();
        output.lock().unwrap();
        let argv = ["/bin/sh", "-c", script].map(OsString::from);
        start_detached(DetachedCommand {
            argv: argv.to_vec(),
            cwd: dir.path().to_owned(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            output,
        })
        .unwrap();
        (dir, path)
    }

    #[test]
    fn it_has_a_session_of_its_own_no_terminal_and_another_parent() {
        let script = "cut -d' ' -f4,6,7 /proc/self/stat; echo $PPID; echo to stderr >&2; pwd";
        let (dir, path) = started(script);
        // The lock is free when it has ended.
        File::open(&path).unwrap().lock().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let [numbers, parent, told, cwd] = lines[..] else {
            panic!("{text}");
        };
        let numbers: Vec<&str> = numbers.split(' ').collect();
        let ours = std::fs::read_to_string("/proc/self/stat").unwrap();
        let (_, ours) = ours.rsplit_once(')').unwrap();
        let session = ours.split_whitespace().nth(3).unwrap();
        assert_ne!(numbers[1], session, "{text}");
        assert_eq!(numbers[2], "0", "no terminal: {text}");
        assert_ne!(parent, std::process::id().to_string(), "{text}");
        assert_eq!(told, "to stderr");
        assert_eq!(PathBuf::from(cwd), dir.path().canonicalize().unwrap());
    }

    #[test]
    fn a_missing_program_is_an_error_here() {
        let output = tempfile::tempfile().unwrap();
        let refused = start_detached(DetachedCommand {
            argv: vec!["/nowhere/at/all".into()],
            cwd: "/".into(),
            env: Vec::new(),
            output,
        });
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
