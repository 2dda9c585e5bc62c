//! The layers together, as the kernel shows them.

use std::fs;
use std::path::Path;
use std::process::Command;

use signoff_work::layers::{Mask, TreePool, record_taken, remove_layer};

use crate::git::world::{shown, write};
use crate::layers::layer::{Layer, changes, roots};

/// Runs a command of the shell where the layers are seen at the checkout's path; `None` where that is not possible.
fn run_in_overlay(layer: &Layer, lowers: &[&Path], script: &str) -> Option<String> {
    let (work, checkout) = (layer.world.root.join("work"), layer.world.repo());
    fs::create_dir_all(&work).unwrap();
    let lowers: Vec<String> = lowers
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let options = format!(
        "userxattr,volatile,lowerdir={},upperdir={},workdir={}",
        lowers.join(":"),
        layer.upper.display(),
        work.display()
    );
    let whole = format!(
        "mount -t overlay overlay -o '{options}' '{0}' || exit 77; cd '{0}' || exit 78; {script}",
        checkout.display()
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-ec", &whole])
        .output()
        .ok()?;
    if output.status.code() == Some(77)
        || String::from_utf8_lossy(&output.stderr).contains("unshare")
    {
        return None;
    }
    assert!(output.status.success(), "{output:?}");
    remove_layer(&work).unwrap();
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_command_sees_the_tree_and_what_is_ignored_and_its_work_is_recorded() {
    let layer = Layer::new(&[
        (".gitignore", "target/\nnode_modules/\n"),
        ("src/a", "a\n"),
        ("src/b/c", "c\n"),
        ("web/d", "d\n"),
        ("gone", "x\n"),
    ]);
    let repo = layer.world.repo();
    // The checkout went on; only what is ignored is seen of it.
    write(&repo, "src/a", "of the checkout\n");
    write(&repo, "checkout-only", "x\n");
    write(&repo, "target/x", "built\n");
    write(&repo, "web/node_modules/m", "m\n");
    let mask = Mask::make(&repo, &layer.rules, &layer.world.root.join("mask"), &[]).unwrap();
    let pool = TreePool::open(layer.own.clone(), &layer.world.root.join("pool")).unwrap();
    let lent = pool.share(&layer.base).unwrap();
    let script = "find . -type f | LC_ALL=C sort; cat src/a target/x; \
                  rm gone; rm -r src/b; mkdir src/b; echo new >src/b/new; echo more >>src/a; mv web/d web/e; \
                  rm -rf target; ln -s a src/link; chmod 0111 src; rm -r web/node_modules; mkdir web/node_modules";
    let lowers = [lent.path(), mask.path(), &repo];
    let Some(seen) = run_in_overlay(&layer, &lowers, script) else {
        return;
    };
    assert_eq!(
        seen,
        "./.gitignore\n./gone\n./src/a\n./src/b/c\n./target/x\n./web/d\n./web/node_modules/m\na\nbuilt\n"
    );
    let report = layer.record().unwrap();
    assert_eq!(
        changes(&report),
        [
            "removed gone",
            "modified src/a",
            "removed src/b/c",
            "added src/b/new",
            "added src/link",
            "removed web/d",
            "added web/e",
        ]
    );
    assert_eq!(roots(&report), ["target", "web/node_modules"]);
    assert_eq!(fs::read(repo.join("target/x")).unwrap(), b"built\n");
    assert_eq!(fs::read(lent.path().join("src/a")).unwrap(), b"a\n");
    // What was recorded is what the next one sees.
    let next = pool.share(&report.tree).unwrap();
    assert_eq!(fs::read(next.path().join("src/a")).unwrap(), b"a\nmore\n");
}

/// Lines of a shell script that make, change, move and remove files. The same number gives the same script.
fn random_script(mut seed: u64) -> String {
    let paths = [
        "a",
        "b",
        "d",
        "d/e",
        "d/e/f",
        "d/g",
        "x/y",
        "x/y/z",
        "x",
        "new/deep/er",
    ];
    let mut next = |below: usize| {
        // Numbers of Knuth's.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut lines = String::new();
    for number in 0..40 {
        let (one, two) = (paths[next(paths.len())], paths[next(paths.len())]);
        let line = match next(8) {
            0 => format!("rm -rf {one}"),
            1 => format!("mkdir -p {one}"),
            2 => format!("mv {one} {two}"),
            3 => format!("ln -sfn {two} {one}"),
            4 => format!("[ -h {one} ] || chmod +x {one}"),
            5 => format!("cp -P {one} {two}"),
            6 => {
                format!("mkdir -p {one}/own; echo '*' >{one}/own/.gitignore; cp -P {two} {one}/own")
            }
            _ => format!("mkdir -p $(dirname {one}); echo {number} >{one}"),
        };
        lines = lines + "(" + &line + ") 2>/dev/null || :\n";
    }
    lines
}

#[test]
fn whatever_is_done_is_recorded_as_git_would() {
    let seeds = if std::env::var_os("SIGNOFF_SOAK").is_some() {
        100
    } else {
        5
    };
    for seed in 0..seeds {
        let layer = Layer::new(&[
            ("a", "a\n"),
            ("d/e/f", "f\n"),
            ("d/g", "g\n"),
            ("x/y/z", "z\n"),
            ("b", "-> a"),
        ]);
        let world = &layer.world;
        let pool = TreePool::open(layer.own.clone(), &world.root.join("pool")).unwrap();
        let lent = pool.share(&layer.base).unwrap();
        let mask = Mask::make(&world.repo(), &layer.rules, &world.root.join("mask"), &[]).unwrap();
        let script = random_script(seed);
        let lowers = [lent.path(), mask.path(), &world.repo()];
        if run_in_overlay(&layer, &lowers, &script).is_none() {
            return;
        }
        let report = layer.record().unwrap();
        // The same in the checkout itself.
        let status = Command::new("sh")
            .args(["-ec", &script])
            .current_dir(world.repo())
            .status();
        assert!(status.unwrap().success());
        world.git("add -A");
        let expected = world.git("write-tree");
        world.git("clean -ffdqX");
        let expected = expected.trim().parse().unwrap();
        assert_eq!(
            layer.shown(&report.tree),
            layer.shown(&expected),
            "{script}"
        );
        let next = pool.share(&report.tree).unwrap();
        assert_eq!(shown(next.path()), shown(&world.repo()), "{script}");
        // And as a tree that was taken.
        drop((lent, next));
        let taken = pool.take(&layer.base).unwrap();
        let status = Command::new("sh")
            .args(["-ec", &script])
            .current_dir(taken.path())
            .status();
        assert!(status.unwrap().success());
        let as_taken = record_taken(&layer.context(), &taken).unwrap();
        assert_eq!(as_taken.tree, report.tree, "{script}");
        taken.give_back().unwrap();
    }
}
