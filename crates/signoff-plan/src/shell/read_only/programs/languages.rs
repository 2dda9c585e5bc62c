//! Compilers, interpreters and other tools: only what they are.

use crate::shell::read_only::options::{one_dash, options};
use crate::shell::read_only::program::{Program, Rule, commands, programs, with};

/// Nothing but one of these arguments.
const fn only(names: &'static str, arguments: &'static str) -> Program {
    programs(names, Rule::Only(arguments))
}

/// What prints its version without reading anything of the project. Not here: what loads plugins or
/// configuration first (`pytest`, `hg`), asks for a newer version (`terraform`) or fetches itself (`bazel`).
pub(super) const PROGRAMS: &[Program] = &[
    only("node nodejs bun", "--version -v"),
    only("deno", "--version -V"),
    only(
        "python python2 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy3",
        "--version -V -VV",
    ),
    only("ruby perl php", "--version -v"),
    only("java javac", "-version --version"),
    only("kotlin kotlinc scala scalac", "-version"),
    only("rustc", "--version -V -vV -Vv"),
    only("rustfmt cargo-clippy clippy-driver", "--version -V"),
    only(
        "gcc g++ cc c++ clang clang++ ld make gmake tsc",
        "--version -v",
    ),
    only(
        "cmake ninja meson eslint prettier swift ghc stack cabal elixir julia R Rscript nim poetry pipx pipenv ruff \
         mypy black bash zsh sh dash fish vim nvim nano emacs psql mysql sqlite3 redis-cli mongosh pg_dump aws jj \
         svn uv uvx",
        "--version",
    ),
    only("ssh tmux", "-V"),
    programs(
        "go",
        Rule::Commands(
            options("", "", "").leading(),
            &[
                with("version", options("", "", "").operands(0)),
                with("env", one_dash("json changed")),
            ],
        ),
    ),
    only("dotnet", "--version --info --list-sdks --list-runtimes"),
    commands(
        "openssl",
        &[
            with("version", one_dash("a b d f o p v")),
            with(
                "x509",
                one_dash(
                    "in= inform= noout text subject issuer dates startdate enddate serial fingerprint pubkey email \
                     purpose hash subject_hash issuer_hash modulus sha256 sha1 md5 nameopt= ext= checkend=",
                ),
            ),
            with("dgst", one_dash("sha256 sha512 sha1 md5 sha384 r hex c")),
        ],
    ),
];
