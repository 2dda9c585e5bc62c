//! Programs that look at files, directories and archives.

use crate::shell::read_only::argument::CheckedArgument;
use crate::shell::read_only::options::{Options, ParsedArguments, one_dash, options};
use crate::shell::read_only::program::{Program, Rule, any, programs, with};
use crate::shell::read_only::refusal::Refusal;

pub(super) const PROGRAMS: &[Program] = &[
    any(
        "ls dir vdir eza exa lsd stat du df basename dirname realpath readlink namei pathchk getfacl getfattr lsattr \
         md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 cmp diff hexdump hd od \
         zipinfo",
    ),
    with(
        "tree",
        options(
            "adfilxsphugDFqNQCASntrcUvXJ",
            "LPIHT",
            "noreport dirsfirst filesfirst gitignore prune charset= filelimit= du si inodes device timefmt= matchdirs \
             ignore-case metafirst sort= info fromfile",
        )
        .separate(),
    ),
    with(
        "file",
        options(
            "bciIkLNnprsSvzZ0hdEl",
            "fFmPe",
            "brief mime mime-type mime-encoding dereference no-dereference uncompress raw special-files separator= \
             files-from= keep-going print0 extension exclude= magic-file= no-pad no-buffer apple",
        ),
    ),
    with(
        "sdiff",
        options(
            "iEZbWBalst",
            "Iw",
            "ignore-case ignore-all-space text width= left-column suppress-common-lines",
        ),
    ),
    with(
        "diff3",
        options(
            "aAeE3xXimT",
            "L",
            "text show-all merge ed show-overlap label= strip-trailing-cr",
        ),
    ),
    with(
        "xxd",
        one_dash("a b d e i p ps u C E c= g= l= s= o= n= plain cols= len= seek=")
            .operands(1)
            .first(),
    ),
    programs(
        "gzip gunzip xz unxz bzip2 bunzip2 zstd unzstd",
        Rule::Checked(COMPRESSION, to_stdout),
    ),
    with("zcat gzcat bzcat xzcat lzcat zstdcat", options("", "", "")),
    programs("tar gtar bsdtar", Rule::Arguments(tar)),
    programs(
        "unzip",
        Rule::Checked(options("ltvpqcZz1", "", "").first(), shows_archive),
    ),
    with(
        "strings",
        options(
            "af0123456789",
            "nte",
            "all bytes= radix= encoding= print-file-name",
        ),
    ),
    with("size", options("AB", "", "format=")),
    with(
        "readelf",
        options(
            "aehlSgtsnrudVADIWc",
            "pxR",
            "all file-header program-headers sections symbols dynamic notes relocs wide",
        ),
    ),
    programs(
        "nm",
        Rule::Checked(
            options(
                "aACDglnopPrSuv",
                "t",
                "demangle dynamic defined-only undefined-only extern-only size-sort numeric-sort print-size no-sort reverse-sort",
            ),
            own_options,
        ),
    ),
    programs(
        "objdump",
        Rule::Checked(
            options(
                "dDfhpxtTrRsCw",
                "jM",
                "disassemble disassemble-all demangle section= syms headers file-headers all-headers full-contents private-headers dynamic-syms reloc no-show-raw-insn start-address= stop-address=",
            ),
            own_options,
        ),
    ),
    with("otool", options("LlhtvDfaS", "", "")),
];

const COMPRESSION: Options = options(
    "cdlktvq",
    "",
    "stdout to-stdout decompress uncompress list test keep verbose quiet",
)
.first();

/// Without one of these they replace the file.
fn to_stdout(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    let stdout = given.has(&["c", "stdout", "to-stdout"]);
    // Of `-t` and `-d` some follow the last.
    let unpacks = given.has(&["d", "decompress", "uncompress"]);
    let looks = given.has(&["l", "list", "t", "test", "help", "version"]) && !unpacks;
    if stdout || looks || given.operands.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Missing("`-c`, `-l` or `-t`"))
    }
}

const TAR: Options = options("tvzjJ", "f", "list verbose gzip bzip2 xz zstd file=");

/// `-t`, or `t` in the form without a dash, which only the first word can have. An archive with a colon may
/// be on another machine.
fn tar(arguments: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let Some((first, rest)) = arguments.split_first() else {
        return Ok(());
    };
    let letters = first.text.unwrap_or_default();
    let mut archives = Vec::new();
    if letters.starts_with('-') {
        let given = TAR.read(arguments)?;
        if !given.has(&["t", "list", "help", "version"]) {
            return Err(Refusal::Missing("`-t`"));
        }
        archives.extend(given.values(&["f", "file"]));
    } else {
        let modes = letters.strip_suffix('f').unwrap_or(letters);
        if !modes.contains('t') || !modes.chars().all(|c| "tvzjJ".contains(c)) {
            return Err(Refusal::UnknownArgument(first.raw.to_owned()));
        }
        let given = TAR.read(rest)?;
        archives.extend(given.values(&["f", "file"]));
        archives.extend(given.operands.first().map(|archive| archive.text));
    }
    match archives
        .iter()
        .find(|archive| archive.is_none_or(|name| name.contains(':')))
    {
        Some(archive) => Err(Refusal::Unforeseeable(
            archive.unwrap_or("the archive").to_owned(),
        )),
        None => Ok(()),
    }
}

fn shows_archive(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    if given.has(&["l", "t", "v", "p", "c", "Z", "z"]) || given.operands.is_empty() {
        Ok(())
    } else {
        Err(Refusal::Missing("`-l`, `-p` or `-t`"))
    }
}

/// `@FILE` reads more options from a file.
fn own_options(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    match given.operands.iter().find(|file| file.may_start_with("@")) {
        Some(file) => Err(Refusal::UnknownArgument(file.raw.to_owned())),
        None => Ok(()),
    }
}
