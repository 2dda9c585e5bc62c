//! Runs: their names, and which there are.

mod directory;
pub mod requests;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use self::directory::RETIRED;
pub use self::directory::{AttemptDir, RunDir};
use crate::files::lock::StartLock;
use crate::files::{FileError, timestamp};
use crate::key;
use crate::root::Store;

/// Digits that sort as they count, without letters that look like others.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A run that has a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEntry {
    pub id: String,
    pub dir: RunDir,
}

impl Store {
    /// The directory of a run; it need not exist. No id leads out of `runs/`.
    pub fn run_dir(&self, run_id: &str) -> RunDir {
        RunDir::at(self.runs_dir().join(key::encode(run_id)))
    }
}

/// A name like `20261115-093012-k3f9`: UTC, then two digits of the fraction of the second and two
/// of `random`. Names sort by time, to the millisecond.
pub fn new_run_id(now: SystemTime, random: u32) -> String {
    let now = timestamp::in_range(now);
    let nanos = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    // A 1024th of a second is two digits.
    let fraction = u64::from(nanos) * 1024 / 1_000_000_000;
    let digits = [
        fraction >> 5,
        fraction,
        u64::from(random >> 5),
        u64::from(random),
    ];
    let mut id: String = timestamp::rfc3339_ms(now)
        .chars()
        .take("2026-11-15T09:30:12".len())
        .filter(|letter| !matches!(letter, '-' | ':'))
        .map(|letter| if letter == 'T' { '-' } else { letter })
        .collect();
    id.push('-');
    id.extend(digits.map(digit));
    id
}

/// The lowest five bits as one digit.
fn digit(value: u64) -> char {
    usize::try_from(value & 31).map_or('0', |index| char::from(DIGITS[index]))
}

/// All runs of the store, newest last.
pub fn list(store: &Store) -> Result<Vec<RunEntry>, FileError> {
    let directory = store.runs_dir();
    let entries = match fs::read_dir(&directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::at("read", &directory))?,
    };
    let mut runs = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FileError::at("read", &directory))?;
        if let Ok(id) = entry.file_name().into_string()
            && is_run_id(&id)
        {
            let dir = store.run_dir(&id);
            runs.push(RunEntry { id, dir });
        }
    }
    runs.sort_by(|one, two| one.id.cmp(&two.id));
    Ok(runs)
}

/// Clears away runs that died before their first event and that no process holds: nothing happened in them. `_starting`
/// keeps out runs that are being made. `is_needed` says for a run and the key of its plan whether a log relies on its
/// directory. `remove` removes what the run left elsewhere and its directory; with an empty name, a directory whose
/// removal was cut off.
pub fn remove_never_begun(
    store: &Store,
    _starting: &StartLock,
    is_needed: impl Fn(&str, &str) -> bool,
    remove: impl Fn(&str, &Path) -> io::Result<()>,
) -> Result<(), FileError> {
    for path in retired_directories(store)? {
        remove("", &path).map_err(FileError::at("remove", &path))?;
    }
    for entry in list(store)? {
        let is_held = || crate::files::lock::is_held(&entry.dir.lock()).unwrap_or(true);
        let key = || fs::read_to_string(entry.dir.starting_marker()).unwrap_or_default();
        if entry.dir.never_began() && !is_held() && !is_needed(&entry.id, &key()) {
            let path = entry.dir.take_name_away()?;
            remove(&entry.id, &path).map_err(FileError::at("remove", &path))?;
        }
    }
    Ok(())
}

/// Directories of runs that are being removed, or whose removal was cut off.
pub fn retired_directories(store: &Store) -> Result<Vec<PathBuf>, FileError> {
    let directory = store.runs_dir();
    let entries = match fs::read_dir(&directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::at("read", &directory))?,
    };
    let is_retired = |entry: &fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let run = name
            .strip_prefix('.')
            .and_then(|name| name.strip_suffix(RETIRED));
        run.is_some_and(is_run_id)
    };
    let retired = entries.flatten().filter(is_retired);
    Ok(retired.map(|entry| entry.path()).collect())
}

/// Whether this is spelled like a name of [`new_run_id`].
pub fn is_run_id(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 20
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 15 => *byte == b'-',
            16.. => DIGITS.contains(byte),
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at_ms(ms: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(ms)
    }

    #[test]
    fn names_sort_by_time() {
        let start = 1_794_735_012_000;
        assert_eq!(new_run_id(at_ms(start), 0), "20261115-093012-0000");
        assert_eq!(new_run_id(at_ms(start + 999), 1023), "20261115-093012-zyzz");
        let mut names = Vec::new();
        for ms in (0..2500).step_by(2) {
            names.push(new_run_id(
                at_ms(start + ms),
                u32::MAX - u32::try_from(ms).unwrap(),
            ));
        }
        assert!(names.is_sorted() && names.iter().all(|name| is_run_id(name)));
    }

    #[test]
    fn only_a_run_that_says_so_never_began() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let run = store.run_dir(&new_run_id(at_ms(1000), 7));
        run.create().unwrap();
        assert!(run.never_began(), "a crash came before everything else");
        run.mark_starting("plan").unwrap();
        fs::write(run.journal(), "").unwrap();
        assert!(run.never_began());
        fs::write(run.journal(), "{}\n").unwrap();
        assert!(!run.never_began());
        run.mark_begun().unwrap();
        run.mark_begun().unwrap();
        // Emptied, lost, torn: it began all the same.
        fs::write(run.journal(), "").unwrap();
        assert!(!run.never_began());
        fs::write(run.journal(), "{").unwrap();
        assert!(!run.never_began());
        fs::remove_file(run.journal()).unwrap();
        fs::write(run.path().join("plan.md"), "").unwrap();
        assert!(!run.never_began());
    }

    #[test]
    fn the_list_is_by_age_and_knows_only_runs() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        assert_eq!(list(&store).unwrap(), []);
        let ids = [3000, 1000, 2000].map(|ms| new_run_id(at_ms(ms), 7));
        for id in &ids {
            assert!(store.run_dir(id).create().unwrap());
            assert!(!store.run_dir(id).create().unwrap());
        }
        fs::create_dir(store.runs_dir().join("notes")).unwrap();
        let listed: Vec<_> = list(&store)
            .unwrap()
            .into_iter()
            .map(|run| run.id)
            .collect();
        assert_eq!(listed, [ids[1].clone(), ids[2].clone(), ids[0].clone()]);
    }
}
