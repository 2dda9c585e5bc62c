//! Plain requests: what a page says may be read, nothing may be sent or stored.

use crate::shell::read_only::argument::CheckedArgument;
use crate::shell::read_only::options::{Options, ParsedArguments, options};
use crate::shell::read_only::program::{Program, Rule, commands, programs, with};
use crate::shell::read_only::refusal::{Effect, Refusal};

pub(super) const PROGRAMS: &[Program] = &[
    programs("curl", Rule::Checked(CURL, curl)),
    programs("wget", Rule::Checked(WGET, wget)),
    programs("gh", Rule::Commands(options("", "", "").leading(), GH)),
];

const CURL: Options = options(
    "sSfLivkI46gN0#",
    "HAemrXow",
    "silent show-error fail fail-with-body fail-early location include verbose insecure head compressed ipv4 ipv6 globoff \
     max-time= connect-timeout= header= user-agent= referer= range= retry= retry-delay= retry-max-time= http1.0 http1.1 \
     http2 http3 no-progress-meter progress-bar no-buffer max-redirs= request= write-out= url= output= tlsv1.2 tlsv1.3",
);

fn curl(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    check_each(given, &["X", "request"], |method| {
        matches!(method, "GET" | "HEAD")
    })?;
    check_each(given, &["o", "output"], |file| {
        matches!(file, "-" | "/dev/null")
    })?;
    // `%output{FILE}` writes, `@FILE` sends or reads a file.
    check_each(given, &["w", "write-out"], |format| {
        !format.contains("output{") && !format.starts_with('@')
    })?;
    check_each(given, &["H", "header"], |header| !header.starts_with('@'))?;
    check_each(given, &["url"], |url| !url.starts_with('@') && is_web(url))?;
    urls(&given.operands)
}

/// Every value must be known and pass.
fn check_each(
    given: &ParsedArguments<'_>,
    names: &[&str],
    passes: fn(&str) -> bool,
) -> Result<(), Refusal> {
    for value in given.values(names) {
        match value {
            Some(value) if passes(value) => {}
            Some(value) => return Err(Refusal::Effect(value.to_owned(), Effect::Writes)),
            None => {
                let name = names.last().copied().unwrap_or_default();
                return Err(Refusal::Unforeseeable(name.to_owned()));
            }
        }
    }
    Ok(())
}

/// The whole address must be known: what is filled in could carry a file's content away.
fn urls(operands: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    for url in operands {
        match url.text {
            Some(text) if is_web(text) => {}
            Some(_) => return Err(Refusal::UnknownArgument(url.raw.to_owned())),
            None => return Err(Refusal::Unforeseeable(url.raw.to_owned())),
        }
    }
    Ok(())
}

/// A page of the web, or a name without a scheme; other schemes can send mail and more. Without one curl
/// guesses by the name of the machine, once it has filled in patterns and taken away the user before an `@`.
fn is_web(url: &str) -> bool {
    if let Some((scheme, _)) = url.split_once(":/") {
        return scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    }
    let guessed = [
        "ftp", "dict", "ldap", "imap", "smtp", "pop3", "gopher", "telnet",
    ];
    let small = url.to_ascii_lowercase();
    let machine = small.split(['/', '?', '#']).next().unwrap_or(&small);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
    machine.chars().all(is_plain) && !guessed.iter().any(|name| machine.starts_with(name))
}

const WGET: Options = options(
    "qS46",
    "OTtU",
    "quiet spider output-document= timeout= tries= user-agent= server-response no-verbose no-hsts header= no-check-certificate",
);

fn wget(given: &ParsedArguments<'_>) -> Result<(), Refusal> {
    check_each(given, &["O", "output-document"], |file| {
        matches!(file, "-" | "/dev/null")
    })?;
    if !given.has(&["O", "output-document", "spider", "help", "version"]) {
        return Err(Refusal::Missing("`-O -`"));
    }
    urls(&given.operands)
}

/// Not `--web`, which opens a browser.
const GH_OPTIONS: Options = options(
    "c",
    "qTLsAlSHBbajeuoR",
    "json= jq= template= limit= state= author= label= search= head= base= repo= comments log log-failed job= workflow= branch= \
     name-only patch color= attempt= verbose exit-status assignee= milestone= required event= user= status= created= \
     commit= sort= order= language= owner= visibility= archived exclude-drafts exclude-pre-releases draft closed mention=",
);

const GH: &[Program] = &[
    commands("pr", &[with("view list status diff checks", GH_OPTIONS)]),
    commands("issue", &[with("view list status", GH_OPTIONS)]),
    commands(
        "repo release label workflow",
        &[with("view list", GH_OPTIONS)],
    ),
    commands("run", &[with("view list", GH_OPTIONS)]),
    commands(
        "search",
        &[with("code commits issues prs repos", GH_OPTIONS)],
    ),
    commands(
        "auth",
        &[with("status", options("", "", "hostname=").operands(0))],
    ),
    with("api", options("", "q", "jq= paginate").operands(1)),
    with("status", options("", "oe", "org= exclude=")),
];
