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

/// How to reach others: passed to everything that is started.
pub(crate) const PROXIES: [&str; 8] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Whose certificates are believed: files and directories, passed on where they can be seen.
pub(crate) const CERTIFICATES: [&str; 17] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE",
    "NIX_SSL_CERT_FILE",
    "DENO_CERT",
    "HTTPLIB2_CA_CERTS",
    "BUNDLE_SSL_CA_CERT",
    "HEX_CACERTS_PATH",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "CODEX_CA_CERTIFICATE",
];

/// What belongs to a program or a directory of programs, as paths below a home; nothing for a directory that holds
/// things of many owners.
pub(super) fn tool_root(below: &Path) -> Option<PathBuf> {
    let parts: Vec<&OsStr> = below.iter().collect();
    let name = |at: usize| parts.get(at).and_then(|part| part.to_str()).unwrap_or("");
    let first = |count: usize| (parts.len() >= count).then(|| parts.iter().take(count).collect());
    match (name(0), name(1)) {
        (".local", "share" | "state") | (".var", _) => first(3),
        (".local" | ".config" | ".cache", _) => first(2),
        (hidden, _) if hidden.starts_with('.') => first(1),
        // A folder of the person's: other things lie there too.
        _ => {
            let programs = parts
                .iter()
                .rposition(|part| PROGRAMS.iter().any(|name| part == name));
            match programs {
                Some(at) if at > 0 => first(at),
                Some(_) => first(1),
                None => first(parts.len().max(1)),
            }
        }
    }
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
            (".local/bin", Some(".local/bin")),
            (
                ".local/share/uv/tools/ruff/bin/ruff",
                Some(".local/share/uv"),
            ),
            (".config/composer/vendor/bin", Some(".config/composer")),
            ("bin", Some("bin")),
            ("work/tools/bin/x", Some("work/tools")),
            ("work/scripts/x.sh", Some("work/scripts/x.sh")),
            (".local", None),
            (".local/share", None),
            (".config", None),
            ("", None),
        ] {
            let root = tool_root(Path::new(program));
            assert_eq!(root.as_deref(), expected.map(Path::new), "{program}");
        }
    }
}
