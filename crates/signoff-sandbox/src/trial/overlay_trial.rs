//! Tries whether overlays work with an upper layer in one directory and a lower layer in another.

use std::error::Error;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::{fmt, fs};

use crate::command::report::ExitStatus;
use crate::command::{Command, Limits, Stdin};
use crate::policy::level::Level;
use crate::policy::{Overlay, Policy};
use crate::trial::level_trial::{PATIENCE, TrialDirectory, TrialFailure, run};

/// Changes a file that only a lower layer has, removes one, and makes one.
const SCRIPT: &str = "echo 1 >> changed && rm removed && echo 1 > made";

/// Why overlays cannot be used there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverlayTrialError {
    /// They do not work there.
    Fails { why: String },
    /// They could not be tried, for a reason that says nothing about overlays.
    Inconclusive { why: String },
}

impl fmt::Display for OverlayTrialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails { why } => write!(f, "overlays do not work there: {why}"),
            Self::Inconclusive { why } => {
                write!(f, "whether overlays work there could not be tried: {why}")
            }
        }
    }
}

impl Error for OverlayTrialError {}

impl From<TrialFailure> for OverlayTrialError {
    fn from(why: TrialFailure) -> Self {
        match why {
            TrialFailure::DoesNotWork(why) => Self::Fails { why },
            TrialFailure::Inconclusive(why) => Self::Inconclusive { why },
        }
    }
}

/// Tries an overlay whose upper layer lies in a new directory of `upper_parent`, and whose lowest layer is `lower`. It
/// is mounted at the path of `lower`. Nothing of it is left, and nothing in `lower` changes.
pub fn try_overlay(upper_parent: &Path, lower: &Path) -> Result<(), OverlayTrialError> {
    let inconclusive = |path: &Path, error: &dyn fmt::Display| OverlayTrialError::Inconclusive {
        why: format!("`{}`: {error}", path.display()),
    };
    fs::read_dir(lower).map_err(|error| inconclusive(lower, &error))?;
    let directory =
        TrialDirectory::new_in(upper_parent).map_err(|error| inconclusive(upper_parent, &error))?;
    prepare(&directory).map_err(|error| inconclusive(upper_parent, &error))?;
    let tried = try_in(&directory, lower);
    tried.map_err(|why| match directory.check_free_space() {
        Ok(()) => why.into(),
        Err(error) => inconclusive(upper_parent, &error),
    })
}

fn prepare(directory: &TrialDirectory) -> std::io::Result<()> {
    for name in ["lower", "upper", "work"] {
        fs::create_dir(directory.0.join(name))?;
    }
    for name in ["lower/changed", "lower/removed"] {
        fs::write(directory.0.join(name), "0\n")?;
    }
    Ok(())
}

fn try_in(directory: &TrialDirectory, lower: &Path) -> Result<(), TrialFailure> {
    let path = |name: &str| directory.0.join(name);
    let command = Command {
        argv: ["/bin/sh", "-c", SCRIPT].map(Into::into).to_vec(),
        cwd: lower.to_owned(),
        env: Vec::new(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(PATIENCE),
            output: 4096,
            log: 0,
        },
        log: None,
        policy: Some(Policy {
            overlays: vec![Overlay {
                at: lower.to_owned(),
                lower: vec![path("lower"), lower.to_owned()],
                upper: path("upper"),
                work: path("work"),
            }],
            ..Policy::default()
        }),
        mounts: None,
    };
    let report = run(command, Level::Namespaces)?;
    match report.status {
        ExitStatus::Exited(0) => {}
        status => return Err(TrialFailure::from_exit(status, &report.stderr.tail(200))),
    }
    let changed = fs::read(path("upper/changed")).is_ok_and(|text| text == b"0\n1\n");
    let removed = fs::symlink_metadata(path("upper/removed"))
        .is_ok_and(|found| found.file_type().is_char_device());
    if changed && removed && path("upper/made").exists() {
        Ok(())
    } else {
        Err(TrialFailure::DoesNotWork(
            "changes do not land in the upper layer".to_owned(),
        ))
    }
}
