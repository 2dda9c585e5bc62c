//! One login of one agent: compares the agent's copy with the person's file, and brings each what the other lacks.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, io};

use super::copy::{CopyLocation, LARGEST, LoginCopy};
use super::lock::LoginLock;
use super::shape::{Shape, is_newer};
use crate::beneath::{Directory, Links, OpenError, Replacement};

/// How often a file that others write at the same time is compared again.
const TRIES: usize = 3;

/// When the files are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncMoment {
    /// The agent works: what cannot be done now is left for the next time.
    Work,
    /// The agent has ended. A lock is waited for this long.
    End(Duration),
}

/// What comparing the files led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyncOutcome {
    /// Nothing that concerns others.
    Nothing,
    /// The person has what the agent renewed.
    WrittenBack,
}

/// Why a login was not written back.
#[derive(Debug)]
pub(super) enum NotWritten {
    Removed,
    Unreadable(OpenError),
    OtherShape,
    Missing,
    ReadOnly,
    Moved,
    Busy,
    Locked,
    NoLocks,
    Failed(io::Error),
}

/// A login of an agent, with the person's file.
pub(super) struct KeptLogin {
    from: PathBuf,
    location: CopyLocation,
    shape: Shape,
    person: PersonsFile,
    /// What both files held when they were last the same.
    common: Vec<u8>,
    /// A copy that could not be written back while the agent works.
    refused: Option<Vec<u8>>,
}

/// The person's file, found before the agent runs: a link that is put there later is not followed.
#[derive(Debug)]
struct PersonsFile {
    directory: Directory,
    name: OsString,
    /// Without links.
    path: PathBuf,
}

impl KeptLogin {
    /// `None` if the person's file is gone already.
    pub(super) fn open(copy: &LoginCopy) -> Option<Self> {
        Some(Self {
            from: copy.from.clone(),
            location: copy.location.clone(),
            shape: copy.shape,
            person: PersonsFile::open(&copy.from)?,
            common: copy.bytes.clone(),
            refused: None,
        })
    }

    /// The sentence for the person.
    pub(super) fn warning_text(&self, why: &NotWritten) -> String {
        let from = self.from.display();
        format!("an agent changed its login {from}, which was not written back: {why}")
    }

    /// Brings each file what the other lacks.
    pub(super) fn synchronize(
        &mut self,
        locks: Option<&Path>,
        moment: SyncMoment,
    ) -> Result<SyncOutcome, NotWritten> {
        let copy = match self.location.read() {
            Ok(copy) => copy,
            Err(error) if error.is_absence() => return Err(NotWritten::Removed),
            Err(error) => return Err(NotWritten::Unreadable(error)),
        };
        if !self.is_due(&copy, moment) {
            return Ok(SyncOutcome::Nothing);
        }
        let patience = match moment {
            SyncMoment::Work => Duration::ZERO,
            SyncMoment::End(patience) => patience,
        };
        let locks = locks.ok_or(NotWritten::NoLocks)?;
        let lock = LoginLock::acquire(locks, &self.person.path, patience);
        let _lock = lock
            .map_err(NotWritten::Failed)?
            .ok_or(NotWritten::Locked)?;
        let done = self.synchronize_locked(&copy, moment);
        self.refused = done.is_err().then_some(copy);
        done
    }

    /// Is there anything to do?
    fn is_due(&self, copy: &[u8], moment: SyncMoment) -> bool {
        if copy != self.common {
            return moment != SyncMoment::Work || self.refused.as_deref() != Some(copy);
        }
        let can_refresh = moment == SyncMoment::Work && self.location.is_replaceable();
        can_refresh && self.person.read().is_ok_and(|person| person != self.common)
    }

    /// Under the lock.
    fn synchronize_locked(
        &mut self,
        copy: &[u8],
        moment: SyncMoment,
    ) -> Result<SyncOutcome, NotWritten> {
        for _ in 0..TRIES {
            let person = match self.person.read() {
                Ok(person) => person,
                Err(error) if error.is_absence() => return Err(NotWritten::Missing),
                Err(error) => return Err(NotWritten::Failed(error.into())),
            };
            match self.decide(copy, &person, moment)? {
                Decision::Nothing => return Ok(SyncOutcome::Nothing),
                Decision::Same => {
                    self.common = person;
                    return Ok(SyncOutcome::Nothing);
                }
                Decision::Refresh => {
                    let done = self.location.replace(copy, &person);
                    // Where the agent wrote meanwhile, the next look compares again.
                    if matches!(done, Ok(Replacement::Done)) {
                        self.common = person;
                    }
                    return Ok(SyncOutcome::Nothing);
                }
                Decision::WriteBack => {
                    self.require_same_place()?;
                    if self.person.replace(&person, copy)? == Replacement::Done {
                        copy.clone_into(&mut self.common);
                        return Ok(SyncOutcome::WrittenBack);
                    }
                }
            }
        }
        Err(NotWritten::Busy)
    }

    /// Refuses if the person's path leads to another file now, such as one in the place of a link.
    fn require_same_place(&self) -> Result<(), NotWritten> {
        match self.from.canonicalize() {
            Ok(path) if path == self.person.path => Ok(()),
            Ok(_) => Err(NotWritten::Moved),
            Err(error) => Err(NotWritten::of(error.into())),
        }
    }

    fn decide(
        &self,
        copy: &[u8],
        person: &[u8],
        moment: SyncMoment,
    ) -> Result<Decision, NotWritten> {
        if copy == person {
            return Ok(Decision::Same);
        }
        let refresh = match moment {
            SyncMoment::Work
                if self.location.is_replaceable() && self.shape.is_complete(person) =>
            {
                Decision::Refresh
            }
            SyncMoment::Work | SyncMoment::End(_) => Decision::Nothing,
        };
        if copy == self.common {
            return Ok(refresh);
        }
        if !self.shape.is_complete(copy) {
            return Err(NotWritten::OtherShape);
        }
        if person != self.common && !is_newer(copy, person) {
            return Ok(refresh);
        }
        if !self.shape.is_renewal(person, copy) {
            return Err(NotWritten::OtherShape);
        }
        Ok(Decision::WriteBack)
    }
}

/// Without the secret.
impl fmt::Debug for KeptLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptLogin")
            .field("from", &self.from)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

/// What is to be done with two files that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    /// They have become the same.
    Same,
    Nothing,
    /// The agent gets the person's.
    Refresh,
    /// The person gets the agent's.
    WriteBack,
}

impl PersonsFile {
    fn open(file: &Path) -> Option<Self> {
        let path = file.canonicalize().ok()?;
        Some(Self {
            directory: Directory::open(path.parent()?).ok()?,
            name: path.file_name()?.to_owned(),
            path,
        })
    }

    fn read(&self) -> Result<Vec<u8>, OpenError> {
        let name = Path::new(&self.name);
        self.directory.read(name, Links::Refuse, LARGEST)
    }

    fn replace(&self, old: &[u8], new: &[u8]) -> Result<Replacement, NotWritten> {
        let name = Path::new(&self.name);
        let file = self.directory.file(name, Links::Refuse);
        let found = file.and_then(|file| Ok(file.metadata()?));
        let found = found.map_err(NotWritten::of)?;
        // Who takes the right to write from a login wants it to stay.
        if found.permissions().mode() & 0o200 == 0 {
            return Err(NotWritten::ReadOnly);
        }
        self.directory
            .replace(name, old, new)
            .map_err(NotWritten::of)
    }
}

impl NotWritten {
    fn of(error: OpenError) -> Self {
        if error.is_absence() {
            return Self::Missing;
        }
        Self::Failed(error.into())
    }
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Removed => f.write_str("the agent removed its copy"),
            Self::Unreadable(error) => write!(f, "its copy cannot be read: {error}"),
            Self::OtherShape => f.write_str("its copy is not a renewed login of the same shape"),
            Self::Missing => f.write_str("your file is gone"),
            Self::ReadOnly => f.write_str("your file is read-only"),
            Self::Moved => f.write_str("your file was moved"),
            Self::Busy => f.write_str("your file keeps changing"),
            Self::Locked => f.write_str("another process holds its lock"),
            Self::NoLocks => f.write_str("there is no directory for its lock"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}
