//! A list in the user's state directory: read whole, changed under a lock, written whole.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::TrustError;
use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::root::create_private;

pub(super) trait StateFile: Serialize + DeserializeOwned + Default {
    /// Name of the file, without its ending.
    const NAME: &str;
    /// Name and version of its shape.
    const SCHEMA: &str;

    fn schema(&mut self) -> &mut String;

    /// The list; an empty one where there is no file.
    fn load(state_dir: &Path) -> Result<Self, TrustError> {
        let path = path::<Self>(state_dir);
        let damaged = |reason| TrustError::Damaged {
            path: path.clone(),
            reason,
        };
        let mut list = match atomic::read_if_exists(&path)? {
            Some(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error: serde_json::Error| damaged(error.to_string()))?,
            None => {
                let mut empty = Self::default();
                Self::SCHEMA.clone_into(empty.schema());
                empty
            }
        };
        match list.schema().as_str() {
            found if found == Self::SCHEMA => Ok(list),
            found => Err(damaged(format!(
                "its schema is `{found}`, not `{}`",
                Self::SCHEMA
            ))),
        }
    }

    /// Changes the list; `edit` says whether it did.
    fn update(state_dir: &Path, edit: impl FnOnce(&mut Self) -> bool) -> Result<(), TrustError> {
        create_private(state_dir)?;
        // Held over reading and writing, so that of two changes at once both count.
        let lock_path = state_dir.join(format!("{}.lock", Self::NAME));
        let lock = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&lock_path)
            .and_then(|file| file.lock().map(|()| file))
            .map_err(FileError::at("lock", &lock_path))?;
        let mut list = Self::load(state_dir)?;
        if edit(&mut list) {
            let unwritable = |error: serde_json::Error| TrustError::Unwritable {
                path: path::<Self>(state_dir),
                reason: error.to_string(),
            };
            let list = serde_json::to_value(list).map_err(unwritable)?;
            let text = format!("{list:#}\n");
            atomic::overwrite(&path::<Self>(state_dir), text.as_bytes(), FileMode::Private)?;
        }
        drop(lock);
        Ok(())
    }
}

fn path<T: StateFile>(state_dir: &Path) -> PathBuf {
    state_dir.join(format!("{}.json", T::NAME))
}
