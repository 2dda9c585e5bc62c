//! Git, by sub-command. What runs a configured program (`--ext-diff`, signatures), writes (`--output`) or
//! reaches another machine (`ls-remote`, `remote show NAME`) is not listed.

use super::git_options::{DIFF, LOG, REVISIONS};
use crate::shell::read_only::argument::CheckedArgument;
use crate::shell::read_only::options::{Options, ParsedArguments, options};
use crate::shell::read_only::program::{Program, Rule, any, commands, programs, with};
use crate::shell::read_only::refusal::{Effect, Refusal};

pub(super) const PROGRAMS: &[Program] =
    &[programs("git", Rule::Commands(GLOBAL.leading(), COMMANDS))];

/// Before the sub-command.
const GLOBAL: Options = options(
    "Pv",
    "C",
    "no-pager no-optional-locks no-replace-objects no-lazy-fetch literal-pathspecs glob-pathspecs noglob-pathspecs \
     icase-pathspecs man-path html-path info-path",
);

const COMMANDS: &[Program] = &[
    programs("log show whatchanged", Rule::Checked(LOG, no_signatures)),
    with("diff diff-tree diff-index diff-files range-diff", DIFF),
    programs("rev-list shortlog", Rule::Checked(REVISIONS, no_signatures)),
    any(
        "rev-parse ls-files ls-tree merge-base name-rev show-branch count-objects var check-ignore check-attr \
         check-mailmap check-ref-format cherry version get-tar-commit-id patch-id stripspace",
    ),
    with(
        "show-ref",
        options(
            "dsqh",
            "",
            "head heads branches tags dereference hash abbrev verify quiet exists",
        ),
    ),
    with(
        "status",
        options(
            "sbvzuhMnoarml",
            "",
            "short branch show-stash porcelain long verbose untracked-files ignore-submodules ignored column no-column \
             ahead-behind no-ahead-behind renames no-renames find-renames null",
        ),
    ),
    programs("branch", Rule::Checked(BRANCH, lists_branches)),
    programs("tag", Rule::Checked(TAG, lists_tags)),
    programs("remote", Rule::Arguments(remote)),
    programs("config", Rule::Checked(CONFIG, reads_configuration)),
    commands(
        "stash",
        &[
            programs("list", Rule::Checked(LOG, no_signatures)),
            with("show", DIFF),
        ],
    ),
    programs("reflog", Rule::Arguments(reflog)),
    commands(
        "worktree",
        &[with("list", options("vz", "", "porcelain verbose"))],
    ),
    programs(
        "submodule",
        Rule::AloneOr(&[with("status", options("", "", "cached recursive"))]),
    ),
    programs("notes", Rule::AloneOr(&[any("list get-ref")])),
    commands("bisect", &[with("log", options("", "", "").operands(0))]),
    with(
        "fsck",
        options(
            "v",
            "",
            "full no-full strict unreachable dangling no-dangling cache no-reflogs connectivity-only verbose \
             name-objects progress no-progress root tags",
        ),
    ),
    commands("sparse-checkout", &[any("list")]),
    with(
        "blame annotate",
        options(
            "bcefklnpstwMC0123456789",
            "LS",
            "root show-stats reverse porcelain line-porcelain incremental show-name show-number show-email date= \
             abbrev minimal since= ignore-rev= ignore-revs-file= color-lines color-by-age first-parent encoding= progress \
             no-progress",
        ),
    ),
    with(
        "grep",
        options(
            "aiIwvhHEGFPnlLzcpWqro0123456789",
            "ABCefm",
            "cached no-index untracked no-exclude-standard exclude-standard recurse-submodules text ignore-case \
             word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number \
             column files-with-matches name-only files-without-match null only-matching count color no-color break \
             heading show-function function-context context= after-context= before-context= max-depth= recursive \
             no-recursive threads= and or not all-match quiet max-count= no-textconv",
        ),
    ),
    with(
        "describe",
        options(
            "",
            "",
            "all tags contains abbrev candidates= exact-match debug long match= exclude= always first-parent",
        ),
    ),
    with(
        "cat-file",
        options(
            "tspe",
            "",
            "batch batch-check batch-command batch-all-objects unordered buffer follow-symlinks use-mailmap allow-unknown-type",
        ),
    ),
    programs(
        "for-each-ref",
        Rule::Checked(
            options(
                "sp",
                "",
                "count= sort= format= color points-at= merged no-merged contains no-contains ignore-case omit-empty exclude= shell perl python tcl",
            ),
            no_signatures,
        ),
    ),
    with(
        "symbolic-ref",
        options("q", "", "short quiet recurse no-recurse").operands(1),
    ),
    with("verify-pack", options("vs", "", "verbose stat-only")),
];

const BRANCH: Options = options(
    "arvqi",
    "",
    "all remotes list show-current verbose quiet contains= no-contains= merged= no-merged= points-at= sort= format= column \
     no-column color no-color abbrev no-abbrev ignore-case omit-empty",
);

const TAG: Options = options(
    "lni0123456789",
    "",
    "list sort= format= contains= no-contains= merged= no-merged= points-at= column no-column ignore-case color omit-empty",
);

const CONFIG: Options = options(
    "lz",
    "f",
    "list get get-all get-regexp get-urlmatch get-color get-colorbool global local system worktree file= blob= show-origin \
     show-scope name-only null type= bool int bool-or-int path expiry-date includes no-includes default= all regexp",
)
.first();

/// A signature is checked by a program that keeps records.
fn no_signatures(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    for value in given.values(&["format", "pretty", "sort"]) {
        let Some(value) = value else {
            return Err(Refusal::Unforeseeable("the format".to_owned()));
        };
        if shows_signature(value) {
            return Err(Refusal::Effect(value.to_owned(), Effect::Runs));
        }
    }
    Ok(())
}

/// `%G?` and its like, also with what may stand behind the `%`, and the words of `for-each-ref`.
fn shows_signature(format: &str) -> bool {
    let is_modifier = |c: char| "-+ (".contains(c);
    let mut placeholders = format.split('%').skip(1);
    format.contains("signature")
        || placeholders.any(|part| part.trim_start_matches(is_modifier).starts_with('G'))
}

/// A name without a listing option makes a branch.
fn lists_branches(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    lists(
        given,
        &[
            "list",
            "contains",
            "no-contains",
            "merged",
            "no-merged",
            "points-at",
        ],
    )?;
    no_signatures(given)
}

fn lists_tags(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    lists(given, &["l", "list"])?;
    no_signatures(given)
}

fn lists(given: &ParsedArguments<'_>, listing: &[&str]) -> Result<(), Refusal> {
    if given.operands.is_empty() || given.has(listing) {
        Ok(())
    } else {
        Err(Refusal::Missing("`--list`"))
    }
}

/// `show NAME` asks the other machine unless `-n` is given.
fn remote(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let given = options("v", "", "verbose").leading().read(arguments)?;
    let Some((command, rest)) = given.operands.split_first() else {
        return Ok(());
    };
    match command.text {
        Some("get-url") => options("", "", "push all").read(rest).map(|_| ()),
        Some("show") => {
            let given = options("n", "", "").read(rest)?;
            if given.operands.is_empty() || given.has(&["n"]) {
                Ok(())
            } else {
                Err(Refusal::Missing("`-n`"))
            }
        }
        _ => Err(Refusal::UnknownProgram(format!(
            "git remote {}",
            command.raw
        ))),
    }
}

/// Two words set a value, unless an option asks for one.
fn reads_configuration(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let asks = given.has(&[
        "l",
        "list",
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "get-color",
        "get-colorbool",
    ]);
    let command = given.operands.first().and_then(|first| first.text);
    let changes = ["set", "unset", "edit", "rename-section", "remove-section"];
    if command.is_some_and(|command| changes.contains(&command)) {
        return Err(Refusal::UnknownProgram("git config".to_owned()));
    }
    if asks || matches!(command, Some("get" | "list")) {
        return Ok(());
    }
    match given.operands.as_slice() {
        [] => Ok(()),
        [only] if only.text.is_some() => Ok(()),
        [first, ..] => Err(Refusal::Effect(first.raw.to_owned(), Effect::Writes)),
    }
}

/// `expire`, `delete` and `drop` change it.
fn reflog(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let given = LOG.read(arguments)?;
    match given.operands.first() {
        None => no_signatures(&given),
        Some(first) if matches!(first.text, Some("show" | "list" | "exists")) => {
            no_signatures(&given)
        }
        Some(first) => Err(Refusal::UnknownProgram(format!("git reflog {}", first.raw))),
    }
}
