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
    Php,
    Shell,
    Perl,
    C,
    Dotnet,
    Clojure,
    Swift,
    Haskell,
    Dart,
    R,
    Julia,
    Elixir,
    Terraform,
    Ansible,
    Scons,
    /// Containers that a file describes.
    Compose,
    Nim,
    /// Git itself: what it counts as text, and what it compares.
    Git,
    /// Programs that search a tree.
    Search,
    /// `dotnet format`, which takes its rules from a file that editors read too.
    Format,
}

impl Family {
    /// Its files are everyday work, unless the contract itself calls it.
    fn is_called_by_name(self) -> bool {
        matches!(self, Self::Git | Self::Search | Self::Format)
    }
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
            if name == "dotnet" {
                found.families.push(Family::Format);
            }
        }
        // What the text makes up while it runs is not known.
        found.any |= text.split_whitespace().any(|word| word == "eval");
        found
    }

    /// All that are known.
    pub(super) fn any() -> Self {
        Self {
            families: Vec::new(),
            any: true,
        }
    }

    /// Whether the contract calls what may call anything, from anywhere.
    pub(super) fn is_any(&self) -> bool {
        self.any
    }

    pub(super) fn is_none(&self) -> bool {
        self.families.is_empty() && !self.any
    }

    pub(super) fn include(&self, family: Family) -> bool {
        (self.any && !family.is_called_by_name()) || self.families.contains(&family)
    }
}

/// Programs that run what other files say.
const INDIRECT: [&str; 15] = [
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
    "run-parts",
];

/// Is this the name of a program or module that runs tests or checks, or that calls those?
pub(crate) fn is_runner(name: &str) -> bool {
    family(name).is_some() || INDIRECT.contains(&name)
}

fn family(name: &str) -> Option<Family> {
    // `python3.12`, `pytest-3`
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    Some(match stem {
        "pytest" | "py.test" | "python" | "tox" | "nox" | "poetry" | "uv" | "uvx" | "pipenv"
        | "hatch" | "pdm" | "coverage" | "mypy" | "ruff" | "flake" | "pylint" | "pyright"
        | "nose" | "nosetests" | "behave" | "hypothesis" | "pypy" => Family::Python,
        "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "bun" | "bunx" | "node" | "deno" | "jest"
        | "vitest" | "mocha" | "ava" | "karma" | "playwright" | "cypress" | "tsc" | "eslint"
        | "turbo" | "nx" | "prettier" | "nyc" | "c8" | "tap" | "biome" | "wdio"
        | "react-scripts" => Family::JavaScript,
        "cargo" | "cargo-nextest" | "rustc" | "rustfmt" | "clippy-driver" => Family::Rust,
        "go" | "gotestsum" | "golangci-lint" => Family::Go,
        "rspec" | "rubocop" | "bundle" | "rake" | "ruby" | "minitest" => Family::Ruby,
        "mvn" | "mvnw" | "gradle" | "gradlew" | "java" | "javac" | "ant" | "kotlinc" | "scalac"
        | "sbt" => Family::Java,
        "ctest" | "cmake" => Family::CMake,
        "make" | "gmake" | "just" | "task" => Family::Make,
        "php" | "phpunit" | "pest" | "composer" | "phpstan" | "psalm" => Family::Php,
        "shellcheck" | "bats" | "shellspec" => Family::Shell,
        "perl" | "prove" => Family::Perl,
        "cc" | "c++" | "gcc" | "g++" | "clang" | "clang++" | "tcc" => Family::C,
        "dotnet" | "msbuild" => Family::Dotnet,
        "clojure" | "clj" | "lein" | "bb" => Family::Clojure,
        "swift" | "swiftc" | "xcodebuild" => Family::Swift,
        "cabal" | "stack" | "ghc" | "ghci" | "runghc" => Family::Haskell,
        "dart" | "flutter" => Family::Dart,
        "R" | "Rscript" => Family::R,
        "julia" => Family::Julia,
        "mix" | "elixir" => Family::Elixir,
        "terraform" | "tofu" | "terragrunt" => Family::Terraform,
        "ansible" | "ansible-playbook" | "ansible-test" | "molecule" => Family::Ansible,
        "scons" => Family::Scons,
        "docker" | "docker-compose" | "podman" | "podman-compose" => Family::Compose,
        "nim" | "nimble" | "testament" => Family::Nim,
        "git" => Family::Git,
        "rg" | "ag" | "fd" | "fdfind" => Family::Search,
        _ => return None,
    })
}
