//! Where tools are installed in a home, and the variables that say so. Data, and how a program leads to its tool.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A tool that is looked for at a usual place of a home, or where its variable says.
#[derive(Debug)]
pub(super) struct Tool {
    /// Passed on where what it names can be seen. May be empty.
    pub(super) variable: &'static str,
    /// Where it is in a home if nothing says otherwise. May be empty: then only the variable brings it.
    pub(super) path: &'static str,
}

const fn tool(variable: &'static str, path: &'static str) -> Tool {
    Tool { variable, path }
}

pub(super) const TOOLS: [Tool; 56] = [
    tool("RUSTUP_HOME", ".rustup"),
    tool("CARGO_HOME", ".cargo"),
    tool("GOPATH", "go"),
    tool("GOROOT", ""),
    tool("GOMODCACHE", ""),
    tool("GOENV_ROOT", ".goenv"),
    tool("NVM_DIR", ".nvm"),
    tool("NVM_BIN", ""),
    tool("VOLTA_HOME", ".volta"),
    tool("FNM_DIR", ".fnm"),
    tool("", ".local/share/fnm"),
    tool("N_PREFIX", ".n"),
    tool("NODENV_ROOT", ".nodenv"),
    tool("BUN_INSTALL", ".bun"),
    tool("DENO_INSTALL", ".deno"),
    tool("DENO_DIR", ""),
    tool("PNPM_HOME", ".local/share/pnpm"),
    tool("NPM_CONFIG_PREFIX", ".npm-global"),
    tool("COREPACK_HOME", ".cache/node/corepack"),
    tool("PYENV_ROOT", ".pyenv"),
    tool("", ".local/lib"),
    tool("", ".local/share/uv"),
    tool("PIPX_HOME", ".local/share/pipx"),
    tool("POETRY_HOME", ".local/share/pypoetry"),
    tool("CONDA_PREFIX", ""),
    tool("MAMBA_ROOT_PREFIX", ""),
    tool("JAVA_HOME", ""),
    tool("SDKMAN_DIR", ".sdkman"),
    tool("JENV_ROOT", ".jenv"),
    tool("", ".jdks"),
    tool("GRADLE_HOME", ""),
    tool("MAVEN_HOME", ""),
    tool("M2_HOME", ""),
    tool("ANDROID_HOME", "Android/Sdk"),
    tool("ANDROID_SDK_ROOT", ""),
    tool("FLUTTER_ROOT", ""),
    tool("RBENV_ROOT", ".rbenv"),
    tool("GEM_HOME", ""),
    tool("", ".gem/ruby"),
    tool("", ".local/share/gem"),
    tool("", ".rvm"),
    tool("ASDF_DIR", ".asdf"),
    tool("ASDF_DATA_DIR", ""),
    tool("MISE_DATA_DIR", ".local/share/mise"),
    tool("DOTNET_ROOT", ".dotnet"),
    tool("OPAMROOT", ".opam"),
    tool("GHCUP_INSTALL_BASE_PREFIX", ""),
    tool("", ".ghcup"),
    tool("STACK_ROOT", ".stack"),
    tool("", ".elan"),
    tool("", ".juliaup"),
    tool("", ".julia"),
    tool("COMPOSER_HOME", ""),
    tool("", ".nix-profile"),
    tool("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
    tool("PUPPETEER_CACHE_DIR", ".cache/puppeteer"),
];

/// Programs lie in directories of these names, and what belongs to them lies beside.
const PROGRAMS: [&str; 6] = ["bin", "sbin", ".bin", "shims", "condabin", "Scripts"];

/// Folders of a home that are one tool's as a whole, besides those of [`TOOLS`]: seen if a directory of PATH leads there.
const ROOTS: [&str; 47] = [
    ".basher",
    ".cabal",
    ".composer/vendor",
    ".conda",
    ".config/composer/vendor",
    ".config/yarn/global",
    ".emsdk",
    ".espressif",
    ".foundry",
    ".g",
    ".gvm",
    ".kiex",
    ".krew",
    ".linuxbrew",
    ".local/pipx",
    ".luarocks",
    ".mix",
    ".moon",
    ".nodebrew",
    ".npm-packages",
    ".perlbrew",
    ".phpbrew",
    ".phpenv",
    ".pixi",
    ".platformio",
    ".plenv",
    ".poetry",
    ".proto",
    ".pub-cache",
    ".rye",
    ".swiftly",
    ".tfenv",
    ".tiup",
    ".tofuenv",
    ".virtualenvs",
    ".wasmer",
    ".wasmtime",
    ".yarn",
    ".zigup",
    ".zvm",
    "anaconda3",
    "homebrew",
    "mambaforge",
    "miniconda3",
    "miniforge3",
    "opt/homebrew",
    "perl5",
];

/// How the folder of a tool is called wherever it lies, alone or before a version: `flutter`, `go1.22`, `jdk-21`.
const NAMES: [&str; 44] = [
    "anaconda",
    "android-sdk",
    "apache-maven",
    "bun",
    "cargo",
    "cmake",
    "dart-sdk",
    "deno",
    "dotnet",
    "emsdk",
    "flutter",
    "fnm",
    "ghcup",
    "go",
    "google-cloud-sdk",
    "gradle",
    "graalvm",
    "jdk",
    "jre",
    "julia",
    "kotlinc",
    "llvm",
    "mambaforge",
    "maven",
    "micromamba",
    "miniconda",
    "miniforge",
    "mise",
    "node",
    "npm",
    "nvm",
    "openjdk",
    "pipx",
    "pnpm",
    "pyenv",
    "rbenv",
    "ruby",
    "rustup",
    "sbt",
    "uv",
    "venv",
    "virtualenv",
    "volta",
    "zig",
];

/// What belongs to a program or a directory of programs as a whole, as paths below a home; nothing where only it could
/// be said by looking there.
pub(super) fn tool_root(below: &Path) -> Option<PathBuf> {
    let tools = TOOLS.iter().map(|tool| tool.path);
    let mut known = tools.chain(ROOTS).filter(|path| !path.is_empty());
    if let Some(root) = known.find(|root| below.starts_with(root)) {
        return Some(PathBuf::from(root));
    }
    let parts: Vec<&OsStr> = below.iter().collect();
    let name = |at: usize| parts.get(at).and_then(|part| part.to_str()).unwrap_or("");
    let first = |count: usize| (parts.len() >= count).then(|| parts.iter().take(count).collect());
    match (name(0), name(1)) {
        (".local", "share" | "state") | (".var", _) => first(3),
        _ => {
            // A program of a Node package needs the packages beside its own.
            let is_tool = |part: &&OsStr| {
                let name = part.to_str();
                name.is_some_and(|name| is_name_of_tool(name) || name == "node_modules")
            };
            first(parts.iter().position(is_tool)? + 1)
        }
    }
}

fn is_name_of_tool(name: &str) -> bool {
    let name = name.strip_prefix('.').unwrap_or(name);
    NAMES.iter().any(|known| {
        let version = name.strip_prefix(known);
        version.is_some_and(|version| {
            let version = version.trim_start_matches(['-', '_', 'v']);
            version.is_empty() || version.starts_with(|first: char| first.is_ascii_digit())
        })
    })
}

/// The directory that holds the innermost directory of programs on the way to a path, as paths below a home.
pub(super) fn prefix(below: &Path) -> Option<PathBuf> {
    let parts: Vec<&OsStr> = below.iter().collect();
    let programs = parts.iter().rposition(|part| is_programs(part))?;
    (programs > 0).then(|| parts.iter().take(programs).collect())
}

/// Do programs lie in directories of this name?
pub(super) fn is_programs(name: &OsStr) -> bool {
    PROGRAMS.iter().any(|known| name == *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_leads_to_its_tool_and_to_nothing_beside_it() {
        for (program, expected) in [
            (".pyenv/shims", Some(".pyenv")),
            (".pyenv/plugins/pyenv-virtualenv/shims", Some(".pyenv")),
            (".nvm/versions/node/v22/bin", Some(".nvm")),
            ("go/bin", Some("go")),
            ("miniconda3/condabin", Some("miniconda3")),
            ("sdk/go1.22/bin", Some("sdk/go1.22")),
            ("dev/flutter/bin", Some("dev/flutter")),
            ("work/.venv/bin", Some("work/.venv")),
            (
                ".local/share/uv/tools/ruff/bin/ruff",
                Some(".local/share/uv"),
            ),
            (
                ".config/composer/vendor/bin",
                Some(".config/composer/vendor"),
            ),
            ("work/x/node_modules/.bin", Some("work/x/node_modules")),
            (
                ".cache/x/node_modules/@a/b/node_modules/c/cli.js",
                Some(".cache/x/node_modules"),
            ),
            (".local/bin", None),
            ("bin", None),
            ("work/bin", None),
            ("work/tools/bin/x", None),
            ("google/bin", None),
            ("node-projects/bin", None),
            (".mine/bin", None),
            (".local", None),
            (".local/share", None),
            (".config", None),
            ("", None),
        ] {
            let root = tool_root(Path::new(program));
            assert_eq!(root.as_deref(), expected.map(Path::new), "{program}");
        }
    }

    #[test]
    fn the_innermost_programs_count() {
        for (program, expected) in [
            ("work/tools/bin/x", Some("work/tools")),
            ("work/bin", Some("work")),
            ("a/bin/b/bin", Some("a/bin/b")),
            ("bin/x", None),
            ("work/scripts/x.sh", None),
        ] {
            let found = prefix(Path::new(program));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{program}");
        }
    }
}
