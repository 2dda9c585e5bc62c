//! The file that receives a command's output as it arrives.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::watch::redaction::{Redaction, Redactor};

const NOTICE: &[u8] = "\n[… log full, the rest was left out …]\n".as_bytes();

/// The stream that bytes come from. A word in pieces is put together per stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LogSource {
    Stdout,
    Stderr,
}

#[derive(Debug)]
pub(crate) struct Log {
    path: Option<PathBuf>,
    file: Option<File>,
    remaining: u64,
    /// The first failure. Nothing is written after it, and the command goes on.
    error: Option<io::ErrorKind>,
    stdout: Redactor,
    stderr: Redactor,
}

impl Log {
    pub(crate) fn new(path: Option<PathBuf>, limit: u64, redaction: &Arc<Redaction>) -> Self {
        Self {
            path,
            file: None,
            // The notice counts too: the file never grows beyond its limit.
            remaining: limit.saturating_sub(NOTICE.len() as u64),
            error: None,
            stdout: Redactor::new(Arc::clone(redaction)),
            stderr: Redactor::new(Arc::clone(redaction)),
        }
    }

    pub(crate) fn write(&mut self, source: LogSource, bytes: &[u8]) {
        if self.path.is_none() {
            return;
        }
        let redactor = match source {
            LogSource::Stdout => &mut self.stdout,
            LogSource::Stderr => &mut self.stderr,
        };
        let bytes = redactor.push(bytes);
        self.write_all(&bytes);
    }

    /// Writes what was held back, at the end of both streams.
    pub(crate) fn finish(&mut self) {
        for rest in [self.stdout.finish(), self.stderr.finish()] {
            self.write_all(&rest);
        }
    }

    fn write_all(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if let Err(error) = self.append(bytes) {
            self.path = None;
            self.error = Some(error.kind());
        }
    }

    pub(crate) fn error(&self) -> Option<io::ErrorKind> {
        self.error
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(path)?),
        };
        let fits = usize::try_from(self.remaining)
            .map_or(bytes.len(), |remaining| remaining.min(bytes.len()));
        file.write_all(&bytes[..fits])?;
        self.remaining -= fits as u64;
        if fits < bytes.len() {
            file.write_all(NOTICE)?;
            self.path = None;
        }
        Ok(())
    }
}

// Not through a symbolic link: an earlier command may have been able to write to the directory.
fn open(path: &Path) -> io::Result<File> {
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits();
    let open = || {
        OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .custom_flags(no_follow.cast_signed())
            .open(path)
    };
    match (open(), path.parent()) {
        (Err(error), Some(directory)) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)?;
            open()
        }
        (opened, _) => opened,
    }
}
