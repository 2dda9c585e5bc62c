//! The home of one attempt: what its agent logs in with, and the way to the tools.

use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::path::Path;
use std::{fs, io};

use super::needs::{Login, Needs};
use super::places;
use crate::environment::Variables;

/// Fills a new directory, readable by its owner only.
pub(super) fn make(
    home: &Path,
    real: Option<&Path>,
    needs: &Needs,
    all: &Variables,
) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home)?;
    let Some(real) = real else {
        return Ok(());
    };
    for login in needs.files(real, all) {
        copy(&login, home).map_err(|why| {
            let from = login.from.display();
            io::Error::new(
                why.kind(),
                format!("the agent's login {from} cannot be copied: {why}"),
            )
        })?;
    }
    // Readable where they are; a program that looks for them in its home finds them.
    for tool in places::tools(real) {
        let to = home.join(tool);
        parents(&to)?;
        match symlink(real.join(tool), to) {
            // A login lies in there: its own folder stays.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            linked => linked?,
        }
    }
    Ok(())
}

/// A copy, so that the agent cannot change the real one; its own it may, whatever that one allows.
fn copy(login: &Login, home: &Path) -> io::Result<()> {
    let to = home.join(&login.to);
    parents(&to)?;
    fs::copy(&login.from, &to)?;
    fs::set_permissions(&to, fs::Permissions::from_mode(0o600))
}

fn parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}
