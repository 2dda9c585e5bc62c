//! A program that the person uses in their terminal, while this process waits: an editor.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// Runs it with the terminal, the directory and the environment of this process. Whether it succeeded.
///
/// It is not confined: the person asked for it, and works with it.
pub fn run_in_foreground(argv: &[OsString], file: &Path) -> io::Result<bool> {
    let (program, rest) = argv
        .split_first()
        .ok_or_else(|| io::Error::other("no program is named"))?;
    Ok(Command::new(program)
        .args(rest)
        .arg(file)
        .status()?
        .success())
}
