//! What lies where in the directory of a run.

use std::fs::{DirBuilder, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::key;
use crate::root::create_private;

/// The directory of one run; knows the places in it, whether or not they exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

/// The directory of one attempt at a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptDir {
    path: PathBuf,
}

/// How the name ends of a directory that is being removed.
pub(super) const RETIRED: &str = ".signoff-gone";

impl RunDir {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// The directory as seen from the workspace, for telling people where something lies.
    pub fn seen_from_workspace(run: &str) -> Self {
        Self::at(Path::new(".signoff/runs").join(run))
    }

    /// Makes the directory; false when a run of this name exists already.
    pub fn create(&self) -> Result<bool, FileError> {
        if let Some(runs) = self.path.parent() {
            create_private(runs)?;
        }
        match DirBuilder::new().mode(0o700).create(&self.path) {
            Ok(()) => atomic::sync_parent(&self.path).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(FileError::at("create", &self.path)(error)),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// Says, until the first event is journaled, that nothing has happened in this run yet. Holds the plan's key. A
    /// directory without it whose journal is gone or empty is damaged, and not one that never began.
    pub fn starting_marker(&self) -> PathBuf {
        self.path.join("starting")
    }

    /// Says that the run is about to begin.
    pub fn mark_starting(&self, key: &str) -> Result<(), FileError> {
        atomic::overwrite_unsynced(&self.starting_marker(), key.as_bytes(), FileMode::Private)
    }

    /// Says that the run has begun. An absent mark is fine.
    pub fn mark_begun(&self) -> Result<(), FileError> {
        if self.starting_marker().symlink_metadata().is_err() {
            return Ok(());
        }
        atomic::remove(&self.starting_marker())
    }

    /// Takes the run's name away, so that nobody finds half of it while it is removed. Returns where it is now.
    pub fn take_name_away(&self) -> Result<PathBuf, FileError> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let gone = self.path.with_file_name(format!(".{name}{RETIRED}"));
        atomic::remove_whole(&gone)?;
        fs::rename(&self.path, &gone).map_err(FileError::at("remove", &self.path))?;
        Ok(gone)
    }

    /// Says that other machines drive the run, and what is here of it.
    pub fn shared_marker(&self) -> PathBuf {
        self.path.join("shared.json")
    }

    /// Do other machines drive the run?
    pub fn is_shared(&self) -> bool {
        self.shared_marker().is_file()
    }

    /// Whether the run died before its first event, so that nothing happened in it.
    pub fn never_began(&self) -> bool {
        // No more than the first line: a journal may be large.
        let mut first = Vec::new();
        let read = File::open(self.journal())
            .and_then(|journal| BufReader::new(journal).read_until(b'\n', &mut first));
        let has_event = match read {
            Ok(_) => first.ends_with(b"\n"),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        };
        let is_marked = || self.starting_marker().is_file();
        // A crash may have come before the mark had its name.
        let is_hidden = |entry: io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.file_name().as_encoded_bytes().starts_with(b"."))
        };
        let is_empty = || fs::read_dir(&self.path).is_ok_and(|mut found| found.all(is_hidden));
        !has_event && (is_marked() || is_empty())
    }

    pub fn blobs(&self) -> PathBuf {
        self.path.join("blobs")
    }

    /// What the checkout held before contracts and agents changed it.
    pub fn tree(&self) -> PathBuf {
        self.path.join("tree")
    }

    /// Copies of the signatures that it went on under.
    pub fn signatures(&self) -> PathBuf {
        self.path.join("signatures")
    }

    /// The run's versions of files that could not be written to the checkout, for a person to look at.
    pub fn held_versions(&self) -> PathBuf {
        self.path.join("held")
    }

    /// Where tools give a file a name before it takes another's place.
    pub fn staging_directory(&self) -> PathBuf {
        self.path.join("staging")
    }

    /// The home and temporary directory of one process while it runs.
    pub fn scratch(&self, step: &str, attempt: u32, what: &str) -> PathBuf {
        let step = key::encode(step);
        self.scratches().join(format!("{step}-{attempt}-{what}"))
    }

    fn scratches(&self) -> PathBuf {
        self.path.join("scratch")
    }

    /// Where killed processes leave their temporary files. Others wrote these and may have removed the permissions.
    pub fn leftovers(&self) -> [PathBuf; 2] {
        [self.staging_directory(), self.scratches()]
    }

    /// The lock of the process that drives this run.
    pub fn lock(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// Where the plan's exact bytes lie: `plan.md`, or with the extension it had.
    pub fn snapshot(&self, extension: &str) -> PathBuf {
        if extension.is_empty() {
            return self.path.join("plan");
        }
        self.path.join(format!("plan.{}", key::encode(extension)))
    }

    /// Keeps the plan's exact bytes. A run has one snapshot, which never changes.
    pub fn save_snapshot(&self, extension: &str, bytes: &[u8]) -> Result<PathBuf, FileError> {
        let path = self.snapshot(extension);
        if !atomic::create(&path, bytes, FileMode::Private)? {
            let exists = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(FileError::at("create", &path)(exists));
        }
        Ok(path)
    }

    /// Keeps the exact files of a plan that is a directory, by their names in it. What is not a file
    /// there has a name that ends in a slash.
    pub fn save_snapshot_files<'f>(
        &self,
        files: impl Iterator<Item = (&'f str, &'f [u8])>,
    ) -> Result<PathBuf, FileError> {
        let root = self.snapshot("");
        save_files(&root, files)?;
        Ok(root)
    }

    /// Where a later version of the plan lies: `plan-2.md`, or with the extension it had.
    pub fn version(&self, number: usize, extension: &str) -> PathBuf {
        let name = format!("plan-{number}");
        if extension.is_empty() {
            return self.path.join(name);
        }
        self.path.join(format!("{name}.{}", key::encode(extension)))
    }

    /// Keeps the exact bytes of a later version. Until the journal names it, what a crash left there
    /// is nobody's, and is overwritten.
    pub fn save_version(
        &self,
        number: usize,
        extension: &str,
        bytes: &[u8],
    ) -> Result<PathBuf, FileError> {
        let path = self.version(number, extension);
        atomic::overwrite(&path, bytes, FileMode::Private)?;
        Ok(path)
    }

    /// Keeps a version of the plan that was drafted and that nobody has signed yet; returns its name.
    pub fn save_text(
        &self,
        name: &str,
        extension: &str,
        bytes: &[u8],
    ) -> Result<String, FileError> {
        let name = format!("{name}.{extension}");
        atomic::overwrite(&self.path().join(&name), bytes, FileMode::Private)?;
        Ok(name)
    }

    /// The same of a plan that is a directory.
    pub fn save_version_files<'f>(
        &self,
        number: usize,
        files: impl Iterator<Item = (&'f str, &'f [u8])>,
    ) -> Result<PathBuf, FileError> {
        let root = self.version(number, "");
        if root.exists() {
            atomic::remove_directory(&root)?;
        }
        save_files(&root, files)?;
        Ok(root)
    }

    /// The snapshot's path and bytes, whatever its extension.
    pub fn load_snapshot(&self) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            entries => entries.map_err(FileError::at("read", &self.path))?,
        };
        for entry in entries {
            let path = entry.map_err(FileError::at("read", &self.path))?.path();
            if path.file_stem().is_some_and(|stem| stem == "plan") {
                let bytes = fs::read(&path).map_err(FileError::at("read", &path))?;
                return Ok(Some((path, bytes)));
            }
        }
        Ok(None)
    }

    /// Where a file for each call lies that does harm if it is made twice: the journal is not the only witness of it.
    pub fn calls(&self) -> PathBuf {
        self.path.join("calls")
    }

    /// The file of the call of one attempt at a step.
    pub fn call_mark(&self, step_id: &str, attempt: u32) -> PathBuf {
        let name = format!("{}.{attempt}", key::encode(step_id));
        self.calls().join(name)
    }

    /// Keeps this about a call that is about to be made.
    pub fn mark_call(&self, step_id: &str, attempt: u32, text: &[u8]) -> Result<(), FileError> {
        create_private(&self.calls())?;
        let path = self.call_mark(step_id, attempt);
        // It is written in place: a mark that a crash cut off belongs to a call that was not made, and leaves no
        // temporary file.
        let mut options = fs::OpenOptions::new();
        let options = options.write(true).create(true).truncate(true).mode(0o600);
        let written = options
            .open(&path)
            .and_then(|mut file| file.write_all(text));
        written.map_err(FileError::at("write", &path))
    }

    /// Where the attempts at its steps are.
    pub fn steps(&self) -> PathBuf {
        self.path.join("steps")
    }

    /// The place of one attempt at a step. No step id leads out of `steps/`.
    pub fn attempt(&self, step_id: &str, attempt: u32) -> AttemptDir {
        let steps = self.steps();
        // The item of a loop, `ID[3]`, has no brackets on disk.
        let plain = step_id
            .strip_suffix(']')
            .and_then(|id| id.rsplit_once('['))
            .map_or_else(|| step_id.to_owned(), |(id, key)| format!("{id}.{key}"));
        AttemptDir {
            path: steps.join(key::encode(&plain)).join(attempt.to_string()),
        }
    }
}

fn save_files<'f>(
    root: &Path,
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
) -> Result<(), FileError> {
    create_private(root)?;
    for (name, bytes) in files {
        let path = root.join(name);
        if name.ends_with('/') {
            create_private(&path)?;
            continue;
        }
        if let Some(parent) = path.parent() {
            create_private(parent)?;
        }
        if !atomic::create(&path, bytes, FileMode::Private)? {
            let exists = io::Error::from(io::ErrorKind::AlreadyExists);
            return Err(FileError::at("create", &path)(exists));
        }
    }
    Ok(())
}

impl AttemptDir {
    /// Makes the directory, if it is not there.
    pub fn create(&self) -> Result<(), FileError> {
        create_private(&self.path)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the agent committed or stashed in its own repository.
    pub fn repository(&self) -> PathBuf {
        self.path.join("git")
    }

    /// How the checkout looked before the agent worked in it.
    pub fn before(&self) -> PathBuf {
        self.path.join("before")
    }

    pub fn prompt(&self) -> PathBuf {
        self.path.join("prompt")
    }

    pub fn agent_log(&self) -> PathBuf {
        self.path.join("agent.log")
    }

    /// What the agent told while it worked.
    pub fn progress(&self) -> PathBuf {
        self.path.join("progress.jsonl")
    }

    pub fn tool_log(&self) -> PathBuf {
        self.path.join("tool.log")
    }

    pub fn contract_log(&self) -> PathBuf {
        self.path.join("contract.log")
    }

    pub fn baseline_log(&self) -> PathBuf {
        self.path.join("baseline.log")
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::root::Store;

    #[test]
    fn the_snapshot_is_exact_private_and_written_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let run = store.run_dir("20261115-093012-0000");
        assert_eq!(run.load_snapshot().unwrap(), None);
        run.create().unwrap();
        let bytes = b"# plan\r\n\xff";
        let path = run.save_snapshot("md", bytes).unwrap();
        assert_eq!(path, run.path().join("plan.md"));
        assert!(run.save_snapshot("md", b"other").is_err());
        assert_eq!(
            run.load_snapshot().unwrap(),
            Some((path.clone(), bytes.to_vec()))
        );
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(run.path()), mode(&path)), (0o700, 0o600));
    }

    #[test]
    fn what_a_crash_left_of_a_later_version_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let run = store.run_dir("20261115-093012-0000");
        run.create().unwrap();
        run.save_snapshot("md", b"one").unwrap();
        run.save_version(2, "md", b"lost").unwrap();
        let path = run.save_version(2, "md", b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(path, run.path().join("plan-2.md"));
        let one = run.load_snapshot().unwrap();
        assert_eq!(one.map(|(_, bytes)| bytes), Some(b"one".to_vec()));
        let files = |names: [&'static str; 2]| names.into_iter().map(|name| (name, &b"x"[..]));
        run.save_version_files(3, files(["plan.md", "tasks/a.md"]))
            .unwrap();
        let root = run
            .save_version_files(3, files(["plan.md", "tasks/b.md"]))
            .unwrap();
        assert!(root.join("tasks/b.md").exists() && !root.join("tasks/a.md").exists());
    }

    #[test]
    fn steps_stay_inside_their_run() {
        let run = RunDir::at(PathBuf::from("/r"));
        let attempt = run.attempt("../../etc", 2);
        assert_eq!(attempt.path(), Path::new("/r/steps/%2E.%2F..%2Fetc/2"));
        assert_eq!(
            run.attempt("build", 1).agent_log(),
            Path::new("/r/steps/build/1/agent.log")
        );
        assert_eq!(
            run.attempt("build[3]", 1).path(),
            Path::new("/r/steps/build.3/1")
        );
    }
}
