//! Which changed files have a say in the verdict.

#[expect(dead_code, reason = "the other tests use the rest of it")]
mod world;

use signoff_engine::judge_changed;
use signoff_plan::model::{Step, Work};
use world::{plan_text, signed};

/// A step with this task, contract and `produces`.
fn step(task: &str, contract: &str, produces: &str) -> Step {
    let produces = match produces {
        "" => String::new(),
        globs => format!("**produces:** {globs}\n"),
    };
    let body = format!(
        "**target:** coder\n**task:**\n{task}\n\n{produces}**contract:**\n```shell\n{contract}\n```\n"
    );
    signed(&plan_text(&[&body])).plan().steps[0].clone()
}

/// `file` is reported, `file!` fails the attempt; what is not listed has no say.
#[track_caller]
fn check(step: &Step, changed: &[&str], expected: &[&str]) {
    let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
    let found = judge_changed(step, &changed);
    let told: Vec<String> = found
        .reads
        .iter()
        .map(|path| {
            let fails = found.runner_config.contains(path) || found.shadows.contains(path);
            format!("{path}{}", if fails { "!" } else { "" })
        })
        .collect();
    assert_eq!(told, expected, "{:?} {:?}", step.work, step.contract);
    assert!(
        found
            .runner_config
            .iter()
            .all(|path| found.reads.contains(path))
    );
}

fn contract(command: &str) -> Step {
    step("Do it.", command, "")
}

#[test]
fn a_module_in_the_place_of_the_runners_own_fails() {
    let all = [
        "json.py",
        "tools/unittest.py",
        "app/json.py",
        "test/__init__.py",
        "app.py",
    ];
    check(
        &contract("python3 -m pytest"),
        &all,
        &["json.py!", "test/__init__.py"],
    );
    check(
        &contract("python3 tools/check.py"),
        &all,
        &["json.py!", "tools/unittest.py!", "test/__init__.py"],
    );
    check(
        &contract("cd tools && python3 -m unittest"),
        &all,
        &["json.py!", "tools/unittest.py!", "test/__init__.py"],
    );
    check(&contract("cargo test"), &all, &["test/__init__.py"]);
    // The task's word is not enough, `produces` is.
    check(
        &step("Write json.py.", "pytest", ""),
        &["json.py"],
        &["json.py!"],
    );
    check(
        &step("Write it.", "pytest", "json.py"),
        &["json.py"],
        &["json.py"],
    );
}

#[test]
fn scripts_are_reported_however_they_are_called() {
    for (command, file) in [
        ("cd s && ./x", "s/x"),
        ("$PWD/s/x", "s/x"),
        ("a/../s/x", "s/x"),
        ("for f in s/*.sh; do $f; done; s/*.sh", "s/new.sh"),
        ("bash -c '. s/x'", "s/x"),
        ("python3 -m pkg.mod", "pkg/mod.py"),
        ("python3 -m pkg", "pkg/__main__.py"),
    ] {
        check(&contract(command), &[file, "other"], &[file]);
    }
}

#[test]
fn each_runner_has_its_own_configuration() {
    let all = [
        "conftest.py",
        "pyproject.toml",
        "package.json",
        "Makefile",
        "build.rs",
        ".cargo/config.toml",
        "sub/pytest.ini",
        "tox.ini",
        "setup.cfg",
        "web/jest.config.ts",
        "vitest.config.mjs",
        ".mocharc.yml",
        ".rspec",
        ".config/nextest.toml",
        "src/main.rs",
        "README.md",
    ];
    let python = [
        "conftest.py!",
        "pyproject.toml!",
        "sub/pytest.ini!",
        "tox.ini!",
        "setup.cfg!",
    ];
    let javascript = [
        "package.json!",
        "web/jest.config.ts!",
        "vitest.config.mjs!",
        ".mocharc.yml!",
    ];
    let rust = ["build.rs!", ".cargo/config.toml!", ".config/nextest.toml!"];
    for (command, expected) in [
        ("pytest -q", &python[..]),
        ("python3.12 -m pytest", &python),
        (".venv/bin/pytest tests", &python),
        ("A=1 timeout 60 pytest | tee log", &python),
        ("npm test", &javascript),
        ("npx jest", &javascript),
        ("cargo test", &rust),
        ("cargo nextest run", &rust),
        ("bundle exec rspec", &[".rspec!"]),
        ("go test ./...", &[]),
        ("grep -q done notes", &[]),
        ("test -f README.md", &["README.md"]),
    ] {
        check(&contract(command), &all, expected);
    }
}

#[test]
fn what_runs_other_things_may_read_anything() {
    let changed = [
        "package.json",
        "conftest.py",
        "build.rs",
        "Makefile",
        "src/a.rs",
    ];
    let everything = ["package.json!", "conftest.py!", "build.rs!", "Makefile!"];
    for command in [
        "make test",
        "just check",
        "bash -c ./x",
        "eval \"$X\"",
        "tox",
    ] {
        check(&contract(command), &changed, &everything);
    }
    check(
        &contract("./check"),
        &["check", "package.json"],
        &["check", "package.json!"],
    );
}

#[test]
fn manifests_that_every_change_touches_are_only_reported() {
    check(
        &contract("cargo test"),
        &["Cargo.toml", "crates/a/Cargo.toml"],
        &["Cargo.toml", "crates/a/Cargo.toml"],
    );
    check(
        &contract("go test ./..."),
        &["go.mod", "go.sum"],
        &["go.mod"],
    );
    check(&contract("mvn -q test"), &["pom.xml"], &["pom.xml"]);
    check(
        &contract("ctest"),
        &["CMakeLists.txt", "CTestCustom.cmake"],
        &["CMakeLists.txt", "CTestCustom.cmake!"],
    );
    check(
        &contract("npx tsc --noEmit"),
        &["tsconfig.json", "vite.config.ts"],
        &["tsconfig.json", "vite.config.ts"],
    );
}

#[test]
fn files_of_tests_are_reported_and_never_fail_an_attempt() {
    let changed = [
        "tests/test_a.py",
        "src/a_test.go",
        "web/a.test.tsx",
        "spec/a_spec.rb",
        "src/a.py",
        "tests/data/expected.json",
        "src/AppTest.java",
    ];
    check(
        &contract("pytest"),
        &changed,
        &[
            "tests/test_a.py",
            "spec/a_spec.rb",
            "tests/data/expected.json",
        ],
    );
    check(
        &contract("make"),
        &changed,
        &[
            "tests/test_a.py",
            "src/a_test.go",
            "web/a.test.tsx",
            "spec/a_spec.rb",
            "tests/data/expected.json",
            "src/AppTest.java",
        ],
    );
    check(&contract("test -f x.txt"), &changed, &[]);
    // The one file among tests that decides which of them run.
    check(
        &contract("pytest"),
        &["tests/conftest.py"],
        &["tests/conftest.py!"],
    );
}

#[test]
fn files_that_the_contract_names_are_reported() {
    check(
        &contract("bash scripts/check.sh && diff want.txt out/got.txt"),
        &[
            "scripts/check.sh",
            "want.txt",
            "out/got.txt",
            "scripts/other.sh",
        ],
        &["scripts/check.sh", "want.txt", "out/got.txt"],
    );
    check(&contract("./ci/run"), &["ci/run"], &["ci/run"]);
    check(
        &contract("cd web && node check.js"),
        &["web/check.js", "api/check.ts"],
        &["web/check.js"],
    );
    check(&contract("node check.js"), &["web/check.js"], &[]);
    check(
        &contract("npx jest --config ci/jest.json && npx eslint --config=ci/lint.js ."),
        &["ci/jest.json", "ci/lint.js"],
        &["ci/jest.json!", "ci/lint.js!"],
    );
    check(&contract("wc -c report.md"), &["report.md"], &["report.md"]);
}

#[test]
fn what_the_step_is_told_to_change_is_only_reported() {
    for (task, changed) in [
        ("Add a `lint` script to `package.json`.", "package.json"),
        ("Add a lint script to web/package.json.", "web/package.json"),
        ("Put the fixture into conftest.", "tests/conftest.py"),
        ("Add a makefile with a test target", "Makefile"),
        ("Add the dependency left-pad.", "package.json"),
        ("Upgrade our dependencies.", "pyproject.toml"),
    ] {
        let command = "make test";
        check(&step(task, command, ""), &[changed], &[changed]);
        let otherwise = format!("{changed}!");
        check(
            &step("Fix the bug in the package.", command, ""),
            &[changed],
            &[otherwise.as_str()],
        );
    }
    // A dependency is no reason to change how tests are found.
    check(
        &step("Add the dependency x.", "pytest", ""),
        &["conftest.py"],
        &["conftest.py!"],
    );
    check(
        &step("Do it.", "pytest", "tests/**, *.toml"),
        &["tests/conftest.py", "pyproject.toml", "tox.ini"],
        &["tests/conftest.py", "pyproject.toml", "tox.ini!"],
    );
}

/// A step whose agent is told this, headings and all.
fn told(text: &str, produces: &str) -> Step {
    let mut step = step("Do it.", "npm test", produces);
    if let Work::Agent { task, .. } = &mut step.work {
        text.clone_into(task);
    }
    step
}

#[test]
fn what_a_sentence_forbids_is_not_named_by_it() {
    let file = "package.json";
    for task in [
        "Fix the bug; never touch package.json.",
        "Do not change `package.json`.",
        "Don't edit package.json, conftest.py or tox.ini.",
        "Don’t edit conftest.py or\npackage.json!",
        "The file package.json must not be changed.",
        "Make the tests pass without changing package.json",
        "Leave package.json alone.",
        "package.json stays untouched.",
        "Keep package.json as it is",
        "Change anything but package.json.",
        "Never touch configuration, e.g. package.json.",
        "Do not touch:\n\n- conftest.py\n- package.json\n",
        "Fix it.\n\n## Do not touch\n\npackage.json\n",
        "Add a script to package.json. Never change package.json.",
        "Add the dependency x without touching package.json.",
        "Do the work of my_package.json and of DO_PACKAGE.JSON and xpackage.json.bak",
    ] {
        check(&told(task, ""), &[file], &["package.json!"]);
        check(&told(task, "*.json"), &[file], &[file]);
    }
    for task in [
        "Never give up. Add a script to package.json.",
        "Add a script to package.json, but do not touch conftest.py.",
        "Add a script to package.json; conftest.py must not change.",
        "Add a script to package.json without adding dependencies.",
        "The test script in package.json does not run: repair it.",
        "Use package.json instead of setup.cfg.",
        "- do not touch conftest.py\n- add a script to package.json\n",
        "## Never\n\nconftest.py\n\n## Do\n\npackage.json\n",
        "Edit 'package.json'.",
        "Change package.json's name",
    ] {
        check(&told(task, ""), &[file], &[file]);
    }
    check(
        &step("Set DO_CONFTEST and no-conftest.", "pytest", ""),
        &["conftest.py"],
        &["conftest.py!"],
    );
}

#[test]
fn what_was_installed_is_nobodys_configuration() {
    let changed = [
        "node_modules/x/package.json",
        ".venv/lib/site-packages/x/conftest.py",
        "target/debug/build.rs",
    ];
    check(&contract("make test"), &changed, &[]);
    check(
        &contract(".venv/bin/pytest"),
        &[".venv/bin/pytest"],
        &[".venv/bin/pytest"],
    );
}

#[test]
fn without_a_contract_nothing_judges() {
    let mut step = contract("make");
    step.contract = None;
    check(&step, &["Makefile"], &[]);
}
