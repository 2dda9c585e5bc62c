//! The next content of a file before it has the file's name: a crash must leave nothing behind in
//! somebody's workspace.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use super::replace::rename;
use super::workspace::WorkspacePath;

/// Gone with its owner, unless it was put in place.
pub(super) struct Temporary<'s> {
    spot: &'s WorkspacePath,
    pub(super) file: File,
    /// None where the system lets a file have no name: then it is gone with its process, too.
    name: Option<OsString>,
}

impl<'s> Temporary<'s> {
    pub(super) fn create(spot: &'s WorkspacePath) -> io::Result<Self> {
        if let Some(file) = create_nameless(spot) {
            return Ok(Self {
                spot,
                file,
                name: None,
            });
        }
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = |name: &OsStr| rustix::fs::openat(&spot.directory, name, flags, mode());
        let (name, file) = under_new_name(open)?;
        Ok(Self {
            spot,
            file: file.into(),
            name: Some(name),
        })
    }

    /// Gives it this name, in the place of what has it; where something must be kept, only if nothing
    /// has.
    pub(super) fn persist(mut self, target: &OsStr, keep: bool) -> Result<(), Errno> {
        if self.name.is_none() && keep {
            return self.link(&self.spot.directory, target);
        }
        if self.name.is_none() && self.put_by_staging(target)? {
            return Ok(());
        }
        let directory = &self.spot.directory;
        let name = match self.name.take() {
            Some(name) => name,
            None => under_new_name(|name| self.link(directory, name))?.0,
        };
        let renamed = rename(directory, &name, directory, target, keep);
        if renamed.is_err() {
            self.name = Some(name);
        }
        renamed
    }

    /// A file takes another's place only by a name of its own. It has that where a process that is
    /// killed in between leaves nothing in anybody's way. False where there is no such place, or it is
    /// on another file system.
    fn put_by_staging(&self, target: &OsStr) -> Result<bool, Errno> {
        let Some(staging) = self.spot.staging_directory() else {
            return Ok(false);
        };
        let (name, ()) = match under_new_name(|name| self.link(&staging, name)) {
            Err(Errno::XDEV) => return Ok(false),
            linked => linked?,
        };
        let directory = &self.spot.directory;
        let renamed = rename(&staging, &name, directory, target, false);
        if renamed.is_err() {
            rustix::fs::unlinkat(&staging, &name, AtFlags::empty()).ok();
        }
        match renamed {
            Err(Errno::XDEV) => Ok(false),
            renamed => renamed.map(|()| true),
        }
    }

    fn link(&self, to: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
        let from = path_of(&self.file);
        rustix::fs::linkat(CWD, from, to, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            rustix::fs::unlinkat(&self.spot.directory, name, AtFlags::empty()).ok();
        }
    }
}

/// Does something with a hidden name that nothing has.
fn under_new_name<T>(act: impl Fn(&OsStr) -> Result<T, Errno>) -> Result<(OsString, T), Errno> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = OsString::from(format!(".signoff-{}-{number}.tmp", std::process::id()));
        match act(&name) {
            Ok(done) => return Ok((name, done)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
}

/// A file without a name that can be given one; not every system and file system has them.
fn create_nameless(spot: &WorkspacePath) -> Option<File> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&spot.directory, ".", flags, mode()).ok()?;
    let file = File::from(file);
    rustix::fs::statat(CWD, path_of(&file), AtFlags::empty()).ok()?;
    Some(file)
}

fn path_of(file: &File) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

fn mode() -> Mode {
    Mode::from_raw_mode(0o666)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::path::{Path, PathBuf};

    use super::*;

    fn spot(dir: &Path) -> WorkspacePath {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        WorkspacePath {
            directory: rustix::fs::open(dir, flags, Mode::empty()).unwrap(),
            name: Some("a".into()),
            real: PathBuf::from("a"),
            written: "a".to_owned(),
            staging: None,
        }
    }

    fn files(dir: &Path) -> Vec<(String, String)> {
        let entries = std::fs::read_dir(dir).unwrap().flatten();
        let mut files: Vec<_> = entries
            .map(|entry| {
                let name = entry.file_name().into_string().unwrap();
                (name, std::fs::read_to_string(entry.path()).unwrap())
            })
            .collect();
        files.sort();
        files
    }

    fn filled<'s>(spot: &'s WorkspacePath, text: &str) -> Temporary<'s> {
        let mut temporary = Temporary::create(spot).unwrap();
        temporary.file.write_all(text.as_bytes()).unwrap();
        temporary
    }

    #[test]
    fn only_what_is_put_in_place_stays() {
        let dir = tempfile::tempdir().unwrap();
        let spot = spot(dir.path());
        let a = OsStr::new("a");
        drop(filled(&spot, "0"));
        assert_eq!(files(dir.path()), []);
        filled(&spot, "1").persist(a, true).unwrap();
        assert_eq!(files(dir.path()), [("a".into(), "1".into())]);
        assert_eq!(filled(&spot, "2").persist(a, true), Err(Errno::EXIST));
        assert_eq!(files(dir.path()), [("a".into(), "1".into())]);
        filled(&spot, "3").persist(a, false).unwrap();
        assert_eq!(files(dir.path()), [("a".into(), "3".into())]);
    }

    #[test]
    fn another_takes_a_place_without_a_name_beside_it() {
        let (dir, staging) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (kept, a) = (staging.path().join("kept"), OsStr::new("a"));
        let mut spot = spot(dir.path());
        spot.staging = Some(kept.clone());
        filled(&spot, "1").persist(a, false).unwrap();
        filled(&spot, "2").persist(a, false).unwrap();
        assert_eq!(files(dir.path()), [("a".into(), "2".into())]);
        assert_eq!(files(&kept), [], "but it has been there");
        // A folder cannot be taken the place of.
        std::fs::create_dir(dir.path().join("b")).unwrap();
        assert!(filled(&spot, "3").persist(OsStr::new("b"), false).is_err());
        assert_eq!(files(&kept), []);
    }

    /// `/dev/shm` is another file system than a temporary directory, as a rule.
    #[test]
    fn a_place_on_another_file_system_will_do() {
        let dir = tempfile::tempdir().unwrap();
        let Ok(staging) = tempfile::tempdir_in("/dev/shm") else {
            return;
        };
        let mut spot = spot(dir.path());
        spot.staging = Some(staging.path().to_owned());
        filled(&spot, "1").persist(OsStr::new("a"), false).unwrap();
        assert_eq!(files(dir.path()), [("a".into(), "1".into())]);
        assert_eq!(files(staging.path()), []);
    }

    #[test]
    fn a_process_that_dies_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let spot = spot(dir.path());
        // Its destructor does not run, as in a process that is killed.
        std::mem::forget(filled(&spot, "half"));
        assert_eq!(files(dir.path()), []);
    }
}
