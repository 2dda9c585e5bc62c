//! Questions to package managers. What is not listed may install, lock, run a script of a package or ask
//! another machine.

use crate::shell::read_only::argument::CheckedArgument;
use crate::shell::read_only::options::{Options, ParsedArguments, options};
use crate::shell::read_only::program::{Program, Rule, any, commands, programs, with};
use crate::shell::read_only::refusal::Refusal;

pub(super) const PROGRAMS: &[Program] = &[
    programs("npm", Rule::Commands(options("v", "", "").leading(), NPM)),
    programs(
        "cargo",
        Rule::Commands(options("V", "", "list").leading(), CARGO),
    ),
    programs(
        "rustup",
        Rule::Commands(
            options("V", "", "").leading(),
            &[
                commands(
                    "toolchain",
                    &[with("list", options("v", "", "verbose").operands(0))],
                ),
                commands(
                    "target component",
                    &[with(
                        "list",
                        options("", "", "installed toolchain=").operands(0),
                    )],
                ),
                with("which", options("", "", "toolchain=").operands(1)),
            ],
        ),
    ),
    programs(
        "pip pip3",
        Rule::Commands(options("V", "", "").leading(), PIP),
    ),
    commands(
        "gem",
        &[
            with(
                "list",
                options("lda", "", "local details all exact no-versions"),
            ),
            any("environment which"),
        ],
    ),
    programs(
        "conda mamba",
        Rule::Commands(
            options("V", "", "").leading(),
            &[
                with(
                    "list info",
                    options("nea", "", "json name= export all envs"),
                ),
                commands("env", &[any("list")]),
            ],
        ),
    ),
    programs(
        "brew",
        Rule::Commands(
            options("v", "", "prefix cellar").leading(),
            &[with(
                "list ls",
                options("1lrt", "", "formula cask versions full-name pinned"),
            )],
        ),
    ),
    commands(
        "apt",
        &[with(
            "list show search",
            options("anq", "", "installed upgradable all-versions names-only"),
        )],
    ),
    commands(
        "apt-cache",
        &[with(
            "show showpkg search policy depends rdepends madison pkgnames stats",
            options("anq", "", "installed names-only"),
        )],
    ),
    programs(
        "dpkg",
        Rule::Checked(
            options(
                "lLsSp",
                "",
                "list listfiles status search print-avail get-selections print-architecture",
            ),
            any_of_dpkg,
        ),
    ),
    with(
        "dpkg-query",
        options(
            "WLlsSp",
            "f",
            "show showformat= list status search listfiles print-avail",
        ),
    ),
    programs("rpm", Rule::Arguments(rpm)),
    programs("pacman", Rule::Arguments(pacman)),
    commands(
        "snap flatpak",
        &[with("list", options("", "", "all app runtime"))],
    ),
];

const NPM: &[Program] = &[
    with(
        "view info show v ls list la ll explain why outdated query root prefix search ping",
        NPM_OPTIONS,
    ),
    programs("audit", Rule::Checked(NPM_OPTIONS, only_audits)),
    with("whoami version", options("", "", "json").operands(0)),
    programs(
        "run run-script",
        Rule::Options(options("", "", "json").operands(0)),
    ),
    commands(
        "config c",
        &[with(
            "get list ls",
            options("lg", "", "json long location= global"),
        )],
    ),
    commands(
        "pkg",
        &[with("get", options("", "", "json workspaces workspace="))],
    ),
];

const NPM_OPTIONS: Options = options(
    "glpaw",
    "",
    "depth= json all long parseable global production omit= include= workspaces workspace= audit-level= package-lock-only link \
     include-workspace-root offline prefer-offline",
);

/// `npm audit fix` installs.
fn only_audits(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    match given.operands.first() {
        Some(first) if first.text != Some("signatures") => {
            Err(Refusal::UnknownProgram(format!("npm audit {}", first.raw)))
        }
        _ => Ok(()),
    }
}

const CARGO: &[Program] = &[
    programs(
        "tree metadata pkgid",
        Rule::Checked(
            options(
                "dqv",
                "peFfi",
                "frozen locked offline no-deps package= depth= edges= invert= prune= duplicates features= all-features \
             no-default-features target= format= prefix= workspace exclude= format-version= filter-platform= \
             manifest-path= charset= no-dedupe all-targets color= quiet verbose",
            ),
            keeps_lock_file,
        ),
    ),
    with(
        "locate-project",
        options("q", "", "workspace message-format= manifest-path=").operands(0),
    ),
    any("version"),
];

/// Without `--frozen` the lock file may be written and packages fetched.
fn keeps_lock_file(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let frozen = given.has(&["frozen"]) || (given.has(&["locked"]) && given.has(&["offline"]));
    if frozen || given.has(&["no-deps"]) {
        Ok(())
    } else {
        Err(Refusal::Missing("`--frozen`"))
    }
}

const PIP: &[Program] = &[
    with(
        "list freeze check",
        options(
            "le",
            "",
            "local editable user format= not-required exclude= verbose all include-editable",
        ),
    ),
    with("show", options("fv", "", "files verbose")),
    commands(
        "config",
        &[with("list get debug", options("", "", "global user site"))],
    ),
    with("inspect", options("lv", "", "local user")),
];

fn any_of_dpkg(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let asks = [
        "l",
        "L",
        "s",
        "S",
        "p",
        "list",
        "listfiles",
        "status",
        "search",
        "print-avail",
        "get-selections",
        "print-architecture",
        "help",
        "version",
    ];
    if given.has(&asks) {
        Ok(())
    } else {
        Err(Refusal::Missing("`-l`, `-L`, `-s` or `-S`"))
    }
}

/// Only queries, which the first letter says.
fn rpm(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    first_letter(
        arguments,
        "-q",
        options("qailfRcdv", "", "last changelog requires provides"),
    )
}

fn pacman(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    first_letter(arguments, "-Q", options("Qilsoeqdtnmkcpu", "", "quiet"))
}

fn first_letter(
    arguments: &[CheckedArgument<'_>],
    letter: &'static str,
    options: Options,
) -> Result<(), Refusal> {
    match arguments.first() {
        Some(first) if first.starts_with(letter) || first.text == Some("--version") => {
            options.read(arguments).map(|_| ())
        }
        _ => Err(Refusal::Missing(letter)),
    }
}
