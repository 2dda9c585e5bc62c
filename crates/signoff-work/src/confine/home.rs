//! The home of one attempt: what its agent logs in with, and the way to the tools.

use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::Path;
use std::{fs, io};

use super::needs::Needs;
use super::places;

/// Fills a new directory, readable by its owner only.
pub(super) fn make(home: &Path, real: Option<&Path>, needs: &Needs) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(home)?;
    let Some(real) = real else {
        return Ok(());
    };
    for file in needs.files(real) {
        let to = home.join(file);
        parents(&to)?;
        fs::copy(real.join(file), to)?;
    }
    // Readable where they are; a program that looks for them in its home finds them.
    for tool in places::tools(real) {
        let to = home.join(tool);
        parents(&to)?;
        symlink(real.join(tool), to)?;
    }
    Ok(())
}

fn parents(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}
