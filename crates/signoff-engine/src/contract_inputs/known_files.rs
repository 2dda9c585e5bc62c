//! Files that test runners read by themselves.

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

struct KnownFiles {
    family: Family,
    role: Role,
    /// Patterns over the file's name; with a `/` over the end of its path; with `/**` at its end over a
    /// directory that the file is in.
    names: &'static [&'static str],
}

const fn configures(family: Family, names: &'static [&'static str]) -> KnownFiles {
    KnownFiles {
        family,
        role: Role::Configures,
        names,
    }
}

const fn read(family: Family, names: &'static [&'static str]) -> KnownFiles {
    KnownFiles {
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
/// options that are run. What is installed is seldom versioned: a part of it that is was put there to
/// be found before the rest.
const KNOWN: [KnownFiles; 42] = [
    configures(
        Family::Python,
        &[
            "conftest.py",
            "pyproject.toml",
            "pytest.ini",
            ".pytest.ini",
            "pytest.toml",
            ".pytest.toml",
            "tox.ini",
            "tox.toml",
            "setup.cfg",
            "noxfile.py",
            ".coveragerc",
            ".noserc",
            "nose.cfg",
            "nose2.cfg",
            "unittest.cfg",
            "features/environment.py",
            "sitecustomize.py",
            "usercustomize.py",
            "*.pth",
            "*.egg-link",
            "*.dist-info/**",
            "*.egg-info/**",
            "pyvenv.cfg",
            ".python-version",
            ".tool-versions",
            "mypy.ini",
            ".mypy.ini",
            "ruff.toml",
            ".ruff.toml",
            ".flake8",
            ".pylintrc",
            "pylintrc",
            "pyrightconfig.json",
            "ty.toml",
            "uv.toml",
            "hatch.toml",
            "poetry.toml",
            "pixi.toml",
            "Pipfile",
            "pdm.toml",
            ".pdm.toml",
            "mise.toml",
            ".mise.toml",
            ".prototools",
        ],
    ),
    configures(
        Family::JavaScript,
        &[
            "package.json",
            "node_modules/**",
            "jest.config.*",
            "jest.setup.*",
            "jest.preset.*",
            "jest-preset.*",
            "vitest.config.*",
            "vitest.setup.*",
            "vitest.workspace.*",
            ".mocharc",
            ".mocharc.*",
            "karma.conf.*",
            "playwright.config.*",
            "cypress.config.*",
            "cypress/support/**",
            "src/setupTests.*",
            ".env.test",
            ".env.test.*",
            "npm-shrinkwrap.json",
            "import_map.json",
            "ava.config.*",
            "jasmine.json",
            ".taprc",
            ".nycrc",
            ".nycrc.*",
            "nyc.config.*",
            "wdio.conf.*",
            "web-test-runner.config.*",
            "eslint.config.*",
            ".eslintrc",
            ".eslintrc.*",
            ".eslintignore",
            ".prettierrc",
            ".prettierrc.*",
            "prettier.config.*",
            ".prettierignore",
            "node.config.json",
            "biome.json",
            "biome.jsonc",
            ".npmrc",
            ".yarnrc",
            ".yarnrc.*",
            ".yarn/**",
            ".pnp.*",
            ".pnpmfile.*",
            "bunfig.toml",
            "deno.json",
            "deno.jsonc",
            "turbo.json",
            "nx.json",
            "lerna.json",
            "pnpm-workspace.yaml",
            "testem.*",
            "codecept.conf.*",
            "mise.toml",
            ".mise.toml",
            ".prototools",
            ".nvmrc",
            ".node-version",
            ".tool-versions",
        ],
    ),
    configures(
        Family::Rust,
        &[
            "build.rs",
            ".cargo/config.toml",
            ".cargo/config",
            ".config/nextest.toml",
            "nextest.toml",
            "rust-toolchain",
            "rust-toolchain.toml",
            "clippy.toml",
            ".clippy.toml",
            "rustfmt.toml",
            ".rustfmt.toml",
        ],
    ),
    configures(
        Family::Go,
        &[
            "go.work",
            ".golangci.*",
            ".tool-versions",
            "mise.toml",
            ".mise.toml",
        ],
    ),
    configures(
        Family::Make,
        &[
            "Makefile",
            "makefile",
            "GNUmakefile",
            "*.mk",
            "*.mak",
            "rcs/**",
            "sccs/**",
            "s.Makefile",
            "s.makefile",
            "s.GNUmakefile",
            "*,v",
            "justfile",
            "Justfile",
            ".justfile",
            "*.just",
            "Taskfile.*",
            "taskfile.*",
            "*.bazelrc",
            "tools/bazel",
            "WORKSPACE.bzlmod",
            "build.ninja",
            ".pre-commit-config.yaml",
        ],
    ),
    configures(
        Family::Ruby,
        &[
            ".rspec",
            ".rspec-local",
            "Rakefile",
            "rakefile",
            "Rakefile.rb",
            "rakefile.rb",
            "rakelib/**",
            "gems.rb",
            "minitest/**",
            "spec_helper.rb",
            "rails_helper.rb",
            "test_helper.rb",
            ".rubocop.yml",
            ".bundle/**",
            ".ruby-version",
            ".rubocop_todo.yml",
            "cucumber.yml",
            "mise.toml",
            ".mise.toml",
            ".tool-versions",
        ],
    ),
    configures(
        Family::Java,
        &[
            "junit-platform.properties",
            ".mvn/**",
            "gradle.properties",
            "init.gradle",
            "testng.xml",
            "lombok.config",
            ".sdkmanrc",
            "gradle/wrapper/**",
        ],
    ),
    configures(
        Family::Php,
        &[
            "phpunit.xml",
            "phpunit.xml.*",
            "phpunit.dist.xml",
            "phpstan.neon",
            "phpstan.neon.*",
            "psalm.xml",
            "codeception.yml",
            "behat.yml",
            "phpcs.xml",
            "phpcs.xml.*",
            "Pest.php",
        ],
    ),
    configures(Family::Perl, &[".proverc", ".perlcriticrc", ".perltidyrc"]),
    configures(
        Family::Shell,
        &[
            ".shellcheckrc",
            "shellcheckrc",
            "setup_suite.bash",
            ".shellspec",
            ".shellspec-local",
            "spec/spec_helper.sh",
        ],
    ),
    configures(
        Family::CMake,
        &[
            "CTestConfig.cmake",
            "CTestCustom.cmake",
            "CTestTestfile.cmake",
            "CMakePresets.json",
            "CMakeUserPresets.json",
        ],
    ),
    configures(
        Family::Dotnet,
        &[
            "Directory.Build.props",
            "Directory.Build.targets",
            "Directory.Build.rsp",
            "Directory.Solution.props",
            "Directory.Solution.targets",
            "MSBuild.rsp",
            "testconfig.json",
            "*.testconfig.json",
            "*.runsettings",
            "global.json",
            "xunit.runner.json",
            "NuGet.config",
            "nuget.config",
        ],
    ),
    configures(Family::Format, &[".editorconfig", ".globalconfig"]),
    configures(Family::Git, &[".gitattributes"]),
    configures(
        Family::Clojure,
        &[
            "user.clj",
            "data_readers.clj",
            "data_readers.cljc",
            "profiles.clj",
        ],
    ),
    configures(Family::Swift, &["Package@swift-*.swift"]),
    configures(
        Family::Haskell,
        &["cabal.project.local", "cabal.project.freeze", ".ghci"],
    ),
    configures(
        Family::Dart,
        &[
            "dart_test.yaml",
            "pubspec_overrides.yaml",
            "flutter_test_config.dart",
        ],
    ),
    configures(Family::R, &[".Rprofile", ".Renviron"]),
    configures(
        Family::Julia,
        &[
            "LocalPreferences.toml",
            "JuliaLocalPreferences.toml",
            "JuliaProject.toml",
            "JuliaManifest.toml",
        ],
    ),
    configures(
        Family::Elixir,
        &["test_helper.exs", ".formatter.exs", ".iex.exs"],
    ),
    configures(
        Family::Terraform,
        &[
            "override.tf",
            "*_override.tf",
            "override.tf.json",
            "*_override.tf.json",
            "terraform.tfvars",
            "terraform.tfvars.json",
            "*.auto.tfvars",
            "*.auto.tfvars.json",
        ],
    ),
    configures(Family::Ansible, &["ansible.cfg", "*_plugins/**"]),
    configures(Family::Scons, &["site_scons/**"]),
    configures(Family::Compose, &["docker-compose.override.*"]),
    configures(Family::Nim, &["*.nims", "nim.cfg", "*.nim.cfg"]),
    configures(
        Family::Search,
        &[
            ".rgignore",
            ".ignore",
            ".agignore",
            ".fdignore",
            ".gitignore",
        ],
    ),
    read(
        Family::Python,
        &[
            "setup.py",
            "requirements*.txt",
            ".gitignore",
            "test_*.py",
            "*_test.py",
            "tests.py",
            // What is in an archive or a library, no name tells.
            "*.zip",
            "*.egg",
            "*.whl",
            "*.pyz",
            "*.so",
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
            ".babelrc.*",
            "postcss.config.*",
            "__mocks__/**",
            ".env",
            ".env.*",
            ".swcrc",
            ".gitignore",
            "*.node",
            "*.asar",
        ],
    ),
    read(Family::Rust, &["Cargo.toml"]),
    read(Family::Make, &[".env"]),
    read(Family::Elixir, &["mix.exs", "config/*.exs"]),
    read(Family::Ansible, &["group_vars/**", "host_vars/**"]),
    read(Family::CMake, &["CMakeLists.txt"]),
    read(Family::Go, &["go.mod", "*_test.go", "vendor/modules.txt"]),
    read(
        Family::Dotnet,
        &[
            "*.csproj",
            "*.fsproj",
            "*.sln",
            "*.dll",
            "*.nupkg",
            "Directory.Packages.props",
        ],
    ),
    read(
        Family::Ruby,
        &["Gemfile", "*_spec.rb", "*_test.rb", "*.gem"],
    ),
    read(
        Family::Java,
        &[
            "pom.xml",
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "settings.gradle.kts",
            "libs.versions.toml",
            "*.sbt",
            "project/*.scala",
            "*Test.java",
            "*Tests.java",
            "*IT.java",
            "*Test.kt",
            "*Tests.kt",
            "*.jar",
            "*.war",
            "*.zip",
        ],
    ),
    read(Family::Php, &["composer.json", "*Test.php", "*.phar"]),
    read(Family::Shell, &["*.bats"]),
    read(Family::Perl, &["*.par", "*.zip"]),
    read(Family::C, &["*.so", "*.so.*", "*.a", "*.dylib"]),
];

/// With it where there was none, Go takes all modules from `vendor`.
pub(super) const VENDOR: &str = "vendor/modules.txt";

/// Everything below is a test or its data, whatever it is called.
const TEST_FOLDERS: [&str; 6] = ["tests", "test", "spec", "specs", "__tests__", "testdata"];

/// Everything below was installed or built: thousands of files, and none is configuration of the project.
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
    if runners.include(Family::Make) && may_be_remade_from(name) {
        return Some(Role::Configures);
    }
    let is_made = folders.split('/').any(|folder| MADE.contains(&folder));
    let known = KNOWN.iter().find(|known| {
        let mut names = known.names.iter();
        runners.include(known.family)
            && names.any(|wanted| is_below(wanted, path) || (!is_made && is(wanted, path, name)))
    });
    let in_tests = !is_made
        && folders
            .split('/')
            .any(|folder| TEST_FOLDERS.contains(&folder));
    match known {
        Some(known) => Some(known.role),
        None => in_tests.then_some(Role::Read),
    }
}

/// Whether make may remake one of its own files from a file of this name: its rules know how to make anything from sources.
pub(super) fn may_be_remade_from(name: &str) -> bool {
    const SOURCES: [&str; 21] = [
        "sh", "c", "cc", "cpp", "C", "o", "a", "S", "s", "f", "F", "m", "p", "r", "l", "y", "ln",
        "mod", "w", "web", "def",
    ];
    let Some((made, ending)) = name.rsplit_once('.') else {
        return false;
    };
    let is_own = matches!(made, "Makefile" | "makefile" | "GNUmakefile")
        || made
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending == "mk");
    is_own && SOURCES.contains(&ending)
}

/// Whether a path may be a directory that a known file is looked for in, such as `.cargo`.
pub(super) fn leads_there(path: &str, runners: &Runners) -> bool {
    let mut known = KNOWN.iter().filter(|known| known.role == Role::Configures);
    known.any(|known| {
        let mut names = known.names.iter().map(|name| name.trim_end_matches("/**"));
        runners.include(known.family)
            && names.any(|name| {
                let folders = name.match_indices('/').filter_map(|(at, _)| name.get(..at));
                folders.into_iter().any(|folder| ends_in(path, folder))
            })
    })
}

fn is(wanted: &str, path: &str, name: &str) -> bool {
    if !wanted.contains('/') {
        return glob::matches(wanted, name);
    }
    if wanted.contains('*') {
        return !wanted.ends_with("/**") && glob::matches(&format!("**/{wanted}"), path);
    }
    ends_in(path, wanted)
}

fn ends_in(path: &str, wanted: &str) -> bool {
    path.strip_suffix(wanted)
        .is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether a path is, or lies in, the directory that a pattern with `/**` at its end means.
fn is_below(wanted: &str, path: &str) -> bool {
    let Some(folder) = wanted.strip_suffix("/**") else {
        return false;
    };
    let (wanted, parts): (Vec<&str>, Vec<&str>) =
        (folder.split('/').collect(), path.split('/').collect());
    parts.windows(wanted.len()).any(|parts| {
        let mut pairs = wanted.iter().zip(parts);
        // Python takes `EVIL.DIST-INFO` as well.
        pairs.all(|(wanted, part)| glob::matches(wanted, &part.to_ascii_lowercase()))
    })
}
