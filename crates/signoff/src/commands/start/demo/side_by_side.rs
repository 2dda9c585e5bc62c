//! Two agents at once: each in a worktree of its own, one conflict, and a landing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, Stdin};

use super::{command, expect, run_args};
use crate::args::Run;
use crate::commands::running::run;
use crate::failure::Failure;
use crate::session::Session;
use crate::style::{DIM, paint};

/// Makes the project a git repository, if git is installed.
pub(super) fn make_repository(session: &Session) {
    if git(session, &["init", "--quiet"]) {
        commit(session, "The project");
    }
}

pub(super) fn tell_story(session: &mut Session) -> Result<u8, Failure> {
    command(session, "git commit --all");
    if !commit(session, "Add a slugify script") {
        let note = "(no git here: agents would work one after another)";
        session.out.answer(paint(DIM, note));
        return Ok(0);
    }
    command(session, "signoff run parallel.md --approve");
    let args = Run {
        path: Some(PathBuf::from("parallel.md")),
        approve: true,
        ..run_args()
    };
    let code = run::run(session, &args)?;
    expect(code, 0)?;
    Ok(code)
}

fn commit(session: &Session, message: &str) -> bool {
    git(session, &["add", "--all"]) && git(session, &["commit", "--quiet", "--message", message])
}

/// Runs git with a fixed author and without anybody's settings.
fn git(session: &Session, words: &[&str]) -> bool {
    let who = [
        "user.name=Demo",
        "user.email=demo@localhost",
        "commit.gpgSign=false",
    ];
    let settings = who
        .into_iter()
        .chain(["init.defaultBranch=main", "core.hooksPath=/dev/null"]);
    let mut argv = vec![OsString::from("git")];
    argv.extend(settings.flat_map(|setting| ["-c".into(), setting.into()]));
    argv.extend(words.iter().map(OsString::from));
    let command = Command {
        argv,
        cwd: session.process.directory.clone(),
        env: vec![
            ("PATH".into(), session.process.path()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
            ("GIT_CONFIG_GLOBAL".into(), "/dev/null".into()),
        ],
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(Duration::from_mins(1)),
            output: 1024,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    };
    let ended = Sandbox::new().ok().map(|sandbox| sandbox.run(command));
    matches!(ended, Some(Ok(ended)) if ended.status == ExitStatus::Exited(0))
}
