//! One output stream of a command.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::io::Errno;

use crate::command::captured::CapturedOutput;
use crate::watch::log::{Log, LogSource};

#[derive(Debug)]
pub(crate) struct Stream {
    /// `None` at end of file.
    fd: Option<OwnedFd>,
    captured: CapturedOutput,
    source: LogSource,
}

impl Stream {
    /// Takes over a descriptor that does not block.
    pub(crate) fn new(source: LogSource, fd: OwnedFd, limit: u64) -> Self {
        Self {
            fd: Some(fd),
            source,
            captured: CapturedOutput::new(limit),
        }
    }

    pub(crate) fn fd(&self) -> Option<&OwnedFd> {
        self.fd.as_ref()
    }

    /// Reads once; returns whether more may be there already.
    pub(crate) fn read(
        &mut self,
        buffer: &mut [u8],
        log: &mut Log,
        listen: &mut dyn FnMut(&[u8]),
    ) -> bool {
        let Some(fd) = &self.fd else {
            return false;
        };
        match rustix::io::read(fd, &mut *buffer) {
            Ok(0) => self.fd = None,
            Ok(count) => {
                self.captured.push(&buffer[..count]);
                log.write(self.source, &buffer[..count]);
                listen(&buffer[..count]);
            }
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return false,
            Err(_) => self.fd = None,
        }
        self.fd.is_some()
    }

    /// Reads what is there, but not for ever: a process that escaped may still write.
    pub(crate) fn drain(
        &mut self,
        buffer: &mut [u8],
        log: &mut Log,
        listen: &mut dyn FnMut(&[u8]),
        deadline: Instant,
    ) {
        while self.read(buffer, log, listen) && Instant::now() < deadline {}
    }

    pub(crate) fn into_captured(self) -> CapturedOutput {
        self.captured
    }
}
