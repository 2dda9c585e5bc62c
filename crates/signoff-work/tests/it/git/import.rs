//! What an agent put into its own repository, and what it laid there for whoever keeps it.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_work::git::{ImportLimits, ImportReport};

use crate::git::world::World;

/// A person's repository, and the copy that an agent has.
struct Agent {
    world: World,
    private: PathBuf,
    kept: PathBuf,
}

impl Agent {
    fn new() -> Self {
        let world = World::committed(&[("a", "one\n")]);
        let (private, kept) = (world.root.join("private"), world.root.join("kept"));
        world.git(&format!("init -q -b main {}", private.display()));
        let private = private.join(".git");
        let agent = Self {
            world,
            private,
            kept,
        };
        let objects = agent.world.path(".git/objects");
        agent.write(
            "objects/info/alternates",
            &format!("{}\n", objects.display()),
        );
        agent.write("refs/heads/main", agent.world.head().as_str());
        agent.git("reset -q --hard");
        agent
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.private.join(name), text).unwrap();
    }

    fn tree(&self) -> &Path {
        self.private.parent().unwrap()
    }

    fn git(&self, words: &str) -> String {
        let words: Vec<&str> = words.split(' ').collect();
        self.world.git_in(self.tree(), &words)
    }

    fn commit(&self, text: &str) -> String {
        fs::write(self.tree().join("a"), text).unwrap();
        self.git("commit -qam work");
        self.git("rev-parse HEAD").trim().to_owned()
    }

    fn import(&self) -> ImportReport {
        self.import_within(ImportLimits::default())
    }

    fn import_within(&self, limits: ImportLimits) -> ImportReport {
        let own = self.world.own();
        own.import_repository(&self.private, &self.kept, limits)
            .unwrap()
    }

    /// A person's git in what was kept.
    fn in_kept(&self, words: &str) -> String {
        let kept = self.kept.to_str().unwrap();
        let words = [
            &["--git-dir", kept],
            &words.split(' ').collect::<Vec<_>>()[..],
        ]
        .concat();
        self.world.git_in(&self.world.root, &words)
    }

    fn pipe(&self, name: &str) {
        let path = self.private.join(name);
        fs::remove_file(&path).ok();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
    }
}

#[test]
fn commits_branches_and_stashes_survive() {
    for packs in [false, true] {
        let agent = Agent::new();
        for text in ["stash 1", "stash 2"] {
            fs::write(agent.tree().join("a"), text).unwrap();
            agent.git("stash -q");
        }
        agent.commit("branch");
        agent.git("branch side");
        let lost = agent.commit("reset away");
        agent.git("reset -q --hard HEAD~1");
        agent.git("checkout -q --detach");
        let detached = agent.commit("detached");
        if packs {
            agent.git("repack -qadl");
            agent.git("pack-refs --all");
        }
        let report = agent.import();
        assert_eq!(report.left_out, [""; 0]);
        assert_eq!(agent.in_kept("show stash@{0}:a"), "stash 2");
        assert_eq!(agent.in_kept("show stash@{1}:a"), "stash 1");
        assert_eq!(agent.in_kept("show side:a"), "branch");
        assert_eq!(agent.in_kept("show main~1:a"), "one\n");
        assert_eq!(agent.in_kept("rev-parse HEAD").trim(), detached);
        assert_eq!(agent.in_kept(&format!("show {lost}:a")), "reset away");
        assert_eq!(
            agent.in_kept("log --format=%s --all").lines().next(),
            Some("work")
        );
        agent.in_kept("fsck --strict --no-dangling");
    }
}

#[test]
fn without_objects_of_its_own_nothing_is_kept() {
    let agent = Agent::new();
    assert_eq!(agent.import(), ImportReport::default());
    assert!(!agent.kept.exists());
    fs::remove_dir_all(&agent.private).unwrap();
    assert_eq!(agent.import(), ImportReport::default());
    symlink(agent.world.path(".git"), &agent.private).unwrap();
    assert!(agent.import().left_out[0].starts_with("all of it"));
    assert!(!agent.kept.exists());
}

/// Control: who writes `objects/info/alternates` in the agent's repository overwrites the file.
#[test]
fn no_link_is_followed_and_nothing_is_written() {
    for name in [
        "objects/info/alternates",
        "objects/info",
        "objects",
        "refs",
        "logs",
        "HEAD",
    ] {
        let agent = Agent::new();
        agent.commit("two\n");
        let victim = agent.world.root.join("victim");
        let (link, is_file) = (agent.private.join(name), agent.private.join(name).is_file());
        if is_file {
            fs::remove_file(&link).unwrap();
            fs::write(&victim, "precious").unwrap();
        } else {
            fs::rename(&link, &victim).unwrap();
        }
        symlink(&victim, &link).unwrap();
        let seen = || fs::read(&victim).unwrap_or_default();
        let before = (
            seen(),
            fs::symlink_metadata(&victim).unwrap().modified().unwrap(),
        );
        let report = agent.import();
        let after = (
            seen(),
            fs::symlink_metadata(&victim).unwrap().modified().unwrap(),
        );
        assert_eq!(before, after, "{name}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let left_out = report.left_out.join("\n");
        let is_read = !name.starts_with("objects/info");
        assert_eq!(
            left_out.contains("symbolic link"),
            is_read,
            "{name}: {left_out}"
        );
        assert_eq!(agent.kept.exists(), name != "objects");
    }
    let agent = Agent::new();
    let (victim, link) = (
        agent.world.root.join("victim"),
        agent.private.join("objects/info/alternates"),
    );
    fs::remove_file(&link).unwrap();
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, &link).unwrap();
    fs::write(&link, "alternates").unwrap();
    assert_eq!(fs::read_to_string(victim).unwrap(), "alternates");
}

#[test]
fn what_is_kept_has_the_harness_configuration() {
    let agent = Agent::new();
    agent.commit("two\n");
    let evil = agent.world.root.join("evil");
    let command = format!("touch {}; cat", evil.display());
    for (name, value) in [
        ("core.pager", command.as_str()),
        ("gpg.program", &command),
        ("core.fsmonitor", &command),
        ("log.showSignature", "true"),
        ("alias.log", &format!("!{command}")),
    ] {
        agent.world.git_in(agent.tree(), &["config", name, value]);
    }
    fs::create_dir_all(agent.private.join("hooks")).unwrap();
    agent.write("hooks/post-checkout", "#!/bin/sh\n");
    agent.import();
    let config = fs::read_to_string(agent.kept.join("config")).unwrap();
    assert!(
        !config.contains("touch") && !config.contains("alias"),
        "{config}"
    );
    assert!(!agent.kept.join("hooks").exists());
    agent.in_kept("-p log --all");
    assert!(!evil.exists());
}

#[test]
fn pipes_hold_up_nobody() {
    let agent = Agent::new();
    let id = agent.commit("two\n");
    let object = format!("objects/{}/{}", &id[..2], &id[2..]);
    agent.git("branch other");
    for name in [
        "HEAD",
        "packed-refs",
        "refs/heads/pipe",
        "logs/HEAD",
        "config",
        "index",
        "commondir",
    ] {
        agent.pipe(name);
    }
    let report = agent.import();
    assert_eq!(agent.in_kept("rev-parse other").trim(), id);
    assert!(
        report
            .left_out
            .iter()
            .any(|what| what.contains("`HEAD`: it is not an ordinary file"))
    );
    fs::remove_dir_all(&agent.kept).unwrap();
    agent.pipe(&object);
    let report = agent.import();
    assert!(
        report
            .left_out
            .contains(&"`refs/heads/other`: its object is not there".to_owned())
    );
}

/// Whoever looks at what an agent committed must see that, and not what the agent wants seen.
#[test]
fn what_shows_commits_as_others_is_left_out() {
    let agent = Agent::new();
    let id = agent.commit("two\n");
    let other = agent.git("commit-tree HEAD^{tree} -m harmless");
    agent.git(&format!("replace {id} {}", other.trim()));
    agent.git("notes add -m harmless");
    let report = agent.import();
    assert_eq!(agent.in_kept("log -1 --format=%s main").trim(), "work");
    let references = agent.in_kept("for-each-ref --format=%(refname)");
    assert_eq!(references.trim(), "refs/heads/main");
    let left_out = |name: &str| report.left_out.iter().any(|what| what.contains(name));
    assert!(
        left_out("refs/replace/") && left_out("refs/notes/"),
        "{report:?}"
    );
}

#[test]
fn an_object_is_what_is_in_it_not_what_it_is_called() {
    let agent = Agent::new();
    let id = agent.commit("two\n");
    agent.git("branch real");
    let first = agent.world.head();
    let name = |id: &str| agent.private.join("objects").join(&id[..2]).join(&id[2..]);
    // The agent's commit under the name of the person's.
    fs::create_dir_all(name(first.as_str()).parent().unwrap()).unwrap();
    fs::copy(name(&id), name(first.as_str())).unwrap();
    // And one that is not an object at all.
    let garbage = "ab".repeat(20);
    fs::create_dir_all(name(&garbage).parent().unwrap()).unwrap();
    fs::write(name(&garbage), "garbage").unwrap();
    agent.write("refs/heads/garbage", &garbage);
    let report = agent.import();
    assert_eq!(agent.in_kept(&format!("show {first}:a")), "one\n");
    assert_eq!(agent.in_kept("show real:a"), "two\n", "{report:?}");
    agent.in_kept("fsck --no-dangling");
    assert!(
        report.left_out.iter().any(|what| what.contains("garbage")),
        "{report:?}"
    );
}

#[test]
fn what_is_too_much_is_left_out_and_told() {
    let agent = Agent::new();
    let id = agent.commit("two\n");
    let holes = format!("objects/pack/pack-{}.pack", "1".repeat(40));
    File::create(agent.private.join(&holes))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let report = agent.import();
    assert_eq!(agent.in_kept("rev-parse main").trim(), id);
    assert!(
        report.left_out[0].contains("1099511627776 bytes"),
        "{report:?}"
    );
    // A small file that says it has two gigabytes.
    fs::remove_dir_all(&agent.kept).unwrap();
    let big = agent.tree().join("big");
    File::create(&big).unwrap().set_len(64 << 20).unwrap();
    agent.git("add big");
    agent.git("commit -qm big");
    let limits = ImportLimits {
        bytes: 1 << 20,
        ..ImportLimits::default()
    };
    let report = agent.import_within(limits);
    assert!(
        report
            .left_out
            .contains(&"1 objects: too large when unpacked".to_owned()),
        "{report:?}"
    );
    assert_eq!(agent.in_kept("log -1 --format=%s main"), "big\n");
    fs::remove_dir_all(&agent.kept).unwrap();
    let limits = ImportLimits {
        files: 1,
        ..ImportLimits::default()
    };
    let report = agent.import_within(limits);
    assert!(
        report.left_out.iter().any(|what| what.contains("entries")),
        "{report:?}"
    );
    fs::remove_dir_all(&agent.kept).ok();
    let limits = ImportLimits {
        time: Duration::ZERO,
        ..ImportLimits::default()
    };
    let report = agent.import_within(limits);
    assert!(
        report.left_out[0].starts_with("what was left after"),
        "{report:?}"
    );
}
