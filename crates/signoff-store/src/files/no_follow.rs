//! Reads files of the store without following links: a link could lead to what somebody else wrote,
//! or to a pipe that nobody writes to.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::files::FileError;

/// Opens a regular file; a link in its place is refused.
pub(crate) fn open(path: &Path) -> Result<File, FileError> {
    // Not blocking: opening a pipe would wait for its other end.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| match error {
        Errno::LOOP => io::Error::other(Link),
        error => error.into(),
    });
    let file = File::from(opened.map_err(FileError::at("read", path))?);
    let is_file = file
        .metadata()
        .map_err(FileError::at("read", path))?
        .is_file();
    if !is_file {
        let other = io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file");
        return Err(FileError::at("read", path)(other));
    }
    Ok(file)
}

/// The content of a regular file; nothing where there is no file.
pub(crate) fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    let mut file = match open(path) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(FileError::at("read", path))?;
    Ok(Some(bytes))
}

/// A link stands where the store should be.
#[derive(Debug)]
pub(crate) struct Link;

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it is a link, and nothing of the store is read or written behind one")
    }
}

impl std::error::Error for Link {}
