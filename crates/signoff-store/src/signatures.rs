//! Signatures: one committed file each, with what was signed in full.

mod file;
mod proof;
mod statement;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signoff_plan::digest::CanonicalJson;
use signoff_plan::signed::{Digest, Signature};

use self::file::SignatureFile;
pub use self::proof::Proof;
pub use self::statement::{NAMESPACE, statement};
use crate::files::atomic::{self, FileMode};
use crate::files::{FileError, no_follow, timestamp};
use crate::key;
use crate::root::Store;
use crate::runs::RunDir;

/// A signature and what it was given for, so that a later difference can be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SignatureRecord {
    pub signature: Signature,
    pub canonical_plan: CanonicalJson,
    pub canonical_terms: Value,
    /// Present where the proof is [`Proof::Key`], and only there. Not verified yet.
    pub key: Option<KeyProof>,
}

/// What a person's key said to a signature's [`statement`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyProof {
    /// Whose key, as the list of allowed signers calls them: their e-mail address.
    pub principal: String,
    /// The armored SSH signature.
    pub signature: String,
}

impl SignatureRecord {
    /// How we know that it is a person's. An unknown word proves nothing.
    pub fn proof(&self) -> Proof {
        Proof::parse(&self.signature.proof).unwrap_or(Proof::Policy)
    }
}

/// Why a signature could not be saved or believed.
#[derive(Debug)]
pub enum SignatureError {
    /// The file is not a signature we wrote: broken, edited, or in the wrong place.
    Invalid {
        path: PathBuf,
        reason: String,
    },
    /// What was to be saved could not be believed afterwards.
    Refused {
        plan: String,
        reason: String,
    },
    File(FileError),
}

/// Saves a signature under its plan's key, synced, in a file of its own.
pub fn save(store: &Store, signed: &SignatureRecord) -> Result<PathBuf, SignatureError> {
    save_in(&store.signatures_dir(&signed.signature.plan), signed)
}

/// Keeps a copy with a run that begins under it. What the person commits and stashes is not there when they are on another
/// branch, and the run must be readable all the same.
pub fn copy_to_run(run: &RunDir, signed: &SignatureRecord) -> Result<(), SignatureError> {
    save_in(&run.signatures(), signed).map(drop)
}

/// The copies that were kept with a run over exactly these digests, the newest first.
pub fn copies_of_run(
    run: &RunDir,
    key: &str,
    plan: &Digest,
    terms: &Digest,
) -> Result<Vec<SignatureRecord>, SignatureError> {
    let mut paths = signature_paths(&run.signatures())?;
    // A run that went on under another plan has those of both.
    paths.retain(|path| !is_of_other_plan(path, key));
    Ok(with_digests(load_each(&paths, key)?, plan, terms))
}

/// Is this certainly the signature of another plan? Loading reports files that cannot be read.
fn is_of_other_plan(path: &Path, key: &str) -> bool {
    // The signature of a large plan is large: nothing else of it is kept.
    #[derive(Deserialize)]
    struct PlanKey {
        plan: String,
    }
    let found: Option<PlanKey> = fs::read(path)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok());
    found.is_some_and(|found| found.plan != key)
}

fn save_in(directory: &Path, signed: &SignatureRecord) -> Result<PathBuf, SignatureError> {
    let signature = &signed.signature;
    let text = file::text(signed);
    // Read back as a reader would: nothing is saved that would be refused later.
    if let Err(reason) = SignatureFile::parse(text.as_bytes(), &signature.plan) {
        let plan = signature.plan.clone();
        return Err(SignatureError::Refused { plan, reason });
    }
    atomic::create_directories(directory)?;
    let stamp: String = signature
        .at
        .chars()
        .filter(|letter| !matches!(letter, ':' | '-'))
        .collect();
    // Counted up from 1: of two signatures of one instant the later one sorts last.
    for count in 1u32.. {
        let path = directory.join(format!("{}-{count:04}.json", key::encode(&stamp)));
        if atomic::create(&path, text.as_bytes(), FileMode::Shared)? {
            return Ok(path);
        }
    }
    let full = io::Error::from(io::ErrorKind::AlreadyExists);
    Err(FileError::at("add a file to", directory)(full).into())
}

/// What the name of a signature ends in that was taken back.
const VOID: &str = "void";

/// Takes back every signature over these digests of a plan: the files get names that nothing reads, so that they count for nothing
/// even where the log is gone that says why. Doing it again does nothing. The caller holds the plan's lock.
pub fn take_back(store: &Store, key: &str, digests: &[String]) -> Result<(), SignatureError> {
    for path in signature_paths(&store.signatures_dir(key))? {
        let digest = load(&path, key)?.signature.digest.to_string();
        if !digests.contains(&digest) {
            continue;
        }
        let aside = path.with_added_extension(VOID);
        if !atomic::move_to(&path, &aside)? {
            atomic::remove(&path)?;
        }
    }
    Ok(())
}

/// Clears away what a killed signer left. The caller holds the plan's lock.
pub fn clear_strays(store: &Store, key: &str) -> Result<(), FileError> {
    atomic::clear_strays(&store.signatures_dir(key))
}

/// All signatures of a plan. Reading them is work, so whoever asks several things about them reads them once.
#[derive(Debug)]
pub struct PlanSignatures(Vec<SignatureRecord>);

impl PlanSignatures {
    pub fn load(store: &Store, key: &str) -> Result<Self, SignatureError> {
        load_all(&store.signatures_dir(key), key).map(Self)
    }

    /// The newest, whatever it was given for.
    pub fn newest(&self) -> Option<&SignatureRecord> {
        self.0.last()
    }

    /// Those over exactly these digests, the newest first.
    pub fn into_matching(self, plan: &Digest, terms: &Digest) -> Vec<SignatureRecord> {
        with_digests(self.0, plan, terms)
    }
}

/// The newest signature of a plan, whatever it was given for.
pub fn newest(store: &Store, key: &str) -> Result<Option<SignatureRecord>, SignatureError> {
    Ok(load_all(&store.signatures_dir(key), key)?.pop())
}

/// The newest signature of a plan over exactly these digests, whatever its proof.
pub fn matching(
    store: &Store,
    key: &str,
    plan: &Digest,
    terms: &Digest,
) -> Result<Option<SignatureRecord>, SignatureError> {
    Ok(all_matching(store, key, plan, terms)?.into_iter().next())
}

/// Every signature of a plan over exactly these digests, the newest first.
pub fn all_matching(
    store: &Store,
    key: &str,
    plan: &Digest,
    terms: &Digest,
) -> Result<Vec<SignatureRecord>, SignatureError> {
    Ok(PlanSignatures::load(store, key)?.into_matching(plan, terms))
}

fn with_digests(
    mut all: Vec<SignatureRecord>,
    plan: &Digest,
    terms: &Digest,
) -> Vec<SignatureRecord> {
    all.retain(|signed| signed.signature.digest == *plan && signed.signature.terms == *terms);
    all.reverse();
    all
}

/// All signatures of a plan, oldest first. One file that cannot be believed fails them all: it may
/// be the newest.
fn load_all(directory: &Path, key: &str) -> Result<Vec<SignatureRecord>, SignatureError> {
    load_each(&signature_paths(directory)?, key)
}

fn signature_paths(directory: &Path) -> Result<Vec<PathBuf>, SignatureError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::at("read", directory))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(FileError::at("read", directory))?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden
            && path
                .extension()
                .is_some_and(|extension| extension == "json")
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn load_each(paths: &[PathBuf], key: &str) -> Result<Vec<SignatureRecord>, SignatureError> {
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        all.push(load(path, key)?);
    }
    // Stable: of one instant, the order of the file names.
    all.sort_by_key(|signed| timestamp::parse(&signed.signature.at));
    Ok(all)
}

fn load(path: &Path, key: &str) -> Result<SignatureRecord, SignatureError> {
    let invalid = |reason| SignatureError::Invalid {
        path: path.to_path_buf(),
        reason,
    };
    let bytes = no_follow::read_if_exists(path)?;
    let bytes = bytes.ok_or_else(|| invalid("it is gone".to_owned()))?;
    SignatureFile::parse(&bytes, key).map_err(invalid)
}

impl From<FileError> for SignatureError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for SignatureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { path, reason } => {
                write!(f, "`{}` is not a valid signature: {reason}", path.display())
            }
            Self::Refused { plan, reason } => {
                write!(f, "a signature of `{plan}` cannot be saved: {reason}")
            }
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for SignatureError {}

#[cfg(test)]
mod tests;
