//! Settings of programs that no list here knows, by their names: `.clang-format`, `deny.toml` for `cargo deny`.

use std::collections::BTreeSet;

use signoff_plan::shell::{Invocation, is_built_in};

/// Programs whose first argument names another one, or a part of themselves with settings of its own.
const LAUNCHERS: [&str; 24] = [
    "bundle", "bunx", "cargo", "composer", "docker", "dotnet", "hatch", "mise", "mix", "npx",
    "pdm", "pipenv", "pipx", "pnpm", "pnpx", "podman", "poetry", "run", "tool", "uv", "uvx", "x",
    "yarn", "exec",
];

/// Ordinary tools: they read no settings of a project, and many a file has such a name.
const TOOLS: [&str; 72] = [
    "awk",
    "base64",
    "basename",
    "bash",
    "cat",
    "chmod",
    "chown",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cp",
    "curl",
    "cut",
    "dash",
    "date",
    "dd",
    "df",
    "diff",
    "dirname",
    "du",
    "egrep",
    "env",
    "expr",
    "fgrep",
    "file",
    "find",
    "fold",
    "git",
    "gawk",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "id",
    "install",
    "join",
    "jq",
    "ls",
    "ln",
    "md5sum",
    "mkdir",
    "mktemp",
    "mv",
    "nl",
    "od",
    "paste",
    "python",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "split",
    "stat",
    "strings",
    "tail",
    "tar",
    "tee",
    "time",
    "timeout",
    "touch",
    "tr",
    "uniq",
    "wc",
    "xargs",
    "zsh",
];

/// What a launcher is told to do that is not the name of anything.
const VERBS: [&str; 14] = [
    "add", "bench", "build", "check", "ci", "clean", "doc", "exec", "fmt", "install", "lint",
    "run", "start", "test",
];

/// Endings of files that hold settings.
const ENDINGS: [&str; 16] = [
    "cfg",
    "conf",
    "config",
    "exs",
    "hcl",
    "ini",
    "json",
    "json5",
    "jsonc",
    "lua",
    "nix",
    "options",
    "properties",
    "toml",
    "yaml",
    "yml",
];

/// The programs of a contract, by the names that their settings have.
pub(super) fn program_names(invocations: &[Invocation]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for invocation in invocations {
        let mut words = vec![Some(invocation.program.as_str())];
        words.extend(invocation.arguments.iter().map(Option::as_deref));
        let mut words = words.into_iter().flatten();
        // `uv run ruff`: each word may name a program as long as the one before it starts others.
        while let Some(word) = words.find(|word| !word.starts_with('-')) {
            let name = base_name(word);
            // A program of the project itself is named by its script.
            let is_own = word.contains('/') && !word.starts_with('/');
            let is_program = name.len() > 2 && !is_own && !is_ordinary(&name);
            let goes_on = LAUNCHERS.contains(&name.as_str());
            if is_program {
                names.insert(name);
            }
            if !goes_on {
                break;
            }
        }
    }
    names
}

/// The name that the settings of a script of the project have: `tools/shop.sh` has `shop.toml`.
pub(super) fn own_name(script: &str) -> Option<String> {
    let name = script.rsplit('/').next().unwrap_or(script);
    let stem = name.split('.').next().unwrap_or(name).to_lowercase();
    (stem.len() > 2).then_some(stem)
}

/// Whether a program of this name is an ordinary tool.
pub(super) fn is_ordinary_program(name: &str) -> bool {
    TOOLS.contains(&name)
}

/// The words of a text that may name programs.
pub(super) fn possible_names(text: &str) -> BTreeSet<String> {
    let names = super::path_words(text).map(base_name);
    names
        .filter(|name| name.len() > 2 && !is_ordinary(name))
        .collect()
}

/// The program whose settings a file holds by its name, if that is one of these.
pub(super) fn settings_of<'n>(path: &str, programs: &'n BTreeSet<String>) -> Option<&'n str> {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_of = |program: &&String| is_settings_name(&name, program);
    programs.iter().find(is_of).map(String::as_str)
}

/// Whether a file may hold settings of any program.
pub(super) fn may_be_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    name.starts_with('.')
        || ENDINGS.contains(&ending)
        || name.contains("file")
        || name.contains(".config.")
        || matches!(stem(&name), "build" | "module")
}

/// Whether a name, in small letters, is that of the settings of a program: `.prog`, `.progrc`, `prog.toml`, `progfile`,
/// `prog.config.js`, `build.prog`.
fn is_settings_name(name: &str, program: &str) -> bool {
    let bare = name.trim_start_matches(['.', '_']);
    let is_hidden = bare.len() < name.len();
    if let Some(before) = name.strip_suffix(program)
        && matches!(before, "build." | "module." | "project.")
    {
        return true;
    }
    let Some(rest) = bare.strip_prefix(program) else {
        return false;
    };
    let ending = rest.rsplit_once('.').map_or("", |(_, ending)| ending);
    match rest {
        "" => is_hidden,
        "rc" | "file" | "ignore" => true,
        rest if rest.starts_with("rc.") || rest.starts_with("file.") => true,
        rest if rest.starts_with(".config.") || rest.starts_with(".conf.") => true,
        // `compose.override.yaml`, `typos.toml`, and no `program_data.json`.
        rest => rest.starts_with('.') && ENDINGS.contains(&ending),
    }
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// A program's name without its directory and version.
fn base_name(word: &str) -> String {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    name.to_lowercase()
}

fn is_ordinary(name: &str) -> bool {
    is_built_in(name)
        || TOOLS.contains(&name)
        || VERBS.contains(&name)
        || matches!(
            name,
            "node" | "perl" | "ruby" | "php" | "java" | "npm" | "cargo" | "make" | "gmake"
        )
}

#[cfg(test)]
mod tests {
    use signoff_plan::shell::analyse;

    use super::*;

    #[track_caller]
    fn check(command: &str, path: &str, expected: Option<&str>) {
        let names = program_names(&analyse(command).programs.invocations);
        assert_eq!(
            settings_of(path, &names),
            expected,
            "{command} {path} {names:?}"
        );
        assert!(expected.is_none() || may_be_settings(path), "{path}");
    }

    #[test]
    fn a_file_with_the_name_of_a_program_configures_it() {
        for (command, path, program) in [
            (
                "clang-format --dry-run a.c",
                ".clang-format",
                "clang-format",
            ),
            ("yamllint .", "ci/.yamllint.yml", "yamllint"),
            ("luacheck src", ".luacheckrc", "luacheck"),
            ("typos", "_typos.toml", "typos"),
            ("cargo deny check", "deny.toml", "deny"),
            ("uv run vale docs", ".vale.ini", "vale"),
            ("just check", "JUSTFILE", "just"),
            ("gulp test", "gulpfile.babel.js", "gulp"),
            ("webpack", "webpack.config.mjs", "webpack"),
            (
                "docker compose run test",
                "compose.override.yaml",
                "compose",
            ),
            ("bazel test //...", "BUILD.bazel", "bazel"),
            ("hadolint Dockerfile", ".hadolint.yaml", "hadolint"),
            ("cd web && stylelint .", "web/.stylelintignore", "stylelint"),
            (
                "tools/docker compose run test",
                "compose.override.yaml",
                "compose",
            ),
        ] {
            check(command, path, Some(program));
        }
    }

    #[test]
    fn data_and_files_of_ordinary_tools_do_not() {
        for (command, path) in [
            ("test -s test.json", "test.json"),
            ("grep -q x sort.yaml && sort sort.yaml", "sort.yaml"),
            ("shop check", "shop_data.json"),
            ("shop check", "shop.py"),
            ("cargo test", "test.toml"),
            ("node server", "server.json"),
            ("git status", ".gitignore"),
            ("bash -n .bashrc", ".bashrc"),
            ("vale docs", "docs/vale.md"),
        ] {
            check(command, path, None);
        }
    }
}
