//! Variables that may be set without changing what programs do.

use super::refusal::{Effect, Refusal};

/// Variables in small letters that zsh or a program gives a meaning.
const SPECIAL: [&str; 18] = [
    "all_proxy",
    "argv",
    "cdpath",
    "fignore",
    "fpath",
    "ftp_proxy",
    "histchars",
    "http_proxy",
    "https_proxy",
    "mailpath",
    "manpath",
    "module_path",
    "no_proxy",
    "path",
    "prompt",
    "psvar",
    "status",
    "watch",
];

/// Whether a variable means nothing to any program.
pub(super) fn may_be_set(name: &str) -> Result<(), Refusal> {
    let small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let own = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.bytes().all(small);
    let prefixed = ["npm_", "pnpm_", "yarn_", "bun_"];
    let special = SPECIAL.contains(&name) || prefixed.iter().any(|start| name.starts_with(start));
    if own && !special && !name.ends_with("_functions") {
        Ok(())
    } else {
        Err(Refusal::Effect(name.to_owned(), Effect::ChangesShell))
    }
}

/// Whether `name=value` only reads, `alone` or before a command. The value is `None` where it is not known.
pub(super) fn assignment(name: &str, value: Option<&str>, alone: bool) -> Result<(), Refusal> {
    // Some later expansion could run it.
    let dormant = value.is_some_and(|value| value.contains(['$', '`']));
    let harmless = value.is_some_and(|value| is_harmless(name, value)) || name == "IFS";
    if harmless && !dormant {
        return Ok(());
    }
    if alone && !dormant {
        return may_be_set(name);
    }
    Err(Refusal::Effect(name.to_owned(), Effect::ChangesShell))
}

/// Settings that programs know, with values that only change how something looks.
fn is_harmless(name: &str, value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._@:-".contains(&byte);
    let word = value.bytes().all(plain);
    match name {
        "LANG" | "LANGUAGE" | "TERM" => word,
        name if name.starts_with("LC_") => word,
        "TZ" => value
            .bytes()
            .all(|byte| plain(byte) || byte == b'/' || byte == b'+'),
        "NO_COLOR" | "CLICOLOR" | "CLICOLOR_FORCE" | "FORCE_COLOR" | "COLUMNS" | "LINES" | "CI" => {
            word
        }
        "PAGER" | "GIT_PAGER" | "MANPAGER" | "GH_PAGER" | "SYSTEMD_PAGER" | "BAT_PAGER" => {
            matches!(value, "" | "cat" | "/bin/cat")
        }
        "GIT_OPTIONAL_LOCKS" | "GIT_TERMINAL_PROMPT" => value == "0",
        _ => false,
    }
}
