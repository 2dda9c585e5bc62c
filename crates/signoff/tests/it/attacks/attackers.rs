//! Agents that attack: each with real processes, as root and as an ordinary user, at every level of the sandbox, and
//! without the defence, where it has to have its effect. The table is in `docs/security.md`.

mod crash;
mod stage;
#[expect(dead_code, reason = "what readers are told is for `cargo xtask gen`")]
mod table;

use std::path::Path;

use signoff_testkit::Output;
use stage::{Mode, Setting, SharedBinary, Stage, User};
use table::{ATTACKS, Attack, Control, LEVELS, Outcome};

use crate::support::soak;

/// Which attacks a test performs in its short form; `cargo xtask soak` performs all of them everywhere.
#[derive(Clone, Copy)]
enum Share {
    /// Every second, from this one on.
    Half(usize),
    /// Every third, from this one on.
    Third(usize),
}

impl Share {
    fn has(self, number: usize) -> bool {
        soak()
            || match self {
                Self::Half(first) => number % 2 == first,
                Self::Third(first) => number % 3 == first,
            }
    }
}

/// Does something for every attack of a share, or those that `SIGNOFF_ATTACK` names, those of one kind after the
/// other; the kinds beside each other, for some of them mostly wait. Returns what is wrong.
fn for_all(share: Share, one: impl Fn(&'static Attack) -> Option<String> + Sync) -> Vec<String> {
    let only = std::env::var("SIGNOFF_ATTACK").ok();
    let one = |(number, attack): (usize, &'static Attack)| {
        let is_meant = match &only {
            Some(only) => attack.name.contains(only),
            None => share.has(number),
        };
        is_meant.then(|| one(attack)).flatten()
    };
    std::thread::scope(|scope| {
        let kinds: Vec<_> = ATTACKS
            .iter()
            .map(|(_, attacks)| {
                scope.spawn(|| attacks.iter().enumerate().filter_map(&one).collect())
            })
            .collect();
        let wrong = kinds.into_iter().map(std::thread::ScopedJoinHandle::join);
        let wrong: Vec<Vec<String>> = wrong.map(|wrong| wrong.expect("it says why")).collect();
        wrong.concat()
    })
}

/// Performs attacks at a level.
#[track_caller]
fn check(level: &'static str, user: User, share: Share) {
    let at = LEVELS.iter().position(|known| *known == level);
    let at = at.expect("one of the levels");
    let mode = Mode::At(level);
    let binary = &SharedBinary::new();
    let setting = Setting { user, mode, binary };
    let wrong = for_all(share, |attack| {
        let stage = Stage::new(attack, setting, attack.step)?;
        let output = stage.run(mode);
        took_place(attack, &output, level);
        let (seen, expected) = (outcome(&stage, &output), attack.expected[at]);
        let (name, said) = (attack.name, stage.said());
        let wrong = format!("{name}: {seen:?}, not {expected:?}\n{said}\n{output}\n");
        (seen != expected).then_some(wrong)
    });
    assert!(wrong.is_empty(), "at {level}: {}", wrong.join("\n"));
}

/// An attack that does not begin, or meets another defence, says nothing.
#[track_caller]
fn took_place(attack: &Attack, output: &Output, level: &str) {
    let name = attack.name;
    for sign in [
        "\"type\":\"process_started\",\"step\":\"attack\"",
        &format!("\"sandbox\":\"{level}\""),
    ] {
        assert!(output.stdout.contains(sign), "{name}: no {sign}\n{output}");
    }
}

fn outcome(stage: &Stage<'_>, output: &Output) -> Outcome {
    let signs = stage.attack().signs;
    let says = |text: &str| signs.iter().any(|sign| text.contains(sign));
    if !stage.happened() {
        Outcome::Stopped
    } else if says(&output.stdout) || says(&output.stderr) {
        Outcome::Detected
    } else {
        Outcome::NotCovered
    }
}

/// An attack has its effect where nothing is in its way.
#[track_caller]
fn check_controls(user: User, share: Share) {
    let (mode, binary) = (Mode::Off, &SharedBinary::new());
    let setting = Setting { user, mode, binary };
    let wrong = for_all(share, |attack| {
        let fields = match attack.control {
            Control::Unguarded(fields) => fields,
            Control::Off | Control::Bare(_) => attack.step,
        };
        let stage = Stage::new(attack, setting, fields)?;
        let output = match attack.control {
            Control::Bare(script) => stage.bare(script),
            Control::Off | Control::Unguarded(_) => stage.run(mode),
        };
        let passes = output.code == Some(0) || !matches!(attack.control, Control::Unguarded(_));
        let wrong = format!("{}: {output}\n{}", attack.name, stage.said());
        (!stage.happened() || !passes).then_some(wrong)
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn own_namespaces_against_root() {
    check("namespaces", User::Root, Share::Half(0));
}

#[test]
fn own_namespaces_against_an_ordinary_user() {
    check("namespaces", User::Ordinary, Share::Half(1));
}

/// `bwrap` may not be installed, but where CI runs, which installs it; nothing else may be missing.
#[expect(clippy::print_stderr, reason = "whoever looks sees what was not tried")]
fn has_bubblewrap() -> bool {
    let directories = ["/usr/bin", "/bin", "/usr/local/bin"];
    let found = directories
        .iter()
        .any(|directory| Path::new(directory).join("bwrap").exists());
    assert!(
        found || std::env::var_os("CI").is_none(),
        "`bwrap` is not installed: what it stops cannot be tried"
    );
    if !found {
        eprintln!("`bwrap` is not installed: what it stops was not tried");
    }
    found
}

#[test]
fn bubblewrap_against_root() {
    if has_bubblewrap() {
        check("bubblewrap", User::Root, Share::Third(0));
    }
}

#[test]
fn bubblewrap_against_an_ordinary_user() {
    if has_bubblewrap() {
        check("bubblewrap", User::Ordinary, Share::Third(1));
    }
}

#[test]
fn landlock_against_root() {
    check("landlock", User::Root, Share::Third(1));
}

#[test]
fn landlock_against_an_ordinary_user() {
    check("landlock", User::Ordinary, Share::Third(2));
}

#[test]
fn no_sandbox_against_root() {
    check("none", User::Root, Share::Third(2));
}

#[test]
fn no_sandbox_against_an_ordinary_user() {
    check("none", User::Ordinary, Share::Third(0));
}

#[test]
fn without_the_defence_root_succeeds() {
    check_controls(User::Root, Share::Third(0));
}

#[test]
fn without_the_defence_an_ordinary_user_succeeds() {
    check_controls(User::Ordinary, Share::Third(1));
}
