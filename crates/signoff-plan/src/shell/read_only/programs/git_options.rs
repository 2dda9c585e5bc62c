//! Options of git that several of its commands share.

use crate::shell::read_only::options::{Options, options};

/// How a difference is shown. Not here: `--output`, `--ext-diff`, `--textconv`.
macro_rules! diff {
    () => {
        "patch no-patch raw patch-with-raw patch-with-stat stat stat-width= stat-name-width= stat-count= numstat \
         shortstat dirstat cumulative summary name-only name-status submodule color no-color color-moved \
         no-color-moved color-moved-ws= word-diff word-diff-regex= color-words no-renames rename-empty \
         no-rename-empty check ws-error-highlight= full-index binary abbrev no-abbrev break-rewrites find-renames \
         find-copies find-copies-harder irreversible-delete diff-filter= pickaxe-all pickaxe-regex relative \
         no-relative text ignore-cr-at-eol ignore-space-at-eol ignore-space-change ignore-all-space \
         ignore-blank-lines ignore-matching-lines= inter-hunk-context= function-context exit-code quiet \
         no-ext-diff no-textconv ignore-submodules src-prefix= dst-prefix= no-prefix default-prefix line-prefix= \
         unified= minimal patience histogram diff-algorithm= indent-heuristic no-indent-heuristic anchored= \
         compact-summary cached staged merge-base no-index base ours theirs find-object= rotate-to= skip-to= \
         diff-merges= no-diff-merges cc combined-all-paths ita-invisible-in-index ita-visible-in-index"
    };
}

/// Which commits are shown, and how.
macro_rules! log {
    () => {
        "oneline graph no-graph pretty format= decorate no-decorate decorate-refs= decorate-refs-exclude= \
         clear-decorations source all branches tags remotes glob= exclude= reflog alternate-refs single-worktree \
         max-count= skip= since= after= until= before= since-as-filter= max-age= min-age= author= committer= \
         grep-reflog= grep= all-match invert-grep regexp-ignore-case basic-regexp extended-regexp fixed-strings \
         perl-regexp remove-empty merges no-merges min-parents= max-parents= no-min-parents no-max-parents \
         first-parent exclude-first-parent-only not ignore-missing bisect stdin cherry-mark cherry-pick left-only \
         right-only cherry walk-reflogs merge boundary simplify-by-decoration show-pulls full-history dense sparse \
         simplify-merges ancestry-path date-order author-date-order topo-order reverse no-walk do-walk \
         abbrev-commit no-abbrev-commit encoding= expand-tabs no-expand-tabs notes no-notes show-notes \
         no-standard-notes relative-date date= parents children left-right show-linear-break follow full-diff \
         log-size mailmap no-mailmap use-mailmap no-use-mailmap use-default"
    };
}

pub(super) const DIFF: Options = options("pusz0123456789abwWRqtrmcMCBDU", "GSlOI", diff!());

pub(super) const LOG: Options = options(
    "pusz0123456789abwWRqtrmcMCBDUEFPig",
    "GSlnLI",
    concat!(diff!(), " ", log!()),
);

/// `rev-list` and `shortlog` have more.
pub(super) const REVISIONS: Options = options(
    "0123456789nsecqgiEFPz",
    "",
    concat!(
        log!(),
        " count objects objects-edge unpacked disk-usage use-bitmap-index timestamp left-right header quiet \
         no-commit-header commit-header no-object-names object-names numbered summary email group= committer \
         abbrev no-abbrev",
    ),
);
