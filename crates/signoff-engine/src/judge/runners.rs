//! Which kinds of runners a contract calls.

/// A kind of runner, by the files it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    JavaScript,
    Rust,
    Go,
    Ruby,
    Java,
    CMake,
    Make,
}

/// The runners that a contract calls.
#[derive(Debug, Default)]
pub(super) struct Runners {
    families: Vec<Family>,
    /// It calls something that may call any of them.
    any: bool,
}

impl Runners {
    pub(super) fn of<'a>(commands: impl Iterator<Item = &'a str>, text: &str) -> Self {
        let mut found = Self::default();
        for command in commands {
            let name = command.rsplit('/').next().unwrap_or(command);
            let family = family(name);
            // A script of the tree, or one that a shell or a make file runs.
            let script = family.is_none() && command.contains('/');
            found.any |= script || INDIRECT.contains(&name);
            found.families.extend(family);
        }
        // What the text makes up while it runs is not known.
        found.any |= text.split_whitespace().any(|word| word == "eval");
        found
    }

    pub(super) fn is_none(&self) -> bool {
        self.families.is_empty() && !self.any
    }

    pub(super) fn include(&self, family: Family) -> bool {
        self.any || self.families.contains(&family)
    }
}

const INDIRECT: [&str; 14] = [
    "make",
    "gmake",
    "just",
    "task",
    "rake",
    "bash",
    "sh",
    "dash",
    "zsh",
    "tox",
    "nox",
    "bazel",
    "ninja",
    "pre-commit",
];

fn family(name: &str) -> Option<Family> {
    // `python3.12`, `pytest-3`
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    Some(match stem {
        "pytest" | "py.test" | "python" | "tox" | "nox" | "poetry" | "uv" | "uvx" | "pipenv"
        | "hatch" | "pdm" | "coverage" | "mypy" | "ruff" | "flake" | "pylint" | "pyright" => {
            Family::Python
        }
        "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "bun" | "bunx" | "node" | "deno" | "jest"
        | "vitest" | "mocha" | "ava" | "karma" | "playwright" | "cypress" | "tsc" | "eslint"
        | "turbo" | "nx" => Family::JavaScript,
        "cargo" | "cargo-nextest" | "rustc" => Family::Rust,
        "go" | "gotestsum" => Family::Go,
        "rspec" | "bundle" | "rake" | "ruby" | "minitest" => Family::Ruby,
        "mvn" | "mvnw" | "gradle" | "gradlew" | "java" | "ant" => Family::Java,
        "ctest" | "cmake" => Family::CMake,
        "make" | "gmake" | "just" | "task" => Family::Make,
        _ => return None,
    })
}
