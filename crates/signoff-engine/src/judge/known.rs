//! Files that test runners read without being told to.

use signoff_plan::glob;

use super::runners::{Family, Runners};

/// What a file is to a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It decides what the runner does.
    Configures,
    /// The contract reads it; changing it is everyday work.
    Read,
}

struct Known {
    family: Family,
    role: Role,
    /// Patterns over the file's name; with a `/` over the end of its path.
    names: &'static [&'static str],
}

const fn configures(family: Family, names: &'static [&'static str]) -> Known {
    Known {
        family,
        role: Role::Configures,
        names,
    }
}

const fn read(family: Family, names: &'static [&'static str]) -> Known {
    Known {
        family,
        role: Role::Read,
        names,
    }
}

/// First match wins: `conftest.py` in a folder of tests configures.
///
/// Manifests that every new source file or dependency changes and that hold little of the runner
/// (`Cargo.toml`, `go.mod`, `pom.xml`, `CMakeLists.txt`, …) are only reported: what they can switch
/// off shows in the number of tests. `package.json` and `pyproject.toml` hold the very command or
/// options that are run.
const KNOWN: [Known; 14] = [
    configures(
        Family::Python,
        &[
            "conftest.py",
            "pyproject.toml",
            "pytest.ini",
            ".pytest.ini",
            "tox.ini",
            "setup.cfg",
            "noxfile.py",
            ".coveragerc",
            "sitecustomize.py",
            "usercustomize.py",
            "mypy.ini",
            ".mypy.ini",
            "ruff.toml",
            ".ruff.toml",
            ".flake8",
            ".pylintrc",
        ],
    ),
    configures(
        Family::JavaScript,
        &[
            "package.json",
            "jest.config.*",
            "jest.setup.*",
            "vitest.config.*",
            "vitest.setup.*",
            "vitest.workspace.*",
            ".mocharc",
            ".mocharc.*",
            "karma.conf.*",
            "playwright.config.*",
            "cypress.config.*",
            "ava.config.*",
            "eslint.config.*",
            ".eslintrc",
            ".eslintrc.*",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.yml",
            "bunfig.toml",
        ],
    ),
    configures(
        Family::Rust,
        &[
            "build.rs",
            ".cargo/config.toml",
            ".cargo/config",
            ".config/nextest.toml",
            "rust-toolchain",
            "rust-toolchain.toml",
            "clippy.toml",
            ".clippy.toml",
        ],
    ),
    configures(
        Family::Make,
        &[
            "Makefile",
            "makefile",
            "GNUmakefile",
            "*.mk",
            "justfile",
            "Justfile",
            ".justfile",
            "Taskfile.yml",
            "Taskfile.yaml",
        ],
    ),
    configures(
        Family::Ruby,
        &[
            ".rspec",
            ".rspec-local",
            "Rakefile",
            "spec_helper.rb",
            "rails_helper.rb",
        ],
    ),
    configures(
        Family::Java,
        &[
            "junit-platform.properties",
            ".mvn/maven.config",
            ".mvn/jvm.config",
        ],
    ),
    configures(
        Family::CMake,
        &[
            "CTestConfig.cmake",
            "CTestCustom.cmake",
            "CTestTestfile.cmake",
        ],
    ),
    read(
        Family::Python,
        &[
            "setup.py",
            "requirements*.txt",
            "test_*.py",
            "*_test.py",
            "tests.py",
        ],
    ),
    read(
        Family::JavaScript,
        &[
            "*.test.*",
            "*.spec.*",
            "*.cy.*",
            "tsconfig.json",
            "tsconfig.*.json",
            "vite.config.*",
            "babel.config.*",
            ".babelrc",
        ],
    ),
    read(Family::Rust, &["Cargo.toml"]),
    read(Family::CMake, &["CMakeLists.txt"]),
    read(Family::Go, &["go.mod", "go.work", "*_test.go"]),
    read(Family::Ruby, &["Gemfile", "*_spec.rb", "*_test.rb"]),
    read(
        Family::Java,
        &[
            "pom.xml",
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "gradle.properties",
            "*Test.java",
            "*Tests.java",
            "*IT.java",
            "*Test.kt",
            "*Tests.kt",
        ],
    ),
];

/// Everything below is a test or its data, whatever it is called.
const TEST_FOLDERS: [&str; 6] = ["tests", "test", "spec", "specs", "__tests__", "testdata"];

/// Everything below was installed or built: thousands of files that are nobody's configuration.
const MADE: [&str; 8] = [
    "node_modules",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    "site-packages",
    "__pycache__",
    "target",
];

/// What a changed file is to a contract that calls these runners.
pub(super) fn role(path: &str, runners: &Runners) -> Option<Role> {
    if runners.is_none() {
        return None;
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|folder| MADE.contains(&folder)) {
        return None;
    }
    let known = KNOWN.iter().find(|known| {
        runners.include(known.family) && known.names.iter().any(|wanted| is(wanted, path, name))
    });
    let in_tests = folders
        .split('/')
        .any(|folder| TEST_FOLDERS.contains(&folder));
    match known {
        Some(known) => Some(known.role),
        None => in_tests.then_some(Role::Read),
    }
}

fn is(wanted: &str, path: &str, name: &str) -> bool {
    if !wanted.contains('/') {
        return glob::matches(wanted, name);
    }
    path.strip_suffix(wanted)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}
