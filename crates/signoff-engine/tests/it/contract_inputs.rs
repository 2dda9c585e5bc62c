//! Which changed files have a say in the verdict.

use signoff_engine::{
    ChangeDetails, Changes, Displaced, LinkEnd, NamedFile, NamedSettings, SearchedFile,
    changed_inputs,
};
use signoff_plan::model::Step;

use crate::world::{plan_text, signed};

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
    check_in(
        std::slice::from_ref(step),
        step,
        &changes(changed),
        expected,
    );
}

fn changes(files: &[&str]) -> Changes {
    Changes {
        files: Some(files.iter().map(|path| (*path).to_owned()).collect()),
        ..Changes::default()
    }
}

/// The same in a plan of these steps.
#[track_caller]
fn check_in(plan: &[Step], step: &Step, changes: &Changes, expected: &[&str]) {
    let found = changed_inputs(plan, step, changes);
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
fn a_file_is_named_whatever_it_is_called_and_wherever_in_the_text() {
    let step = contract("test \"$(cat out 2>/dev/null)\" = \"$(cat expected)\"");
    check(
        &step,
        &["expected", "unexpected", "out"],
        &["expected", "out"],
    );
    check(
        &contract("cd data && cmp a b"),
        &["data/a", "c"],
        &["data/a"],
    );
    check(&contract("cmp a b"), &["data/a"], &[]);
}

#[test]
fn what_the_file_of_a_runner_names_is_reported() {
    let called = |command: &str| {
        let changes = Changes {
            details: Box::new(ChangeDetails {
                called: vec!["scripts/t.sh".to_owned()],
                ..ChangeDetails::default()
            }),
            ..changes(&["scripts/t.sh", "src/a.c"])
        };
        let step = contract(command);
        let found = changed_inputs(std::slice::from_ref(&step), &step, &changes);
        found.reads
    };
    assert_eq!(called("make test"), ["scripts/t.sh"]);
    assert_eq!(called("npm test"), ["scripts/t.sh"]);
    assert_eq!(called("test -s out"), [""; 0]);
}

#[test]
fn settings_of_a_program_that_no_list_knows_leave_the_step_unproved() {
    let settings = |contract: &str, produces: &str, file: &str| {
        let step = step("Do it.", contract, produces);
        let found = changed_inputs(std::slice::from_ref(&step), &step, &changes(&["out", file]));
        let named = found.settings.iter().map(|one| one.file.clone());
        let named: Vec<String> = named.collect();
        assert!(named.iter().all(|file| found.reads.contains(file)));
        named
    };
    for (command, file) in [
        ("yamllint .", ".yamllint"),
        ("cargo deny check", "deny.toml"),
        ("docker compose run test", "compose.override.yaml"),
    ] {
        assert_eq!(settings(command, "", file), [file]);
        assert_eq!(settings(command, file, file), [""; 0]);
    }
    // What the lists know is judged by them.
    assert_eq!(settings("ruff check .", "", "ruff.toml"), [""; 0]);
    assert_eq!(settings("cargo test", "", "Cargo.toml"), [""; 0]);
    assert_eq!(settings("test -s test.json", "", "test.json"), [""; 0]);
}

#[test]
fn settings_of_a_program_of_the_project_leave_the_step_unproved_unless_the_step_made_it() {
    let settings = |contract: &str, created: &[&str]| {
        let step = step("Do it.", contract, "");
        let mut changes = changes(&["shop.toml", "out"]);
        changes.details.created = created.iter().map(|&one| one.to_owned()).collect();
        let found = changed_inputs(std::slice::from_ref(&step), &step, &changes);
        let named = found.settings.into_iter().map(|one| one.program);
        named.collect::<Vec<_>>()
    };
    for contract in ["./shop check", "bash tools/shop.sh", "python3 shop.py"] {
        assert_eq!(settings(contract, &[]), ["shop"], "{contract}");
    }
    assert_eq!(settings("./shop check", &["shop"]), [""; 0]);
    assert_eq!(settings("./other check", &[]), [""; 0]);
}

#[test]
fn archives_of_the_runners_language_are_reported() {
    check(
        &contract("python3 check.py"),
        &["lib.zip", "lib.jar"],
        &["lib.zip", "lib.jar"][..1],
    );
    check(&contract("java Check"), &["x.jar", "x.whl"], &["x.jar"]);
    check(&contract("test -s out"), &["x.jar", "x.zip"], &[]);
}

#[test]
fn what_signed_scripts_say_counts_for_the_contract_that_runs_them() {
    let found = |contract: &str, produces: &str| {
        let step = step("Do it.", contract, produces);
        let mut changes = changes(&["expected", "first/spec.py", "docker.conf", "out"]);
        let file = |file: &str| file.to_owned();
        changes.details.named = vec![NamedFile {
            file: file("expected"),
            by: file("tools/check"),
        }];
        changes.details.searched = vec![SearchedFile {
            file: file("first/spec.py"),
            by: file("tools/check"),
        }];
        changes.details.settings = vec![NamedSettings {
            file: file("docker.conf"),
            program: file("docker"),
        }];
        let found = changed_inputs(std::slice::from_ref(&step), &step, &changes);
        (found.reads, found.searched.len(), found.settings.len())
    };
    let all = ["expected", "first/spec.py", "docker.conf"].map(str::to_owned);
    assert_eq!(found("bash tools/check", ""), (all.to_vec(), 1, 1));
    // Another step's script: nobody asks what that names, but what it would load.
    assert_eq!(found("test -s x", ""), (all[1..].to_vec(), 1, 1));
    let produced = found("bash tools/check", "expected, first/**, docker.conf");
    assert_eq!(produced, (Vec::new(), 0, 0));
}

#[test]
fn what_perl_and_ruby_read_by_themselves_fails() {
    check(&contract("prove t"), &[".proverc"], &[".proverc!"]);
    check(
        &contract("rake test"),
        &["rakefile", "rakelib/a.rake"],
        &["rakefile!", "rakelib/a.rake!"],
    );
    check(&contract("pipenv run test"), &["Pipfile"], &["Pipfile!"]);
    let created = |command: &str, file: &str| {
        let mut changes = changes(&["out.txt", file]);
        changes.details.created = vec![file.to_owned()];
        let step = contract(command);
        changed_inputs(std::slice::from_ref(&step), &step, &changes).shadows
    };
    assert_eq!(created("prove -l t", "lib/strict.pm"), ["lib/strict.pm"]);
    assert_eq!(
        created("make check", "t/lib/Test/More.pm"),
        ["t/lib/Test/More.pm"]
    );
    assert_eq!(created("prove -l t", "lib/Shop/Config.pm"), [""; 0]);
}

#[test]
fn a_class_beside_its_source_leaves_the_step_unproved() {
    let class = ("V.class", "V.java", true);
    check_displaced(
        &protecting("V.java", "javac A.java && java A"),
        class,
        &["V.class?"],
    );
    check_displaced(&protecting("V.java", "pytest"), class, &[]);
}

#[test]
fn what_git_ignores_counts_for_programs_that_search() {
    check(
        &contract("! rg -q TODO ."),
        &[".gitignore"],
        &[".gitignore!"],
    );
    check(&contract("ruff check ."), &[".gitignore"], &[".gitignore"]);
    check(&contract("test -s out"), &[".gitignore"], &[]);
}

#[test]
fn only_what_produces_names_is_only_reported() {
    for task in [
        "Add a fixture to conftest.py.",
        "Read `conftest.py` first.",
        "Keep `conftest.py` as it is.",
        "Repariere x. Lass die Finger von `conftest.py`.",
    ] {
        let file = "tests/conftest.py";
        check(&step(task, "pytest", ""), &[file], &["tests/conftest.py!"]);
        check(&step(task, "pytest", "tests/**"), &[file], &[file]);
    }
    check(
        &step("Do it.", "pytest", "tests/**, *.toml"),
        &["tests/conftest.py", "pyproject.toml", "tox.ini"],
        &["tests/conftest.py", "pyproject.toml", "tox.ini!"],
    );
    // The call that a person signed says what it writes.
    let body = "**tool:** write_file\n**args:**\n```json\n{\"path\": \"./conftest.py\", \"content\": \"\"}\n```\n**contract:**\n```shell\npytest\n```\n";
    let write = signed(&plan_text(&[body])).plan().steps[0].clone();
    check(
        &write,
        &["conftest.py", "tox.ini"],
        &["conftest.py", "tox.ini!"],
    );
}

#[test]
fn a_step_plants_nothing_for_the_contract_of_another() {
    let notes = contract("test -s notes.txt");
    let no_contract = Step {
        contract: None,
        ..notes.clone()
    };
    let plan = [
        notes.clone(),
        no_contract.clone(),
        contract("cd app && python3 -m unittest"),
    ];
    let planted = changes(&[
        "conftest.py",
        "unittest.py",
        "app/json.py",
        "lib/json.py",
        "test_x.py",
    ]);
    let expected = ["conftest.py!", "unittest.py!", "app/json.py!"];
    check_in(&plan, &notes, &planted, &expected);
    check_in(&plan, &no_contract, &planted, &expected);
    check_in(&plan[..2], &notes, &planted, &[]);
    let given = [notes.clone(), contract("npx jest --config ci/jest.json")];
    check_in(
        &given,
        &notes,
        &changes(&["ci/jest.json"]),
        &["ci/jest.json!"],
    );
    let told = step("Write notes.", "test -s notes.txt", "conftest.py");
    check_in(&plan, &told, &changes(&["conftest.py"]), &["conftest.py"]);
}

#[test]
fn the_runner_is_shadowed_wherever_python_may_be_started() {
    let known = |path: &str, is_loose: bool| {
        let list = vec![path.to_owned()];
        Changes {
            details: Box::new(ChangeDetails {
                loose_modules: if is_loose { list.clone() } else { Vec::new() },
                new_modules: list,
                ..ChangeDetails::default()
            }),
            ..changes(&[path])
        }
    };
    for command in [
        "make test",
        "./check.sh",
        "D=app; cd \"$D\" && python3 -m unittest",
        "f() { cd \"$1\" && python3 -m unittest; }; f app",
        "for d in app; do (cd $d && python3 -m unittest) || exit 1; done",
        "cd ap*; python3 -m unittest",
        "cd \"$(dirname app/x.py)\" && python3 -m unittest",
        "PYTHONPATH=$D python3 -m unittest",
        "bash -c 'cd $D && python3 -m unittest'",
    ] {
        let step = contract(command);
        let plan = std::slice::from_ref(&step);
        check_in(
            plan,
            &step,
            &known("app/unittest.py", true),
            &["app/unittest.py!"],
        );
        check_in(
            plan,
            &step,
            &known("app/unittest.py", false),
            &["app/unittest.py!"],
        );
        check_in(plan, &step, &known("app/json.py", true), &["app/json.py!"]);
        check_in(plan, &step, &known("app/json.py", false), &[]);
    }
    let step = contract("python3 -m unittest");
    let plan = std::slice::from_ref(&step);
    check_in(
        plan,
        &step,
        &known("app/pluggy.py", false),
        &["app/pluggy.py!"],
    );
    check_in(plan, &step, &known("app/json.py", true), &[]);
    // Named like a package that is installed.
    check_in(plan, &step, &known("hamcrest.py", true), &["hamcrest.py!"]);
    check_in(plan, &step, &known("app/hamcrest.py", true), &[]);
    let rust = contract("cargo test");
    check_in(
        std::slice::from_ref(&rust),
        &rust,
        &known("app/unittest.py", true),
        &[],
    );
}

#[test]
fn what_hides_a_module_fails_where_python_runs() {
    let hides = |path: &str| Changes {
        details: Box::new(ChangeDetails {
            hides: vec![path.to_owned()],
            ..ChangeDetails::default()
        }),
        ..changes(&[path])
    };
    for path in ["test_x/__init__.py", "__pycache__/test_x.cpython-311.pyc"] {
        let python = contract("python3 -m unittest test_x");
        let refused = format!("{path}!");
        check_in(
            std::slice::from_ref(&python),
            &python,
            &hides(path),
            &[&refused],
        );
        let named = step("Do it.", "python3 -m unittest test_x", path);
        check_in(std::slice::from_ref(&named), &named, &hides(path), &[path]);
        let rust = contract("cargo test");
        check_in(std::slice::from_ref(&rust), &rust, &hides(path), &[]);
    }
}

#[test]
fn a_directory_that_the_contract_names_is_read_with_all_in_it() {
    for command in [
        "run-parts checks.d",
        "run-parts --exit-on-error ./checks.d/",
        "cat checks.d/a",
    ] {
        check(
            &contract(command),
            &["checks.d/a", "other/a"],
            &["checks.d/a"],
        );
    }
    check(
        &contract("bats checks"),
        &["checks/sub/a.bats", "x"],
        &["checks/sub/a.bats"],
    );
}

#[test]
fn well_known_settings_are_known() {
    for (command, file) in [
        ("pytest", "evil-1.dist-info/entry_points.txt"),
        ("pytest", "src/evil.egg-info/entry_points.txt"),
        ("python3 -m unittest", "lib/x.pth"),
        ("pytest", "pytest.toml"),
        ("shellcheck s.sh", ".shellcheckrc"),
        ("node --test test/", "test/node_modules/dep/index.js"),
        ("node --test", "node_modules"),
        ("npm test", ".yarn/releases/yarn.cjs"),
        ("npx mocha", ".mocharc.json"),
        ("npm test", ".npmrc"),
        ("go test ./...", "go.work"),
        ("golangci-lint run", ".golangci.yml"),
        ("mvn test", ".mvn/extensions.xml"),
        ("./gradlew test", "gradle.properties"),
        ("vendor/bin/phpunit", "phpunit.xml.dist"),
        ("cargo test", ".cargo/config"),
        ("cargo fmt --check", "rustfmt.toml"),
        ("git diff --check HEAD~1", ".gitattributes"),
        ("npx eslint .", ".eslintignore"),
        ("npx prettier --check .", ".prettierignore"),
        ("rg TODO", "src/.rgignore"),
        ("rg TODO", ".ignore"),
        ("dotnet test", "Directory.Build.props"),
        ("dotnet test", "src/ci.runsettings"),
        ("dotnet format --verify-no-changes", ".editorconfig"),
        ("yarn test", ".yarn/y.cjs"),
        ("yarn test", ".yarnrc.yml"),
        ("pytest", ".tool-versions"),
        ("ctest", "CMakePresets.json"),
        ("node --test", "node.config.json"),
        ("npx react-scripts test", "src/setupTests.ts"),
        ("npx cypress run", "cypress/support/e2e.ts"),
        ("behave", "features/environment.py"),
        ("shellspec", "spec/spec_helper.sh"),
        ("bazel test //...", "tools/bazel"),
        ("bazel test //...", "user.bazelrc"),
        ("dotnet test", "MSBuild.rsp"),
        ("dotnet test", "a/App.testconfig.json"),
        ("lein test", "profiles.clj"),
        ("clojure -M:test", "src/user.clj"),
        ("swift test", "Package@swift-6.0.swift"),
        ("cabal test", "cabal.project.local"),
        ("dart test", "dart_test.yaml"),
        ("Rscript tests/all.R", ".Rprofile"),
        ("julia test/runtests.jl", "LocalPreferences.toml"),
        ("mix test", "test/test_helper.exs"),
        ("terraform plan", "evil_override.tf"),
        ("ansible-playbook site.yml", "callback_plugins/x.py"),
        ("scons check", "site_scons/site_init.py"),
        ("docker compose run test", "docker-compose.override.yml"),
        ("nim c -r test.nim", "config.nims"),
        ("mvn test", "lombok.config"),
    ] {
        check(&contract(command), &[file], &[&format!("{file}!")]);
    }
    for (command, file) in [
        ("mix test", "config/test.exs"),
        ("mix test", "apps/shop/config/test.exs"),
        ("sbt test", "project/Build.scala"),
        ("sbt test", "build.sbt"),
        ("gradle test", "gradle/libs.versions.toml"),
        ("npx jest", "__mocks__/fs.js"),
        ("npx jest", ".babelrc.json"),
        ("bun test", ".env.local"),
        ("just test", ".env"),
        ("ansible-playbook site.yml", "group_vars/all.yml"),
    ] {
        check(&contract(command), &[file, "lib/config.exs"], &[file]);
    }
}

#[test]
fn what_was_installed_is_nobodys_configuration() {
    let changed = [
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
fn without_any_contract_nothing_judges() {
    let mut step = contract("make");
    step.contract = None;
    check(&step, &["Makefile"], &[]);
}

/// These changes where links lead to files or directories.
fn linked(files: &[&str], links: &[(&str, &str)]) -> Changes {
    let link = |(link, end): &(&str, &str)| LinkEnd {
        link: (*link).to_owned(),
        end: (*end).to_owned(),
    };
    Changes {
        details: Box::new(ChangeDetails {
            links: links.iter().map(link).collect(),
            ..ChangeDetails::default()
        }),
        ..changes(files)
    }
}

#[test]
fn a_file_is_judged_by_every_name_that_links_give_to_it() {
    let check = |step: &Step, files: &[&str], links: &[(&str, &str)], expected: &[&str]| {
        check_in(
            std::slice::from_ref(step),
            step,
            &linked(files, links),
            expected,
        );
    };
    let diff = contract("diff expected.txt out.txt");
    let base = [("expected.txt", "data/expected.txt")];
    check(&diff, &["data/expected.txt"], &base, &["data/expected.txt"]);
    let cargo = contract("cargo test");
    let new = [(".cargo", "cfg")];
    check(
        &cargo,
        &[".cargo", "cfg/config.toml"],
        &new,
        &[".cargo!", "cfg/config.toml!"],
    );
    // What it leads to may have been there before.
    check(&cargo, &[".cargo"], &new, &[".cargo!"]);
    check(&contract("npm test"), &[".cargo"], &new, &[]);
    check(
        &contract("diff data/a b"),
        &["data"],
        &[("data", "x")],
        &["data"],
    );
    // `produces` names files, and links that were there before.
    let ini = step("Do it.", "pytest", "pytest.ini");
    let link = [("pytest.ini", "ci/pytest.ini")];
    check(&ini, &["ci/pytest.ini"], &link, &["ci/pytest.ini"]);
    let wide = step("Do it.", "pytest", "src/**");
    check(
        &wide,
        &["src/x", "tests/conftest.py"],
        &[("src/x", "tests")],
        &["tests/conftest.py!"],
    );
}

#[test]
fn letter_case_does_not_hide_an_installed_plugin() {
    for file in ["EVIL-1.DIST-INFO/METADATA", "evil.EGG-INFO/PKG-INFO"] {
        check(&contract("pytest"), &[file], &[&format!("{file}!")]);
    }
}

#[test]
fn a_manifest_that_selects_tests_fails() {
    let selects = |list: &[&str]| Changes {
        details: Box::new(ChangeDetails {
            selects: list.iter().map(|&file| file.to_owned()).collect(),
            ..ChangeDetails::default()
        }),
        ..changes(&["Cargo.toml"])
    };
    let cargo = contract("cargo test");
    let plan = std::slice::from_ref(&cargo);
    check_in(plan, &cargo, &selects(&["Cargo.toml"]), &["Cargo.toml!"]);
    check_in(plan, &cargo, &selects(&[]), &["Cargo.toml"]);
    let named = step("Do it.", "cargo test", "Cargo.toml");
    let plan = std::slice::from_ref(&named);
    check_in(plan, &named, &selects(&["Cargo.toml"]), &["Cargo.toml"]);
    let other = contract("pytest");
    let plan = std::slice::from_ref(&other);
    check_in(plan, &other, &selects(&["Cargo.toml"]), &[]);
}

#[test]
fn everyday_files_count_only_for_whoever_calls_the_program() {
    for file in [".gitattributes", ".ignore", ".editorconfig"] {
        check(&contract("make test"), &[file], &[]);
    }
}

#[test]
fn a_new_file_apart_from_every_runner_is_only_told() {
    let added = |file: &str, is_apart: bool| {
        let list = vec![file.to_owned()];
        Changes {
            details: Box::new(ChangeDetails {
                apart: if is_apart { list.clone() } else { Vec::new() },
                added: list,
                ..ChangeDetails::default()
            }),
            ..changes(&[file])
        }
    };
    let check = |command: &str, file: &str, is_apart: bool, fails: bool| {
        let step = contract(command);
        let told = format!("{file}{}", if fails { "!" } else { "" });
        check_in(
            std::slice::from_ref(&step),
            &step,
            &added(file, is_apart),
            &[&told],
        );
    };
    for (command, file) in [
        ("make -s test", "docs/Makefile"),
        ("make -s test", "examples/demo/package.json"),
        ("make -s test", "examples/demo/build.rs"),
        (
            "python3 -m pytest tests",
            "tests/fixtures/proj/pyproject.toml",
        ),
    ] {
        check(command, file, true, false);
        check(command, file, false, true);
    }
    check("cd docs && make", "docs/Makefile", true, true);
    check("make -C docs", "docs/Makefile", true, true);
    check("pytest tests/a/b", "tests/a/pytest.ini", true, true);
    check("make test", "tests/a/pyproject.toml", true, true);
    check("ruff check . && pytest", "x/pyproject.toml", true, true);
    // Go takes all modules from there once there is one.
    check("go test ./...", "vendor/modules.txt", false, true);
    let go = contract("go test ./...");
    let renewed = changes(&["vendor/modules.txt"]);
    check_in(
        std::slice::from_ref(&go),
        &go,
        &renewed,
        &["vendor/modules.txt"],
    );
}

#[test]
fn what_a_loop_over_files_runs_is_told() {
    for command in [
        "for f in scripts/*.sh; do bash \"$f\" || exit 1; done",
        "ls scripts/*.sh | xargs -n1 bash",
        "git ls-files 'scripts/*.sh' | while read f; do bash $f || exit 1; done",
        "find scripts -name '*.sh' -exec bash {} \\;",
    ] {
        check(
            &contract(command),
            &["scripts/a.sh", "src/a.rs"],
            &["scripts/a.sh"],
        );
    }
}

/// What a new file does that is found before another one: `file!` fails, `file?` leaves the step unproved, `file` is reported.
#[track_caller]
fn check_displaced(step: &Step, (file, hides, maybe): (&str, &str, bool), expected: &[&str]) {
    let mut changes = changes(&["out.txt", file]);
    changes.details.created = vec!["out.txt".to_owned(), file.to_owned()];
    changes.details.displaces = vec![Displaced {
        file: file.to_owned(),
        hides: hides.to_owned(),
        maybe,
    }];
    let found = changed_inputs(std::slice::from_ref(step), step, &changes);
    let fails = found.shadows.iter().map(|path| format!("{path}!"));
    let doubtful = found.doubtful.iter().map(|one| format!("{}?", one.file));
    let told: Vec<String> = fails.chain(doubtful).collect();
    assert_eq!(told, expected, "{:?} {:?}", step.contract, step.protects);
    assert!(told.is_empty() || found.reads.iter().any(|path| path == file));
}

/// A step whose `protects` are these.
fn protecting(protects: &str, contract: &str) -> Step {
    let body = format!(
        "**target:** coder\n**task:** Do it.\n**protects:** {protects}\n**contract:**\n```shell\n{contract}\n```\n"
    );
    signed(&plan_text(&[&body])).plan().steps[0].clone()
}

#[test]
fn a_new_file_that_is_found_before_a_protected_one_fails() {
    let helper = ("helper", "helper.js", false);
    for command in [
        "node check.js",
        "npm test",
        "node --test test.js",
        "make check",
    ] {
        check_displaced(&protecting("helper.js", command), helper, &["helper!"]);
    }
    check_displaced(
        &protecting("spec/**", "npm test"),
        ("spec.js", "spec/index.js", false),
        &["spec.js!"],
    );
    check_displaced(&contract("node helper.js"), helper, &["helper!"]);
    check_displaced(
        &protecting("lib/**", "prove t"),
        ("lib/A.pmc", "lib/A.pm", false),
        &["lib/A.pmc!"],
    );
    // Nothing that the contract loads, nothing that anybody relies on, and what the step says that it makes.
    check_displaced(&protecting("helper.js", "pytest"), helper, &[]);
    check_displaced(&contract("pytest"), helper, &[]);
    check_displaced(&step("Do it.", "node helper.js", "helper"), helper, &[]);
}

#[test]
fn a_new_file_that_may_be_found_before_a_protected_one_leaves_the_step_unproved() {
    let module = ("spec/__init__.py", "lib/spec.py", true);
    check_displaced(
        &protecting("lib/**", "python3 -m unittest"),
        module,
        &["spec/__init__.py?"],
    );
    let header = ("tests/spec.h", "include/spec.h", true);
    check_displaced(
        &protecting("include/**", "cc -Iinclude a.c"),
        header,
        &["tests/spec.h?"],
    );
    check_displaced(
        &protecting("lib.sh", "bash check.sh"),
        ("lib", "lib.sh", true),
        &["lib?"],
    );
    // Nobody protects what was there, but whoever asks for it gets the new one.
    for (command, displaced) in [
        ("node --test", ("want.js", "want.json", true)),
        ("node --test", ("want.js", "want/index.js", false)),
        ("mypy .", ("lib.pyi", "lib.py", true)),
    ] {
        let expected = format!("{}?", displaced.0);
        check_displaced(&contract(command), displaced, &[&expected]);
    }
    check_displaced(&contract("pytest"), ("lib.pyi", "lib.py", true), &[]);
    check_displaced(&contract("sh c.sh"), ("lib", "lib.sh", true), &[]);
    check_displaced(
        &protecting("libcheck.a", "gcc t.c -L. -lcheck"),
        ("libcheck.so", "libcheck.a", false),
        &["libcheck.so!"],
    );
    check_displaced(
        &protecting("pkg/test_a.py", "python3 -m unittest pkg.test_a"),
        ("pkg/__init__.py", "pkg/test_a.py", true),
        &["pkg/__init__.py?"],
    );
    check_displaced(&protecting("lib/**", "cargo test"), module, &[]);
    check_displaced(&contract("python3 -m unittest"), module, &[]);
}

#[test]
fn what_is_named_by_braces_patterns_variables_or_a_search_is_reported() {
    for command in [
        "cmp -s {expected,out}.txt",
        "diff \"$(ls exp*.txt)\" out.txt",
        "F=expected; diff $F.txt out.txt",
        "F=expected; diff \"${F}.txt\" out.txt",
        "cat e[x]pected.t?t | cmp - out.txt",
    ] {
        check(
            &contract(command),
            &["expected.txt", "src/a.rs"],
            &["expected.txt"],
        );
    }
    for command in [
        "cat exp/* | diff - out.txt",
        "find exp -name '*.txt' -exec diff {} out.txt \\;",
        "D=exp; cat $D/a.txt",
        "grep -rq GOOD exp",
    ] {
        check(
            &contract(command),
            &["exp/a.txt", "src/a.rs"],
            &["exp/a.txt"],
        );
    }
    check(
        &contract("F=check; bash $F.sh"),
        &["check.sh"],
        &["check.sh"],
    );
    // What the step is to change, and what was not there.
    check(
        &step("Write expected.txt.", "cmp {expected,out}.txt", ""),
        &["expected.txt"],
        &[],
    );
    check(
        &step("Do it.", "cmp {expected,out}.txt", "expected.txt"),
        &["expected.txt"],
        &[],
    );
    let mut new = changes(&["expected.txt"]);
    new.details.created = vec!["expected.txt".to_owned()];
    let one = contract("cmp {expected,out}.txt");
    check_in(std::slice::from_ref(&one), &one, &new, &[]);
    check(&contract("test \"$x\" = 1; exit $?"), &["src/a.rs"], &[]);
}

#[test]
fn a_new_file_that_an_unquoted_pattern_means_leaves_the_step_unproved() {
    let unquoted = |command: &str, created: &[&str]| {
        let mut changes = changes(&["out.txt", "TODO-nothing", "src/TODO"]);
        changes.details.created = created.iter().map(|&one| one.to_owned()).collect();
        let step = contract(command);
        let found = changed_inputs(std::slice::from_ref(&step), &step, &changes);
        assert!(found.unquoted.iter().all(|one| found.reads.contains(one)));
        found.unquoted
    };
    let both = ["TODO-nothing", "src/TODO"];
    assert_eq!(unquoted("! grep -q TODO* app.py", &both), both[..1]);
    assert_eq!(unquoted("cd src && ! grep -q TODO* a.py", &both), both);
    assert_eq!(unquoted("! grep -q TODO* app.py", &[]), [""; 0]);
    assert_eq!(unquoted("! grep -q 'TODO*' app.py", &both), [""; 0]);
}

#[test]
fn what_make_remakes_its_own_files_from_fails() {
    let all = [
        "Makefile.sh",
        "rules.mk.c",
        "RCS/Makefile,v",
        "SCCS/s.Makefile",
        "s.makefile",
        "verify.sh",
        "Makefile.toml",
    ];
    check(
        &contract("make check"),
        &all,
        &[
            "Makefile.sh!",
            "rules.mk.c!",
            "RCS/Makefile,v!",
            "SCCS/s.Makefile!",
            "s.makefile!",
        ],
    );
    check(&contract("pytest"), &all, &[]);
}
