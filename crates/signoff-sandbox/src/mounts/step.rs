//! One step of a child that mounts.

use std::ffi::CString;
use std::fmt;

/// One step; a child takes all of them in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MountStep {
    /// Separates all mounts from those of the host, and makes their devices unusable unless they are allowed.
    MakePrivate {
        devices: bool,
    },
    /// Opens a copy of a mount before another one covers it. It gets the next number.
    OpenTree {
        from: CString,
        writable: bool,
    },
    /// Makes an overlay, which is attached like an opened tree. It gets the next number.
    MakeOverlay {
        at: CString,
        lower: Vec<CString>,
        upper: CString,
        work: CString,
    },
    /// Makes every mount read-only.
    MakeReadOnly,
    /// Covers a directory with an empty one.
    CoverDirectory {
        at: CString,
    },
    /// Covers a file with one that cannot be read.
    CoverFile {
        at: CString,
    },
    /// Makes a directory, or an empty file, to mount on.
    MakeDirectory {
        at: CString,
    },
    MakeFile {
        at: CString,
    },
    /// Mounts what an earlier step opened.
    Attach {
        number: usize,
        at: CString,
    },
    /// Makes what is there read-only.
    BindReadOnly {
        at: CString,
    },
    /// Makes the mount that is there read-only, but none inside of it.
    SealMount {
        at: CString,
    },
    /// Lets one device be used.
    AllowDevice {
        at: CString,
    },
    /// Mounts terminals of the command's own.
    MountTerminals,
    /// Mounts shared memory of the command's own.
    MountSharedMemory,
}

impl MountStep {
    /// Whether it opens a mount, which gets the next number.
    pub(crate) fn opens_mount(&self) -> bool {
        matches!(self, Self::OpenTree { .. } | Self::MakeOverlay { .. })
    }
}

impl fmt::Display for MountStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = match self {
            Self::MakePrivate { .. } => return f.write_str("separate its mounts"),
            Self::MakeReadOnly => return f.write_str("make everything read-only"),
            Self::MountTerminals => return f.write_str("give it terminals"),
            Self::MountSharedMemory => return f.write_str("give it shared memory"),
            Self::OpenTree { from, .. } => ("open", from),
            Self::CoverDirectory { at } | Self::CoverFile { at } => ("hide", at),
            Self::MakeDirectory { at } | Self::MakeFile { at } | Self::Attach { at, .. } => {
                ("mount", at)
            }
            Self::MakeOverlay { at, .. } => ("make an overlay for", at),
            Self::BindReadOnly { at } | Self::SealMount { at } => ("protect", at),
            Self::AllowDevice { at } => ("allow", at),
        };
        write!(f, "{what} `{}`", at.to_string_lossy())
    }
}
