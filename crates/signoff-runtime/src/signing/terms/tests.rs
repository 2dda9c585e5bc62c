use std::fmt::Write as _;
use std::fs;

use signoff_plan::PermissiveWorkspace;

use super::*;
use crate::plan_file::PlanFile;

/// A plan of these steps, read from a directory that has these files.
pub(super) struct Given {
    dir: tempfile::TempDir,
    pub(super) plan: Plan,
}

pub(super) fn given(files: &[&str], steps: &[&str]) -> Given {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# P\n\n**Budget:** 1h\n\n## Steps\n"
            .to_owned();
    for (at, step) in (1..).zip(steps) {
        write!(text, "\n### {at}. S\n\n{step}\n").unwrap();
    }
    let path = dir.path().join("plan.md");
    fs::write(&path, text).unwrap();
    let plan = PlanFile::read(&path, "plan.md", &PermissiveWorkspace).unwrap();
    let plan = Plan::clone(&plan.checked.plan);
    assert_eq!(plan.steps.len(), steps.len());
    Given { dir, plan }
}

#[track_caller]
fn check(files: &[&str], steps: &[&str], expected: &[&str]) {
    let Given { dir, plan } = given(files, steps);
    let found = deciding_files(&plan, dir.path());
    let found: Vec<_> = found.keys().map(String::as_str).collect();
    assert_eq!(found, expected, "{steps:?}");
}

fn contract(text: &str) -> String {
    format!("**contract:**\n```shell\n{text}\n```\n")
}

#[test]
fn scripts_that_a_contract_runs() {
    let files = ["s/check.sh", "data.json", "t.py"];
    for (text, expected) in [
        ("bash s/check.sh data.json", &["s/check.sh"][..]),
        ("bash -eu \"s/check.sh\"", &["s/check.sh"]),
        ("./s/check.sh data.json", &["s/check.sh"]),
        ("env A=1 s/check.sh", &["s/check.sh"]),
        ("true && timeout 10 python3.12 ./t.py", &["t.py"]),
        (". s/check.sh; run data.json", &["s/check.sh"]),
        ("! /usr/bin/python3 -u t.py", &["t.py"]),
        ("python -m pytest t.py", &[]),
        ("grep -q x data.json && test -s t.py", &[]),
        ("bash s/gone.sh ../x.sh", &[]),
        ("/bin/true", &[]),
    ] {
        check(&files, &[&contract(text)], expected);
    }
}

#[test]
fn scripts_are_covered_however_they_are_called() {
    let files = [
        "d/x",
        "x",
        "scripts/a.sh",
        "scripts/b.sh",
        "t.py",
        "x.js",
        "pkg/__init__.py",
        "pkg/mod.py",
        "src/lib/__main__.py",
        "cmd/main.go",
        "bin/check",
    ];
    let (d_x, both) = (&["d/x"][..], &["scripts/a.sh", "scripts/b.sh"][..]);
    for (text, expected) in [
        ("cd d && ./x", d_x),
        ("$PWD/d/x", d_x),
        ("a/../d/x", d_x),
        ("(cd d; ./x) | cat", d_x),
        ("./scripts/*.sh", both),
        ("bash -c 'cd scripts; ./a.sh; ./b.sh'", both),
        (
            "for s in 1; do source scripts/a.sh; . scripts/b.sh; done",
            both,
        ),
        ("env A=b timeout 5 nice ./d/x", d_x),
        ("f() { time ./d/x; }; f", d_x),
        ("echo a | xargs ./d/x", d_x),
        ("sh t.py; node x", &["t.py", "x", "x.js"]),
        ("python3 -m pkg.mod", &["pkg/__init__.py", "pkg/mod.py"]),
        ("python3 -m lib", &["src/lib/__main__.py"]),
        ("go run ./cmd", &["cmd/main.go"]),
        ("PATH=$PWD/bin:$PATH check", &["bin/check"]),
        ("cd $D && ./x", &[]),
        ("pytest t.py && cat x", &[]),
    ] {
        check(&files, &[&contract(text)], expected);
    }
}

#[test]
fn an_absolute_path_into_the_workspace_is_covered() {
    let Given { dir, .. } = given(&["a.sh"], &[&contract("true")]);
    let command = format!("{}/a.sh", dir.path().display());
    let Given { mut plan, .. } = given(&[], &[&contract(&command)]);
    plan.steps.truncate(1);
    let found = deciding_files(&plan, dir.path());
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a.sh"]);
}

#[test]
fn only_produces_takes_a_file_out() {
    let run = contract("bash s/check.sh");
    let files = ["s/check.sh"];
    let agent = |rest: &str| format!("**target:** coder\n**task:**\n{rest}\n");
    let covered = &["s/check.sh"][..];
    let makes = format!("{}**produces:** s/*.sh\n", agent("Write it."));
    check(&files, &[&makes, &run], &[]);
    check(&files, &[&format!("{run}**produces:** s/check.sh\n")], &[]);
    // What a task says of a file takes nothing out, whatever it says.
    for task in [
        "Write `s/check.sh`.",
        "Never change s/check.sh.",
        "Make s/check.sh pass.",
    ] {
        check(&files, &[&agent(task), &run], covered);
        check(&files, &[&format!("{}{run}", agent(task))], covered);
    }
    check(&files, &[&contract("test -x s/check.sh"), &run], covered);
    // A later step does not excuse it: until then the file judges as it was signed.
    check(&files, &[&run, &makes], covered);
    // Nor is one that excuses only some of those who need it.
    check(&files, &[&run, &makes, &run], covered);
}

#[test]
fn only_steps_that_are_waited_for_count() {
    let run = contract("bash s/check.sh");
    let makes = "**id:** w\n**target:** coder\n**produces:** s/check.sh\n**task:**\nDo it.\n";
    let files = ["s/check.sh"];
    check(
        &files,
        &[makes, &format!("**depends_on:** none\n{run}")],
        &["s/check.sh"],
    );
    let between = "**id:** b\n**depends_on:** w\n**target:** coder\n**task:**\nx\n";
    check(
        &files,
        &[makes, between, &format!("**depends_on:** b\n{run}")],
        &[],
    );
}

#[test]
fn protected_files_are_found_by_pattern() {
    let files = [
        "tests/a.py",
        "tests/deep/b.py",
        "tests/c.txt",
        ".git/x.py",
        ".signoff/y.py",
        "src/d.py",
    ];
    let protects = |pattern: &str| format!("{}**protects:** {pattern}\n", contract("test -e x"));
    for (pattern, expected) in [
        ("tests/**/*.py", &["tests/a.py", "tests/deep/b.py"][..]),
        ("tests/", &["tests/a.py", "tests/c.txt", "tests/deep/b.py"]),
        ("src/d.py", &["src/d.py"]),
        ("src", &["src/d.py"]),
        ("{src,none}/**", &["src/d.py"]),
        ("**/*.py", &["src/d.py", "tests/a.py", "tests/deep/b.py"]),
        ("none/*", &[]),
    ] {
        check(&files, &[&protects(pattern)], expected);
    }
}

#[test]
fn what_came_since_signing_is_left_out() {
    let Given { dir, plan } = given(&["a.sh"], &[&contract("bash a.sh && bash b.sh")]);
    let signed = serde_json::json!({ "files": deciding_files(&plan, dir.path()) });
    fs::write(dir.path().join("b.sh"), "new").unwrap();
    let hashes = signed_files(&signed, dir.path());
    assert_eq!(serde_json::json!({ "files": hashes }), signed);
    fs::write(dir.path().join("a.sh"), "changed").unwrap();
    assert_ne!(signed_files(&signed, dir.path()), hashes);
    fs::remove_file(dir.path().join("a.sh")).unwrap();
    assert_eq!(signed_files(&signed, dir.path()), BTreeMap::new());
    assert_eq!(deciding_files(&plan, dir.path()).len(), 1);
}

#[test]
fn a_link_and_what_it_leads_to_are_signed_both() {
    let files = [
        "tools/scripts/check.sh",
        "data/a",
        "data/sub/b",
        "tests/t",
        "other",
    ];
    let linked = |links: &[(&str, &str)], step: &str| {
        let Given { dir, plan } = given(&files, &[step]);
        for (link, to) in links {
            std::os::unix::fs::symlink(to, dir.path().join(link)).unwrap();
        }
        (deciding_files(&plan, dir.path()), dir, plan)
    };
    let check = |link: (&str, &str), step: &str, expected: &[&str]| {
        let (found, ..) = linked(&[link], step);
        let found: Vec<_> = found.keys().map(String::as_str).collect();
        assert_eq!(found, expected, "{link:?} {step}");
    };
    let script = "tools/scripts/check.sh";
    check(
        ("check.sh", script),
        &contract("bash check.sh"),
        &["check.sh", script],
    );
    check(
        ("scripts", "tools/scripts"),
        &contract("bash scripts/check.sh"),
        &["scripts", "scripts/check.sh", script],
    );
    let protects = |pattern: &str| format!("{}**protects:** {pattern}\n", contract("test -e x"));
    check(
        ("tests/a", "../data/a"),
        &protects("tests/**"),
        &["data/a", "tests/a", "tests/t"],
    );
    check(
        ("tests/d", "../data/sub"),
        &protects("tests/**"),
        &["data/sub/b", "tests/d", "tests/t"],
    );
    check(("tests/d", "/etc"), &protects("tests/d"), &["tests/d"]);
    check(("tests/d", ".."), &protects("tests/d"), &["tests/d"]);
    // Whoever makes the one makes the other.
    for makes in ["check.sh", script] {
        let step = format!("{}**produces:** {makes}\n", contract("bash check.sh"));
        check(("check.sh", script), &step, &[]);
    }
    // Where a link to a directory leads is part of it.
    let links = [("scripts", "tools/scripts")];
    let (before, dir, plan) = linked(&links, &contract("bash scripts/check.sh"));
    let link = dir.path().join("scripts");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("./tools/scripts", &link).unwrap();
    assert_ne!(deciding_files(&plan, dir.path()), before);
}
