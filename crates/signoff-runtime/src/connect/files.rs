//! Reads the files that are to be edited.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{ConnectError, Error};

/// What a file says; none if it does not exist. A link is followed.
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(refuse(path, "it is not UTF-8")),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            // A link that leads nowhere is somebody's, and we do not know what it is for.
            match fs::symlink_metadata(path) {
                Ok(_) => Err(refuse(path, "it is a link to a file that does not exist")),
                Err(_) => Ok(None),
            }
        }
        Err(error) => Err(refuse(path, &error.to_string())),
    }
}

/// Refuses a file that its owner made read-only.
pub(super) fn require_writable(path: &Path) -> Result<(), Error> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.permissions().readonly() => Err(refuse(path, "it is read-only")),
        _ => Ok(()),
    }
}

fn refuse(path: &Path, why: &str) -> Error {
    ConnectError::Refused {
        path: path.to_owned(),
        why: why.to_owned(),
        paste: None,
    }
    .into()
}
