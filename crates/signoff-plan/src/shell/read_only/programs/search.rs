//! Programs that search.

use crate::shell::read_only::find;
use crate::shell::read_only::options::options;
use crate::shell::read_only::program::{Program, Rule, any, programs, with};

pub(super) const PROGRAMS: &[Program] = &[
    any("grep egrep fgrep ggrep pgrep pidof locate mdfind"),
    programs("find gfind", Rule::Arguments(find::judge)),
    with(
        "zgrep bzgrep xzgrep",
        options(
            "cEFGHhiLlnoqsvwx",
            "ABCem",
            "ignore-case count line-number no-filename",
        ),
    ),
    with(
        "rg",
        options(
            "abchFHiIlLnNopPqsSuUvVwxz.0",
            "ABCdefgjmMrtTE",
            "after-context= before-context= context= max-depth= maxdepth= regexp= file= glob= iglob= threads= \
             max-count= max-columns= replace= type= type-not= type-add= type-clear= type-list encoding= engine= \
             color= colors= column no-column heading no-heading line-number no-line-number with-filename no-filename \
             count count-matches files files-with-matches files-without-match fixed-strings follow no-follow hidden \
             no-hidden ignore-case case-sensitive smart-case invert-match json line-regexp word-regexp max-filesize= \
             mmap no-mmap multiline multiline-dotall no-config no-ignore no-ignore-dot no-ignore-exclude \
             no-ignore-files no-ignore-global no-ignore-parent no-ignore-vcs no-messages no-require-git null \
             null-data one-file-system only-matching passthru path-separator= pcre2 pretty quiet search-zip sort= \
             sortr= stats text trim unrestricted vimgrep binary byte-offset crlf debug trace ignore-file= \
             include-zero max-columns-preview sort-files auto-hybrid-regex unicode no-unicode pcre2-version \
             block-buffered line-buffered context-separator= field-context-separator= field-match-separator= \
             stop-on-nonmatch glob-case-insensitive ignore-file-case-insensitive dfa-size-limit= regex-size-limit=",
        )
        .always_valued("e"),
    ),
    with(
        "ag",
        options(
            "acfFhHilLoQrRsSuUvwz0",
            "ABCGgmp",
            "after= before= context= color nocolor count file-search-regex= files-with-matches files-without-matches \
             literal hidden ignore= ignore-case case-sensitive smart-case nogroup group numbers nonumbers \
             word-regexp depth= column filename nofilename max-count= only-matching",
        ),
    ),
    with(
        "fd fdfind",
        options(
            "HIusigFaLp01q",
            "dteESjco",
            "hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case glob regex \
             fixed-strings and= absolute-path follow full-path print0 max-depth= min-depth= exact-depth= prune type= \
             extension= exclude= size= changed-within= changed-before= newer= older= owner= color= threads= \
             max-results= search-path= quiet show-errors strip-cwd-prefix path-separator= one-file-system \
             base-directory= format= hyperlink no-require-git",
        ),
    ),
];
