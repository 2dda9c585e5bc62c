//! A run and a person at work at the same time: joining, landing file by file, and taking it back.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::slice::from_ref;

use signoff_work::git::{
    HarnessGit, HoldReason, Id, LandReport, LandedFiles, LandingReadiness, Merge, RestlessFiles,
    Settling,
};

use crate::git::world::{World, files, shown, write};

/// A run on a repository of its own trees: what the checkout and it agree on, and its head.
pub(crate) struct Run<'w> {
    pub(crate) world: &'w World,
    pub(crate) own: HarnessGit,
    pub(crate) first: Id,
    pub(crate) base: Id,
    pub(crate) head: Id,
    pub(crate) landed: Vec<LandedFiles>,
    pub(crate) restless: RestlessFiles,
}

impl<'w> Run<'w> {
    pub(crate) fn begin(world: &'w World) -> Self {
        Self::begin_by(world, world.own())
    }

    pub(crate) fn begin_by(world: &'w World, own: HarnessGit) -> Self {
        let tree = own.snapshot().unwrap();
        let first = own.commit(&tree, &[], "first").unwrap();
        Self {
            world,
            own,
            base: first.clone(),
            head: first.clone(),
            first,
            landed: Vec::new(),
            restless: RestlessFiles::default(),
        }
    }

    /// A step that writes these files in the run's tree; no text removes one.
    pub(crate) fn step(&mut self, edits: &[(&str, Option<&str>)]) {
        let worktree = self.world.worktree(&self.own, "step");
        worktree.make(&self.head).unwrap();
        for (name, text) in edits {
            match text {
                Some(text) => write(worktree.path(), name, text),
                None => fs::remove_file(worktree.path().join(name)).unwrap(),
            }
        }
        self.set_head(&worktree.tree().unwrap());
        worktree.remove().unwrap();
    }

    fn set_head(&mut self, tree: &Id) {
        self.head = self.own.commit(tree, from_ref(&self.head), "step").unwrap();
    }

    pub(crate) fn join(&mut self) -> (Vec<String>, Vec<String>) {
        let report = self
            .own
            .join_checkout(&self.base, &self.head, &self.first, &mut self.restless)
            .unwrap();
        self.base = report.base;
        self.head = self.own.commit_join(&report.head_tree, &self.head).unwrap();
        (report.joined, report.conflicts)
    }

    pub(crate) fn land(&mut self) -> LandReport {
        self.land_with(&|_| {})
    }

    pub(crate) fn land_with(&mut self, at: &dyn Fn(&'static str)) -> LandReport {
        let report = self
            .own
            .land_files(&self.base, &self.head, &self.first, at)
            .unwrap();
        self.base = report.base.clone();
        self.landed.push(report.landed.clone());
        report
    }

    /// What is in the run's tree, as files.
    pub(crate) fn tree(&self) -> Vec<String> {
        let worktree = self.world.worktree(&self.own, "shown");
        worktree.make(&self.head).unwrap();
        let files = shown(worktree.path());
        worktree.remove().unwrap();
        files
    }
}

fn held(report: &LandReport) -> Vec<(&str, &HoldReason)> {
    let held = report.held.iter();
    held.map(|held| (held.path.as_str(), &held.reason))
        .collect()
}

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

fn lines(first: &str, last: &str) -> String {
    format!("{first}\n2\n3\n4\n5\n6\n7\n8\n{last}\n")
}

#[test]
fn what_a_person_does_joins_the_run() {
    let world = World::committed(&[
        ("edited", "1\n"),
        ("deleted", "1\n"),
        ("both", LINES),
        ("conflict", "1\n"),
        ("d/file", "1\n"),
        (".gitignore", "ignored\n"),
    ]);
    let mut run = Run::begin(&world);
    run.step(&[
        ("both", Some(&lines("run", "9"))),
        ("conflict", Some("run\n")),
    ]);
    assert_eq!(run.join(), (vec![], vec![]));
    let head = run.head.clone();
    world.write_all(&[
        ("edited", "#!2\n"),
        ("both", &lines("1", "mine")),
        ("conflict", "mine\n"),
        ("new/file", "new\n"),
        ("ignored", "secret\n"),
    ]);
    fs::remove_file(world.path("deleted")).unwrap();
    world.git("add -A");
    world.git("commit -q -m mine");
    let before = world.untouched();
    let (joined, conflicts) = run.join();
    assert_eq!(joined, ["both", "deleted", "edited", "new/file"]);
    assert_eq!(conflicts, ["conflict"]);
    assert_eq!(world.untouched(), before);
    assert_eq!(
        run.tree(),
        [
            ".gitignore: file ignored\\n".to_owned(),
            format!("both: file {}", lines("run", "mine").escape_debug()),
            "conflict: file run\\n".to_owned(),
            "d/file: file 1\\n".to_owned(),
            "edited: exec #!2\\n".to_owned(),
            "new/file: file new\\n".to_owned(),
        ]
    );
    assert_ne!(run.head, head);
    // It stays a conflict until somebody settles it, and then it is none.
    assert_eq!(run.join(), (vec![], vec!["conflict".to_owned()]));
    world.write("conflict", "run\n");
    assert_eq!(run.join(), (vec![], vec![]));
    assert_eq!(
        run.own.changed_paths(&run.base, &run.head).unwrap(),
        ["both"]
    );
}

#[test]
fn a_step_lands_file_by_file() {
    let world = World::committed(&[
        ("plain", "1\n"),
        ("gone/deep/file", "1\n"),
        ("both", LINES),
        ("conflict", "1\n"),
        ("mine", "1\n"),
        ("file", "1\n"),
        ("link", "-> plain"),
        ("same", "1\n"),
    ]);
    let mut run = Run::begin(&world);
    run.step(&[
        ("plain", Some("#!2\n")),
        ("gone/deep/file", None),
        ("both", Some(&lines("run", "9"))),
        ("conflict", Some("run\n")),
        ("file", None),
        ("file/inside", Some("new\n")),
        ("link", Some("-> mine")),
        ("new/deep", Some("new\n")),
        ("same", Some("2\n")),
    ]);
    world.write_all(&[
        ("both", &lines("1", "mine")),
        ("conflict", "mine\n"),
        ("mine", "2\n"),
        ("same", "2\n"),
    ]);
    let index = fs::read(world.path(".git/index")).unwrap();
    let base = run.base.clone();
    let report = run.land();
    assert_eq!(
        report.written,
        [
            "both",
            "file",
            "file/inside",
            "gone/deep/file",
            "link",
            "new/deep",
            "plain"
        ]
    );
    assert_eq!(report.merged, ["both"]);
    assert_eq!(held(&report), [("conflict", &HoldReason::Conflict)]);
    assert_eq!(
        shown(&world.repo()),
        [
            format!("both: file {}", lines("run", "mine").escape_debug()),
            "conflict: file mine\\n".to_owned(),
            "file/inside: file new\\n".to_owned(),
            "link: link mine".to_owned(),
            "mine: file 2\\n".to_owned(),
            "new/deep: file new\\n".to_owned(),
            "plain: exec #!2\\n".to_owned(),
            "same: file 2\\n".to_owned(),
        ]
    );
    assert!(!world.path("gone").exists());
    assert_eq!(fs::read(world.path(".git/index")).unwrap(), index);
    // What was held is not agreed on; the person's part of what was merged joins the run.
    assert_eq!(
        run.own.changed_paths(&run.base, &run.head).unwrap(),
        ["conflict"]
    );
    let joined = ["both", "mine"].map(str::to_owned).to_vec();
    assert_eq!(run.join(), (joined, vec!["conflict".to_owned()]));
    // The same again finds all of it done.
    let again = run
        .own
        .land_files(&base, &run.head, &run.first, &|_| {})
        .unwrap();
    assert_eq!(again.written, [""; 0]);
    assert_eq!(held(&again), [("conflict", &HoldReason::Conflict)]);
}

#[test]
fn undo_takes_back_what_it_can_and_names_the_rest() {
    let world = World::committed(&[("a", LINES), ("b", "1\n"), ("c", "1\n"), ("mine", "1\n")]);
    let before = files(&world.repo());
    let mut run = Run::begin(&world);
    run.step(&[
        ("a", Some(&lines("run", "9"))),
        ("run.log", Some("1\n")),
        ("c", None),
    ]);
    run.land();
    world.write("mine", "2\n");
    run.join();
    run.step(&[
        ("a", Some(&lines("run twice", "9"))),
        ("b", Some("2\n")),
        ("new", Some("1\n")),
    ]);
    run.land();
    world.write("a", &lines("run twice", "mine"));
    fs::write(world.path("run.log"), "1\n2\n").unwrap();
    let undo = || {
        run.own
            .unland_files(&run.landed, &run.first, &|_| {})
            .unwrap()
    };
    let report = undo();
    assert_eq!(report.restored, ["b", "c"]);
    assert_eq!(report.deleted, ["new"]);
    assert_eq!(report.merged, ["a"]);
    let left: Vec<_> = report.held.iter().map(|held| held.path.as_str()).collect();
    assert_eq!(left, ["run.log"]);
    let mut expected = before;
    expected.insert(
        b"a".to_vec(),
        format!("file {}", lines("1", "mine").escape_debug()),
    );
    expected.insert(b"mine".to_vec(), "file 2\\n".to_owned());
    expected.insert(b"run.log".to_vec(), "file 1\\n2\\n".to_owned());
    assert_eq!(files(&world.repo()), expected);
    let again = undo();
    assert_eq!((again.restored, again.deleted), (vec![], vec![]));
    assert_eq!(files(&world.repo()), expected);
    fs::remove_file(world.path("run.log")).unwrap();
    assert_eq!(undo().held, []);
}

#[test]
fn what_is_in_the_way_is_left_alone() {
    let world = World::committed(&[
        ("d/x", "1\n"),
        ("e/x", "1\n"),
        (".gitignore", "out\nlocal\n"),
    ]);
    let mut run = Run::begin(&world);
    run.step(&[
        ("d/x", Some("2\n")),
        ("d/new", Some("2\n")),
        ("e/new", Some("2\n")),
        ("f", Some("2\n")),
        ("g", Some("2\n")),
        (".gitignore", Some("local\n")),
        ("out", Some("2\n")),
        ("same", Some("2\n")),
    ]);
    let outside = world.root.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("x"), "1\n").unwrap();
    // A directory that became a link, a directory with something ignored, a pipe, an ignored file.
    fs::remove_dir_all(world.path("d")).unwrap();
    std::os::unix::fs::symlink(&outside, world.path("d")).unwrap();
    world.write("f/local", "mine\n");
    let pipe = std::process::Command::new("mkfifo")
        .arg(world.path("g"))
        .status();
    assert!(pipe.unwrap().success());
    world.write_all(&[("out", "mine\n"), ("same", "2\n")]);
    let report = run.land();
    assert_eq!(report.written, [".gitignore", "e/new"]);
    assert_eq!(
        held(&report),
        [
            ("d/new", &HoldReason::Conflict),
            ("d/x", &HoldReason::Conflict),
            ("f", &HoldReason::InTheWay),
            ("g", &HoldReason::InTheWay),
            ("out", &HoldReason::Ignored),
        ]
    );
    assert_eq!(fs::read(world.path("out")).unwrap(), b"mine\n");
    assert_eq!(fs::read(outside.join("x")).unwrap(), b"1\n");
    assert!(!outside.join("new").exists());
    assert_eq!(fs::read(world.path("f/local")).unwrap(), b"mine\n");
}

/// Writes a file, at the very last moment as editors do it: another file takes its place.
fn save(file: &Path, text: &str, moment: &str) {
    if moment != "land.swap" {
        return fs::write(file, text).unwrap();
    }
    let new = file.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, file).unwrap();
}

#[test]
fn a_file_that_changes_at_the_last_moment_is_the_persons() {
    for (moment, again) in [
        ("land.rename", false),
        ("land.file", false),
        ("land.rename", true),
        ("land.swap", false),
        ("land.swap", true),
    ] {
        let world = World::committed(&[("a", LINES), ("b", "1\n")]);
        let mut run = Run::begin(&world);
        run.step(&[
            ("a", Some(&lines("run", "9"))),
            ("new", Some("run\n")),
            ("b", None),
        ]);
        let times = RefCell::new(0);
        let report = run.land_with(&|at| {
            let mut times = times.borrow_mut();
            if at == moment && (*times == 0 || again) {
                *times += 1;
                // As long as before, and within the same tick of the clock.
                save(&world.path("a"), &lines("1", &times.to_string()), moment);
                fs::write(world.path("new"), format!("mi{times}\n")).unwrap();
            }
        });
        let names: Vec<&str> = report.held.iter().map(|held| held.path.as_str()).collect();
        let a = fs::read_to_string(world.path("a")).unwrap();
        if again {
            assert_eq!(names, ["a", "new"], "{report:?}");
            assert!(a.starts_with("1\n"), "{a}");
        } else {
            assert_eq!(names, ["new"], "{report:?}");
            assert_eq!(
                (a, &report.merged[..]),
                (lines("run", "1"), &["a".to_owned()][..])
            );
        }
        assert!(fs::read(world.path("new")).unwrap().starts_with(b"mi"));
        assert!(!world.path("b").exists());
        assert!(!world.path(".signoff-landing-next").exists());
    }
}

#[test]
fn an_edit_of_ignore_rules_hands_nothing_over() {
    let world = World::committed(&[(".gitignore", ".env\ncache/\n*.key\n"), ("a", "1\n")]);
    world.write_all(&[(".env", "secret\n"), ("cache/x", "big\n")]);
    let mut run = Run::begin(&world);
    world.write_all(&[
        (".gitignore", "mine\n"),
        ("mine", "1\n"),
        ("new/a.key", "secret\n"),
        ("new/file", "1\n"),
        ("sub/.gitignore", "!*\n"),
        ("sub/b.key", "secret\n"),
    ]);
    for _ in 0..2 {
        run.join();
        let tree = run.tree();
        assert_eq!(
            tree,
            [
                ".gitignore: file mine\\n",
                "a: file 1\\n",
                "new/file: file 1\\n",
                "sub/.gitignore: file !*\\n",
            ]
        );
    }
}

#[test]
fn ignored_files_that_the_run_brought_are_not_taken_for_deleted() {
    let world = World::committed(&[("a", "1\n")]);
    let mut run = Run::begin(&world);
    run.step(&[("dist/x", Some("1\n"))]);
    run.step(&[(".gitignore", Some("dist\n"))]);
    assert_eq!(run.land().written, [".gitignore", "dist/x"]);
    assert_eq!(run.join(), (vec![], vec![]));
    world.write("dist/x", "2\n");
    assert_eq!(run.join(), (vec!["dist/x".to_owned()], vec![]));
    fs::remove_dir_all(world.path("dist")).unwrap();
    assert_eq!(run.join(), (vec!["dist/x".to_owned()], vec![]));
}

#[test]
fn bits_of_the_persons_index_hide_nothing() {
    for bit in ["--skip-worktree", "--assume-unchanged"] {
        let world = World::committed(&[("a", "1\n"), ("b", "1\n")]);
        let mut run = Run::begin(&world);
        world.git(&format!("update-index {bit} a"));
        world.write("a", "2\n");
        assert_eq!(run.join().0, ["a"]);
    }
}

#[test]
fn rights_and_line_endings_are_the_checkouts() {
    let world = World::new();
    world.git("config core.autocrlf true");
    world.write_all(&[
        ("a", "1\r\n2\r\n"),
        ("private", "1\r\n"),
        ("run", "#!1\r\n"),
    ]);
    world.commit("first");
    for (name, mode) in [("private", 0o600), ("run", 0o700)] {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut run = Run::begin(&world);
    run.step(&[
        ("a", Some("1\n2\n3\n")),
        ("private", Some("2\n")),
        ("run", Some("#!2\n")),
        ("new", Some("new\n")),
    ]);
    assert_eq!(run.land().held, []);
    assert_eq!(fs::read(world.path("a")).unwrap(), b"1\r\n2\r\n3\r\n");
    assert_eq!(fs::read(world.path("new")).unwrap(), b"new\r\n");
    let mode = |name: &str| fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("private"), mode("run")), (0o600, 0o700));
    assert_eq!(run.join(), (vec![], vec![]));
}

#[test]
fn kept_paths_and_filters_are_not_touched() {
    let world = World::committed(&[(".signoff/plan", "1\n"), ("a.bin", "1\n")]);
    let mut run = Run::begin(&world);
    run.step(&[("a.bin", Some("2\n")), ("b", Some("2\n"))]);
    world.write(".signoff/plan", "2\n");
    world.write(".gitattributes", "*.bin filter=lfs\n");
    world.git("config filter.lfs.smudge false");
    let own = world.own();
    let report = own
        .land_files(&run.base, &run.head, &run.first, &|_| {})
        .unwrap();
    assert_eq!(
        held(&report),
        [("a.bin", &HoldReason::Filter("lfs".to_owned()))]
    );
    assert_eq!(report.written, ["b"]);
    assert_eq!(run.join().0, [".gitattributes"]);
}

/// What a person did and did not commit joins the run, and is in none of the commits that land.
#[test]
fn commits_that_land_have_only_the_work_of_the_run() {
    for commits in [false, true] {
        let world = World::committed(&[("both", LINES), ("mine", "1\n"), ("run", "1\n")]);
        let own = world.own();
        let mut run = Run {
            world: &world,
            own,
            first: world.head(),
            base: world.head(),
            head: world.head(),
            landed: Vec::new(),
            restless: RestlessFiles::default(),
        };
        run.step(&[("run", Some("2\n"))]);
        world.write_all(&[
            ("both", &lines("1", "mine")),
            ("mine", "2\n"),
            ("new", "mine\n"),
        ]);
        run.join();
        run.step(&[("both", Some(&lines("run", "mine"))), ("run", Some("3\n"))]);
        world.write("later", "mine\n");
        if commits {
            world.commit("mine");
        }
        let at = world.head();
        let prepared = run
            .own
            .prepare_landing_since(&run.base, &run.first, &run.head);
        let LandingReadiness::Ready(landing) = prepared.unwrap() else {
            panic!("it cannot land");
        };
        run.own.land(&landing, &|_| {}).unwrap();
        assert_eq!(
            run.own.changed_paths(&at, &world.head()).unwrap(),
            ["both", "run"]
        );
        assert_eq!(world.git(&format!("rev-list --count {at}..HEAD")), "2\n");
        let status = world.git("status --porcelain");
        let expected = " M both\n M mine\n?? later\n?? new\n";
        assert_eq!(status, if commits { "" } else { expected });
        let both = fs::read_to_string(world.path("both")).unwrap();
        assert_eq!(both, lines("run", "mine"));
        let again = run
            .own
            .prepare_landing_since(&run.base, &run.first, &run.head);
        assert_eq!(again.unwrap(), LandingReadiness::Nothing);
    }
}

/// A file in the place of a directory belongs together with what was in it.
#[test]
fn undo_does_not_put_a_file_over_a_persons_directory() {
    let world = World::committed(&[("d", "-> nowhere"), ("a", "1\n")]);
    let mut run = Run::begin(&world);
    run.step(&[("d", None), ("d/x", Some(LINES))]);
    run.land();
    world.write("d/x", &lines("1", "mine"));
    run.join();
    run.step(&[("a", Some("2\n"))]);
    run.land();
    let report = run
        .own
        .unland_files(&run.landed, &run.first, &|_| {})
        .unwrap();
    assert_eq!(report.restored, ["a"]);
    let left: Vec<_> = report.held.iter().map(|held| held.path.as_str()).collect();
    assert_eq!(left, ["d", "d/x"]);
    let found = fs::read_to_string(world.path("d/x")).unwrap();
    assert_eq!(found, lines("1", "mine"));
}

impl Run<'_> {
    fn settle(&mut self, paths: &[&str], how: Settling) {
        let paths: Vec<String> = paths.iter().copied().map(str::to_owned).collect();
        self.base = (self.own)
            .settle_files(&self.base, &self.head, &self.first, &paths, how)
            .unwrap();
    }
}

#[test]
fn a_person_settles_what_was_held() {
    let world = World::committed(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n"), ("gone", "1\n")]);
    let mut run = Run::begin(&world);
    run.step(&[
        ("a", Some("run\n")),
        ("b", Some("run\n")),
        ("c", Some("run\n")),
        ("gone", None),
        ("new", Some("run\n")),
    ]);
    for name in ["a", "b", "c", "gone", "new"] {
        world.write(name, "mine\n");
    }
    assert_eq!(run.land().held.len(), 5);
    run.settle(&["a", "gone", "new"], Settling::Take);
    // Merged by hand.
    world.write("b", "mine and run\n");
    run.settle(&["b"], Settling::Keep);
    let report = run.land();
    assert_eq!(report.written, ["a", "gone", "new"]);
    assert_eq!(held(&report), [("c", &HoldReason::Conflict)]);
    let expected = [
        r"a: file run\n",
        r"b: file mine and run\n",
        r"c: file mine\n",
        r"new: file run\n",
    ];
    assert_eq!(shown(&world.repo()), expected);
    run.settle(&["c"], Settling::Keep);
    let report = run.land();
    assert!(report.held.is_empty() && report.written.is_empty());
    assert_eq!(report.base, run.own.tree_of(&run.head).unwrap());
    // What was taken is taken back to what the person had.
    let unland = |run: &Run<'_>| run.own.unland_files(&run.landed, &run.first, &|_| {});
    let undone = unland(&run).unwrap();
    assert!(undone.held.is_empty(), "{undone:?}");
    let expected = [
        r"a: file mine\n",
        r"b: file mine and run\n",
        r"c: file mine\n",
        r"gone: file mine\n",
        r"new: file mine\n",
    ];
    assert_eq!(shown(&world.repo()), expected);
}

#[test]
fn versions_of_a_tree_are_written_elsewhere() {
    let world = World::committed(&[("d/a", "1\n"), ("b", "1\n")]);
    let mut run = Run::begin(&world);
    run.step(&[("d/a", Some("run\n")), ("b", None)]);
    let directory = tempfile::tempdir().unwrap();
    let paths = ["d/a", "b", "never"].map(str::to_owned);
    let found = run.own.export_files(&run.head, &paths, directory.path());
    let a = directory.path().join("d/a");
    assert_eq!(found.unwrap(), [Some(a.clone()), None, None]);
    assert_eq!(fs::read_to_string(a).unwrap(), "run\n");
}

#[test]
fn a_file_that_changes_at_every_look_joins_once_it_rests() {
    let world = World::committed(&[("log", "0\n")]);
    let mut run = Run::begin(&world);
    let joined: Vec<usize> = (1..=6)
        .map(|version| {
            world.write("log", &format!("{version}\n"));
            run.join().0.len()
        })
        .collect();
    assert_eq!(joined, [1, 1, 1, 0, 0, 0]);
    // Others are not held up by it.
    world.write("log", "7\n");
    world.write("mine", "1\n");
    assert_eq!(run.join().0, ["mine"]);
    assert_eq!(run.join().0, ["log"]);
    assert_eq!(run.join().0, [""; 0]);
}

/// Git fails at a pipe in the place of a file that it knows: that one is held, and nothing else.
#[test]
fn a_pipe_in_the_place_of_a_file_holds_that_file_only() {
    let world = World::committed(&[("a", "1\n"), ("gone", "1\n")]);
    let mut run = Run::begin(&world);
    run.step(&[("a", Some("run\n")), ("gone", Some("run\n"))]);
    fs::remove_file(world.path("gone")).unwrap();
    let kind = rustix::fs::FileType::Fifo;
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, world.path("gone"), kind, mode, 0).unwrap();
    assert_eq!(run.join(), (vec![], vec![]));
    let report = run.land();
    assert_eq!(report.written, ["a"]);
    assert_eq!(held(&report), [("gone", &HoldReason::InTheWay)]);
}

/// Nobody waits for minutes until git has read it.
#[test]
fn a_large_file_that_git_does_not_know_stays_out_of_the_run() {
    let world = World::committed(&[("a", "1\n")]);
    let mut run = Run::begin(&world);
    let holes = fs::File::create(world.path("holes")).unwrap();
    holes.set_len(1 << 40).unwrap();
    world.write_all(&[("mine", "new\n")]);
    assert_eq!(run.join(), (vec!["mine".to_owned()], vec![]));
    assert!(run.own.snapshot().is_ok());
    run.step(&[("a", Some("run\n"))]);
    assert_eq!(run.land().written, ["a"]);
    assert!(world.path("holes").exists());
}

/// What a person puts beside files that an agent moved stays where they put it, and is no conflict.
#[test]
fn a_directory_that_an_agent_renames_takes_no_new_file_along() {
    let world = World::committed(&[("d/a", LINES), ("d/b", "b\nb\nb\n"), ("c", "1\n")]);
    let mut run = Run::begin(&world);
    let base = run.head.clone();
    run.step(&[("d/new", Some("mine\n"))]);
    let head = std::mem::replace(&mut run.head, base.clone());
    run.step(&[
        ("d/a", None),
        ("d/b", None),
        ("moved/a", Some(LINES)),
        ("moved/b", Some("b\nb\nb\n")),
    ]);
    match run.own.merge(&base, &head, &run.head).unwrap() {
        Merge::Clean(tree) => run.set_head(&tree),
        conflict @ Merge::Conflict { .. } => panic!("{conflict:?}"),
    }
    let files = run.tree();
    assert!(
        files.iter().any(|file| file.starts_with("d/new")),
        "{files:?}"
    );
}
