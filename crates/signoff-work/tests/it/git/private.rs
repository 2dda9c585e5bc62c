//! Projects without a repository, or with one that cannot record them.

use std::fs;
use std::path::Path;

use signoff_work::git::{Git, HarnessGit, LandingReadiness, Repository};

use crate::git::step_landing::Run;
use crate::git::world::{World, sandbox, shown, write};

/// What somebody does to a repository.
type Meanwhile<'w> = &'w dyn Fn(&World);

fn git(world: &World, workspace: &Path) -> Git {
    let variables = [
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("HOME".into(), world.root.join("home").into()),
    ];
    Git::new(sandbox(), &variables.into(), workspace)
}

fn private(world: &World, workspace: &Path) -> HarnessGit {
    let directory = world.root.join("private");
    let repository = Repository::private(git(world, workspace), workspace, &directory).unwrap();
    assert_eq!(repository.obstacles().unwrap(), [""; 0]);
    assert!(repository.is_private());
    let kept = [".signoff".to_owned()];
    repository
        .open_harness_git(&world.root.join("place"), &kept)
        .unwrap()
}

fn without_git() -> World {
    let world = World::new();
    fs::remove_dir_all(world.path(".git")).unwrap();
    world
}

#[test]
fn a_project_without_git_has_runs_that_land_as_files() {
    let world = without_git();
    world.write_all(&[
        ("a", "1\r\n"),
        (".gitattributes", "* text eol=lf\n"),
        ("Cargo.toml", ""),
        ("target/big", "x\n"),
        ("docs/target", "x\n"),
        ("web/node_modules/x", "x\n"),
        (".signoff/plan", "x\n"),
    ]);
    let mut run = Run::begin_by(&world, private(&world, &world.repo()));
    let files = [
        ".gitattributes: file * text eol=lf\\n",
        "Cargo.toml: file ",
        "a: file 1\\r\\n",
        "docs/target: file x\\n",
    ];
    assert_eq!(run.tree(), files);
    run.step(&[("a", Some("2\r\n")), ("new", Some("1\n"))]);
    world.write("mine", "1\r\n");
    assert_eq!(run.join().0, ["mine"]);
    let LandingReadiness::Refused(why) = run.own.prepare_landing(&run.first, &run.head).unwrap()
    else {
        panic!("it would land");
    };
    assert!(why.concat().contains("lands as files"), "{why:?}");
    assert_eq!(run.land().written, ["a", "new"]);
    assert_eq!(fs::read(world.path("a")).unwrap(), b"2\r\n");
    assert_eq!(run.join(), (vec![], vec![]));
    assert!(!world.path(".git").exists());
    let undone = run.own.unland_files(&run.landed, &run.first, &|_| {});
    assert_eq!(undone.unwrap().held, []);
    assert_eq!(fs::read(world.path("a")).unwrap(), b"1\r\n");
    assert_eq!(fs::read(world.path("mine")).unwrap(), b"1\r\n");
}

#[test]
fn the_rules_of_a_project_without_git_are_its_own() {
    let world = without_git();
    world.write_all(&[
        (".gitignore", "out\n"),
        ("out/x", "x\n"),
        ("node_modules/x", "x\n"),
    ]);
    let run = Run::begin_by(&world, private(&world, &world.repo()));
    assert_eq!(
        run.tree(),
        [".gitignore: file out\\n", "node_modules/x: file x\\n"]
    );
}

#[test]
fn repositories_inside_are_recorded_as_files() {
    let world = without_git();
    write(&world.path("sub"), "file", "1\n");
    write(&world.path("sub"), ".gitignore", "ignored\n");
    write(&world.path("sub"), "ignored", "1\n");
    world.git_in(&world.path("sub"), &["init", "-q"]);
    world.git_in(&world.path("sub"), &["add", "-A"]);
    world.git_in(&world.path("sub"), &["commit", "-q", "-m", "x"]);
    world.write("a", "1\n");
    let mut run = Run::begin_by(&world, private(&world, &world.repo()));
    assert_eq!(
        run.tree(),
        [
            "a: file 1\\n",
            "sub/.gitignore: file ignored\\n",
            "sub/file: file 1\\n"
        ]
    );
    write(&world.path("sub"), "mine", "1\n");
    world.write("sub/file", "2\n");
    assert_eq!(run.join().0, ["sub/file", "sub/mine"]);
    run.step(&[("sub/file", Some("3\n")), ("sub/new", Some("1\n"))]);
    assert_eq!(run.land().held, []);
    let status = world.git_in(&world.path("sub"), &["status", "--porcelain"]);
    assert_eq!(status, " M file\n?? mine\n?? new\n");
    assert_eq!(run.join(), (vec![], vec![]));
}

/// A run in a repository with an obstacle: everything works, and only commits do not.
#[test]
fn every_obstacle_is_one_for_commits_alone() {
    let table: [(&str, Meanwhile<'_>); 8] = [
        ("sparse", &|world| {
            world.git("sparse-checkout set --no-cone /a /d");
        }),
        ("skipped", &|world| {
            drop(world.git("update-index --skip-worktree a"));
        }),
        ("partial", &|world| {
            drop(world.git("config remote.origin.promisor true"));
        }),
        ("extension", &|world| {
            world.git("config core.repositoryFormatVersion 1");
            world.git("config extensions.strange true");
        }),
        ("elsewhere", &|world| {
            drop(world.git("config core.worktree /nowhere"));
        }),
        ("submodule", &|world| {
            write(&world.path("sub"), "file", "1\n");
            world.git_in(&world.path("sub"), &["init", "-q"]);
            world.git_in(&world.path("sub"), &["add", "-A"]);
            world.git_in(&world.path("sub"), &["commit", "-q", "-m", "x"]);
            world.git("-c protocol.file.allow=always submodule --quiet add ./sub sub");
            world.git("commit -q -m sub");
        }),
        ("filter", &|world| {
            world.git("config filter.lfs.clean false");
            world.git("config filter.lfs.smudge false");
            world.write(".gitattributes", "a filter=lfs\n");
        }),
        ("conflict", &|world| {
            world.git("checkout -q -b other");
            world.write("a", "other\n");
            world.commit("other");
            world.git("checkout -q main");
            world.write("a", "main\n");
            world.commit("main");
            let merge = world
                .command(&world.repo(), &["merge", "-q", "other"])
                .output();
            assert!(!merge.unwrap().status.success());
        }),
    ];
    for (name, prepare) in table {
        let world = World::committed(&[("a", "1\n"), ("d/b", "1\n"), ("c", "1\n")]);
        prepare(&world);
        let directory = world.root.join("private");
        let found =
            Repository::for_run(git(&world, &world.repo()), &world.repo(), &directory).unwrap();
        assert!(!found.why_private.is_empty(), "{name}");
        let kept = [".signoff".to_owned()];
        let own = found
            .repository
            .open_harness_git(&world.root.join("place"), &kept)
            .unwrap();
        let before = world.untouched();
        let mut run = Run::begin_by(&world, own);
        assert_eq!(run.tree(), shown(&world.repo()), "{name}");
        run.step(&[("a", Some("2\n")), ("new", Some("1\n"))]);
        assert_eq!(world.untouched(), before, "{name}");
        world.write("d/b", "mine\n");
        assert_eq!(run.join().0, ["d/b"], "{name}");
        let report = run.land();
        assert_eq!(
            (&report.held[..], report.written.len()),
            (&[][..], 2),
            "{name}"
        );
        assert_eq!(run.tree(), shown(&world.repo()), "{name}");
    }
}

#[test]
fn a_project_below_the_top_of_a_repository_has_its_rules() {
    let world = World::committed(&[
        (".gitignore", "*.log\n/p/build\n/other\n"),
        ("p/a", "1\n"),
        ("p/other", "1\n"),
    ]);
    fs::write(world.path(".git/info/exclude"), "p/local\n").unwrap();
    world.write_all(&[
        ("p/x.log", "x"),
        ("p/build/x", "x"),
        ("p/local", "x"),
        ("p/b", "1\n"),
    ]);
    let workspace = world.path("p");
    let run = Run::begin_by(&world, private(&world, &workspace));
    assert_eq!(
        run.tree(),
        ["a: file 1\\n", "b: file 1\\n", "other: file 1\\n"]
    );
}

#[test]
fn surroundings_that_ignore_the_project_say_nothing_about_it() {
    let world = World::committed(&[("a", "1\n")]);
    world.write(".gitignore", "*\n");
    world.write("p/a", "1\n");
    let workspace = world.path("p");
    let run = Run::begin_by(&world, private(&world, &workspace));
    assert_eq!(run.tree(), ["a: file 1\\n"]);
}

#[test]
fn a_bare_repository_is_no_project() {
    let world = World::committed(&[("a", "1\n")]);
    world.git("clone -q --bare . ../bare");
    let bare = world.root.join("bare");
    let found = Repository::private(git(&world, &bare), &bare, &world.root.join("private"));
    assert!(found.unwrap_err().to_string().contains("bare"));
}

#[test]
fn a_private_repository_has_references_of_its_own() {
    let world = World::committed(&[("a", "1\n")]);
    let before = world.untouched();
    let directory = world.root.join("private");
    let open =
        || Repository::private(git(&world, &world.repo()), &world.repo(), &directory).unwrap();
    let own = private(&world, &world.repo());
    let commit = own.commit(&own.snapshot().unwrap(), &[], "x").unwrap();
    let name = "refs/heads/signoff/r";
    assert!(open().move_ref(name, &commit, None).unwrap());
    assert_eq!(open().read_ref(name).unwrap(), Some(commit));
    assert_eq!(open().refs("refs/heads/").unwrap().len(), 1);
    assert_eq!(open().head().unwrap().commit, None);
    assert!(
        open()
            .checkouts()
            .unwrap()
            .iter()
            .all(|checkout| checkout.branch.as_deref() != Some(name))
    );
    open().delete_ref(name).unwrap();
    assert_eq!(open().read_ref(name).unwrap(), None);
    assert_eq!(world.untouched(), before);
    // The next run need not read the files again.
    assert!(directory.join("index").exists());
}
