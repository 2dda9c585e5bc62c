//! Programs that print, cut and compare text.

use crate::shell::read_only::options::{Options, ParsedArguments, options};
use crate::shell::read_only::program::{Program, Rule, any, programs, with};
use crate::shell::read_only::refusal::Refusal;
use crate::shell::read_only::{awk, sed};

pub(super) const PROGRAMS: &[Program] = &[
    any(
        "cat tac rev head tail wc nl cut paste fold fmt expand unexpand comm join tr column pr seq sleep yes numfmt \
         factor expr tsort look cal ncal clear envsubst jq shellcheck",
    ),
    with(
        "sort gsort",
        options(
            "bdfghiMnRrVcCmsuz",
            "ktS",
            "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort \
             human-numeric-sort numeric-sort random-sort random-source= reverse sort= version-sort check debug \
             files0-from= key= merge stable buffer-size= field-separator= parallel= unique zero-terminated",
        ),
    ),
    with(
        "uniq",
        options(
            "cdDiuz",
            "fsw",
            "count repeated all-repeated unique skip-fields= skip-chars= check-chars= ignore-case zero-terminated group",
        )
        .operands(1)
        .first(),
    ),
    with("shuf", options("ezr", "in", "echo input-range= head-count= repeat zero-terminated random-source=")),
    with("base64 base32 gbase64", options("dDi", "w", "decode wrap= ignore-garbage").operands(1)),
    with("iconv", options("lcs", "ft", "list from-code= to-code= silent")),
    programs("sed gsed", Rule::Arguments(sed::judge)),
    programs("awk gawk mawk nawk", Rule::Arguments(awk::judge)),
    with(
        "yq",
        options(
            "rnPMCNeyYjS",
            "opI",
            "unwrapScalar null-input prettyPrint no-colors colors no-doc exit-status tojson output-format= \
             input-format= indent= raw-output",
        ),
    ),
    programs("bat batcat", Rule::Checked(BAT, no_cache)),
    with(
        "tokei",
        options("fCs", "oet", "files output= exclude= type= sort= hidden no-ignore compact"),
    ),
    with(
        "cloc",
        options(
            "",
            "",
            "by-file json yaml csv md quiet exclude-dir= include-lang= exclude-lang= exclude-ext= include-ext= \
             by-file-by-lang",
        ),
    ),
];

const BAT: Options = options(
    "AnpPfuSsL",
    "lrmH",
    "plain number show-all language= line-range= highlight-line= style= color= paging= theme= wrap= tabs= decorations= \
     list-languages list-themes diff diff-context= file-name= no-config terminal-width= map-syntax= squeeze-blank \
     force-colorization no-paging",
);

/// `bat cache` writes, and a pager that is named runs.
fn no_cache(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    match given.operands.first() {
        Some(first) if first.may_start_with("cache") => {
            Err(Refusal::UnknownProgram("bat cache".to_owned()))
        }
        _ => Ok(()),
    }
}
