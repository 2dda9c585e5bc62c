//! A plain command needs no shell: `cargo test --quiet` is what bash would start, in bash's own place.
//!
//! Used only if there is no visible difference: bash is the shell, every word stands for itself, and the first word
//! names a program for this machine and nothing of the shell. Everything else goes to the shell, which then also
//! reports its own errors.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use signoff_plan::shell::is_built_in;
use signoff_sandbox::program_exists;

/// Variables, by name and value.
type Variables = Vec<(OsString, OsString)>;

/// Returns what the shell would start, and with which environment, if it is plain.
pub(crate) fn parse_plain(
    text: &str,
    shell: &str,
    cwd: &Path,
    env: &[(OsString, OsString)],
) -> Option<(Vec<OsString>, Variables)> {
    if shell != "bash" || env.iter().any(|(name, _)| speaks_to_bash(name)) {
        return None;
    }
    let words = plain_words(text)?;
    let (first, rest) = words.split_first()?;
    let (program, name) = match (*first, rest.is_empty()) {
        // Built into bash, but without arguments the same as the programs of these names.
        ("true" | ":", true) => (Path::new("/usr/bin/true").to_owned(), "/usr/bin/true"),
        ("false", true) => (Path::new("/usr/bin/false").to_owned(), "/usr/bin/false"),
        (word, _) if is_part_of_bash(word) || word.contains('=') => return None,
        (word, _) => (find(word, cwd, env)?, word),
    };
    if !is_for_this_machine(&cwd.join(&program)) {
        return None;
    }
    let argv = [name].into_iter().chain(rest.iter().copied());
    let mut env = env.to_vec();
    env.extend(added_by_bash(program, cwd)?);
    Some((argv.map(OsString::from).collect(), env))
}

/// Splits a text into words that stand for themselves. Quotes, expansions, patterns, operators, comments and letters
/// beyond ASCII are not plain.
fn plain_words(text: &str) -> Option<Vec<&str>> {
    let stands_for_itself = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'-' | b'.' | b'/' | b':' | b',' | b'@' | b'%' | b'+' | b'=' | b' '
            )
    };
    let text = text.trim_matches([' ', '\n']);
    text.bytes()
        .all(stands_for_itself)
        .then(|| text.split_ascii_whitespace().collect())
}

/// Whether bash itself listens to a variable, or would change it on the way.
fn speaks_to_bash(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let with = |prefix: &[u8]| name.starts_with(prefix);
    // What names no variable is dropped by bash or kept, depending on its version.
    let odd = !name
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    odd || with(b"BASH")
        || with(b"LC_")
        || matches!(
            name,
            b"SHELLOPTS"
                | b"POSIXLY_CORRECT"
                | b"PWD"
                | b"OLDPWD"
                | b"SHLVL"
                | b"_"
                | b"IFS"
                | b"PS4"
                | b"PPID"
                | b"UID"
                | b"EUID"
                | b"ENV"
                | b"FUNCNEST"
                | b"EXECIGNORE"
                | b"HOSTTYPE"
                | b"MACHTYPE"
                | b"OSTYPE"
                | b"OPTIND"
                | b"OPTERR"
                | b"TMOUT"
                | b"COMP_WORDBREAKS"
        )
}

/// What bash gives the program that takes its place.
fn added_by_bash(program: PathBuf, cwd: &Path) -> Option<Variables> {
    let directory = cwd.canonicalize().ok()?;
    Some(vec![
        ("PWD".into(), directory.into()),
        ("SHLVL".into(), "0".into()),
        ("_".into(), program.into()),
    ])
}

/// The file that bash would find under this name.
fn find(word: &str, cwd: &Path, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let path = env.iter().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_os_str())?;
    if word.contains('/') {
        return program_exists(OsStr::new(word), path, cwd).then(|| PathBuf::from(word));
    }
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(word))
        .find(|file| program_exists(file.as_os_str(), path, cwd))
}

/// Whether the system will execute the file by itself; a script is left to the shell, which knows what to say if its
/// interpreter is missing, and reads one itself that names none.
fn is_for_this_machine(file: &Path) -> bool {
    const MACHINE: Option<[u8; 2]> = if cfg!(target_arch = "x86_64") {
        Some([62, 0])
    } else if cfg!(target_arch = "aarch64") {
        Some([183, 0])
    } else {
        None
    };
    let mut start = [0; 20];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut start));
    // The magic number, 64 bits, the order of bytes; the machine.
    read.is_ok()
        && start.starts_with(b"\x7fELF\x02\x01")
        && MACHINE.is_some_and(|machine| start.ends_with(&machine))
}

/// Whether the word is built into bash, or of its grammar.
fn is_part_of_bash(word: &str) -> bool {
    is_built_in(word) || HANDS_ON.contains(&word)
}

/// What bash does by itself and hands on to another command; the rest is in [`is_built_in`].
const HANDS_ON: [&str; 3] = ["command", "exec", "time"];

#[cfg(test)]
mod tests;
