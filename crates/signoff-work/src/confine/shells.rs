//! Shells that nothing they start can look into.
//!
//! A contract's shell, and scripts that a shell runs, judge the code that they start. That code has the same user, and
//! would find the shell's output and memory below `/proc`. The kernel closes a process to others of its user if they
//! cannot read its program; so contracts find every shell as a copy that can be executed and not read.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_sandbox::Bind;

use crate::project::helpers::SHELLS;

/// Where a machine has its own programs.
const PLACES: [&str; 4] = ["/usr", "/bin", "/nix", "/opt"];

/// Copies the shells that are found by PATH to `place`, and returns what contracts find in their places.
pub fn closed_shells(directory: &Path, path: &OsStr) -> io::Result<Vec<Bind>> {
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let files = folders
        .iter()
        .flat_map(|folder| SHELLS.map(|shell| folder.join(shell)));
    let files = files.filter_map(|file| file.canonicalize().ok());
    let is_the_machines =
        |file: &PathBuf| PLACES.iter().any(|directory| file.starts_with(directory));
    let files: BTreeSet<PathBuf> = files.filter(is_the_machines).collect();
    fs::create_dir_all(directory)?;
    let close = |(number, file): (usize, PathBuf)| {
        let copy = directory.join(number.to_string());
        if copy.exists() {
            fs::remove_file(&copy)?;
        }
        fs::copy(&file, &copy)?;
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o111))?;
        Ok(Bind {
            from: copy,
            to: file,
            writable: false,
        })
    };
    files.into_iter().enumerate().map(close).collect()
}
