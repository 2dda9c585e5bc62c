//! What is expected of an attack, and how it is seen.

use std::io::Write;
use std::process::Stdio;
use std::{env, fs};

use signoff_sandbox::Level;

use crate::attacks::attacked_files::AttackedFiles;
use crate::attacks::host::{PART, Part};

/// What an attack achieves at each level. With the defence off all of them succeed.
pub(crate) struct Attack {
    /// Name of the script or function in the table of its file.
    pub(crate) name: &'static str,
    /// Who can do it with the defence off.
    pub(crate) by: By,
    /// The levels that stop it.
    pub(crate) stopped_by: &'static [Level],
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Anybody,
    Root,
    /// Root without capabilities can do less than anybody else.
    Ordinary,
}

/// Levels with mounts.
pub(crate) const MOUNTS: &[Level] = &[Level::Namespaces, Level::Bubblewrap];
/// Every level.
pub(crate) const ALL: &[Level] = &[Level::Namespaces, Level::Bubblewrap, Level::Landlock];
/// None of them: whoever relies on it has to look for it in another way.
pub(crate) const NOTHING: &[Level] = &[];

/// An ordinary user that every system has.
const NOBODY: u32 = 65534;

/// Runs an attack as every user at every level.
#[track_caller]
pub(crate) fn check(attack: &Attack) {
    let mut wrong = Vec::new();
    for user in users(attack.by) {
        for level in levels() {
            let stopped = attack.stopped_by.contains(&level);
            let succeeded = perform(attack.name, user, level);
            note(attack.name, user, level, succeeded);
            if succeeded == stopped {
                let said = if succeeded {
                    "succeeded"
                } else {
                    "was stopped"
                };
                wrong.push(format!("{} {said} at {level} as user {user}", attack.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Adds what was seen to the table that somebody asked for.
fn note(name: &str, user: u32, level: Level, succeeded: bool) {
    let Ok(table) = env::var("SIGNOFF_ATTACK_TABLE") else {
        return;
    };
    let user = if user == 0 { "root" } else { "ordinary user" };
    let end = if succeeded { "succeeded" } else { "stopped" };
    let mut table = fs::File::options()
        .append(true)
        .create(true)
        .open(table)
        .unwrap();
    // In one call, because other tests write there too.
    table
        .write_all(format!("{name}\t{user}\t{level}\t{end}\n").as_bytes())
        .unwrap();
}

/// The levels that are tried; `bwrap` may not be installed, but where CI runs, which installs it. Nothing else may be
/// missing.
fn levels() -> Vec<Level> {
    let mut levels = vec![Level::None, Level::Landlock, Level::Namespaces];
    let directories = ["/usr/bin", "/bin", "/usr/local/bin"];
    let found = directories
        .iter()
        .any(|directory| fs::exists(format!("{directory}/bwrap")).unwrap());
    assert!(
        found || std::env::var_os("CI").is_none(),
        "`bwrap` is not installed: what it stops cannot be tried"
    );
    if found {
        levels.push(Level::Bubblewrap);
    }
    levels
}

fn users(by: By) -> Vec<u32> {
    match (rustix::process::geteuid().as_raw(), by) {
        (0, By::Anybody) => vec![0, NOBODY],
        (0, By::Root) => vec![0],
        (0, By::Ordinary) => vec![NOBODY],
        (other, By::Anybody | By::Ordinary) => vec![other],
        (_, By::Root) => vec![],
    }
}

/// Has a copy of this program, as another user, make the sandbox and attack; says whether the attack succeeded.
#[expect(
    clippy::disallowed_methods,
    reason = "the host itself is not a command"
)]
fn perform(name: &str, user: u32, level: Level) -> bool {
    use std::os::unix::process::CommandExt;

    let files = AttackedFiles::new(user);
    let part = Part {
        attack: name.to_owned(),
        level,
        directory: files.directory(),
    };
    let output = std::process::Command::new(files.program())
        .args(["--exact", "attacks::host::run_attack", "--nocapture"])
        .env(PART, part.to_string())
        .env("SIGNOFF_TEST_SECRET", "a-key")
        .current_dir(files.directory())
        .stdin(Stdio::null())
        .uid(user)
        .gid(user)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let end = said.lines().find_map(|line| line.strip_prefix("attack "));
    match end {
        Some("succeeded") => true,
        Some("failed") => false,
        _ => panic!(
            "{name} at {level} as user {user} did not take place: {said}{}",
            String::from_utf8_lossy(&output.stderr)
        ),
    }
}

/// The value of a variable that the test needs.
pub(crate) fn variable(name: &str) -> String {
    env::var(name).unwrap()
}
