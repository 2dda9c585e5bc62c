//! Whether overlays work with an upper layer in one directory above another, found by mounting one.

use std::error::Error;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::{fmt, fs};

use crate::command::report::ExitStatus;
use crate::command::{Command, Limits, Stdin};
use crate::policy::level::Level;
use crate::policy::{Overlay, Policy};
use crate::trial::level_trial::{PATIENCE, Place, Why, run};

/// Changes a file that only a lower layer has, removes one, and makes one.
const SCRIPT: &str = "echo 1 >> changed && rm removed && echo 1 > made";

/// Why overlays cannot be used there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OverlayTrialError {
    /// They do not work there.
    Fails { why: String },
    /// It could not be tried, for a reason that says nothing about overlays: nothing may be concluded from it.
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

impl From<Why> for OverlayTrialError {
    fn from(why: Why) -> Self {
        match why {
            Why::Fails(why) => Self::Fails { why },
            Why::Untried(why) => Self::Inconclusive { why },
        }
    }
}

/// Tries an overlay whose upper layer lies in a new directory of `upper_parent`, and whose lowest layer is `lower`,
/// mounted at the path of `lower`. Nothing of it is left, and nothing in `lower` changes.
pub fn try_overlay(upper_parent: &Path, lower: &Path) -> Result<(), OverlayTrialError> {
    let untried = |path: &Path, error: &dyn fmt::Display| OverlayTrialError::Inconclusive {
        why: format!("`{}`: {error}", path.display()),
    };
    fs::read_dir(lower).map_err(|error| untried(lower, &error))?;
    let place = Place::new_in(upper_parent).map_err(|error| untried(upper_parent, &error))?;
    prepare(&place).map_err(|error| untried(upper_parent, &error))?;
    let tried = try_in(&place, lower);
    tried.map_err(|why| match place.check_room() {
        Ok(()) => why.into(),
        Err(error) => untried(upper_parent, &error),
    })
}

fn prepare(place: &Place) -> std::io::Result<()> {
    for name in ["lower", "upper", "work"] {
        fs::create_dir(place.0.join(name))?;
    }
    for name in ["lower/changed", "lower/removed"] {
        fs::write(place.0.join(name), "0\n")?;
    }
    Ok(())
}

fn try_in(place: &Place, lower: &Path) -> Result<(), Why> {
    let path = |name: &str| place.0.join(name);
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
    let ended = run(command, Level::Namespaces)?;
    match ended.status {
        ExitStatus::Exited(0) => {}
        how => return Err(Why::of_end(how, &ended.stderr.tail(200))),
    }
    let changed = fs::read(path("upper/changed")).is_ok_and(|text| text == b"0\n1\n");
    let removed = fs::symlink_metadata(path("upper/removed"))
        .is_ok_and(|found| found.file_type().is_char_device());
    if changed && removed && path("upper/made").exists() {
        Ok(())
    } else {
        Err(Why::Fails(
            "changes do not land in the upper layer".to_owned(),
        ))
    }
}
