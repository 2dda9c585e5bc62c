//! The project's id: made once, committed with the project, and part of every signature, so that a
//! signature that is copied to another project does not count there.
//!
//! It lies in `.signoff/`, which agents cannot write to. Someone who copies the whole directory copies
//! the id as well; which directories have which id is remembered outside of it, in
//! [`crate::trust::projects`].

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::Store;
use crate::files::atomic::{self, FileMode};
use crate::files::{FileError, no_follow};

const SCHEMA: &str = "signoff.project/1";

/// Bytes of randomness: two projects never get the same id by chance.
const BYTES: usize = 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile {
    schema: String,
    id: String,
}

impl Store {
    /// The file that holds the project's id.
    pub fn project_path(&self) -> PathBuf {
        self.dir.join("project.json")
    }

    /// The project's id; none where nothing was ever written to the store, or only by a version of
    /// signoff that made none.
    pub fn project_id(&self) -> Result<Option<String>, FileError> {
        let path = self.project_path();
        let Some(bytes) = no_follow::read_if_exists(&path)? else {
            return Ok(None);
        };
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidData, why);
        let id = parse(&bytes).map_err(invalid);
        id.map(Some).map_err(FileError::at("understand", &path))
    }

    /// When the id was made, which is with the first thing that was written here; in a copy or a clone, when that was
    /// made. None where nothing was. In milliseconds since 1970.
    pub fn adopted_at(&self) -> Option<u64> {
        let made = self.project_path().metadata().ok()?.modified().ok()?;
        let since = made.duration_since(UNIX_EPOCH).ok()?;
        u64::try_from(since.as_millis()).ok()
    }

    /// Makes the id, unless there is one.
    pub(super) fn make_project_id(&self) -> Result<(), FileError> {
        let path = self.project_path();
        if path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let id = random_id().map_err(FileError::at("make an id for", &path))?;
        let file = ProjectFile {
            schema: SCHEMA.to_owned(),
            id,
        };
        let text = format!("{:#}\n", serde_json::json!(file));
        atomic::create(&path, text.as_bytes(), FileMode::Shared)?;
        Ok(())
    }
}

fn parse(bytes: &[u8]) -> Result<String, String> {
    let file: ProjectFile = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if file.schema != SCHEMA {
        return Err(format!("its schema is `{}`, not `{SCHEMA}`", file.schema));
    }
    let is_hexadecimal = file
        .id
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if file.id.len() != 2 * BYTES || !is_hexadecimal {
        return Err("its id is not what `signoff init` makes".to_owned());
    }
    Ok(file.id)
}

fn random_id() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn it_is_made_once_and_differs_between_projects() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let store = Store::create(one.path()).unwrap();
        let id = store.project_id().unwrap().unwrap();
        assert_eq!(
            Store::create(one.path()).unwrap().project_id().unwrap(),
            Some(id.clone())
        );
        let other = Store::create(other.path()).unwrap();
        assert_ne!(other.project_id().unwrap(), Some(id));
    }

    #[test]
    fn a_store_of_an_earlier_version_gets_one_at_the_next_write() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        fs::remove_file(store.project_path()).unwrap();
        assert_eq!(store.project_id().unwrap(), None);
        store.create_missing().unwrap();
        assert!(store.project_id().unwrap().is_some());
    }

    #[test]
    fn what_is_no_id_is_an_error_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        for text in [
            "",
            r#"{"schema":"signoff.project/1","id":""}"#,
            r#"{"schema":"signoff.project/1","id":"../../../../../../../../../etc/p"}"#,
            r#"{"schema":"signoff.project/2","id":"00112233445566778899aabbccddeeff"}"#,
        ] {
            fs::write(store.project_path(), text).unwrap();
            store.create_missing().unwrap();
            assert!(store.project_id().is_err(), "{text}");
            assert_eq!(fs::read_to_string(store.project_path()).unwrap(), text);
        }
    }

    #[test]
    fn no_link_stands_in_for_it() {
        let [mine, others] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (mine, others) = (
            Store::create(mine.path()).unwrap(),
            Store::create(others.path()).unwrap(),
        );
        fs::remove_file(mine.project_path()).unwrap();
        symlink(others.project_path(), mine.project_path()).unwrap();
        assert!(mine.project_id().unwrap_err().is_link());
    }
}
