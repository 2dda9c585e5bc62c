//! A command that runs.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

use crate::ended::Ended;
use crate::leader::Leader;
use crate::log::Log;
use crate::sandbox::Ours;
use crate::stream::Stream;
use crate::watch::Watch;

/// A command that runs. Its output is read while somebody waits; dropping it ends it with its whole tree.
#[derive(Debug)]
pub struct Running {
    watch: Watch,
    stopper: Stopper,
}

/// Ends a running command from any thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    pipe: Arc<StopPipe>,
}

/// Both ends, so that a late stop writes into a pipe that is still whole.
#[derive(Debug)]
struct StopPipe {
    write: OwnedFd,
    _read: OwnedFd,
}

impl Running {
    pub(crate) fn new(leader: Leader, ours: Ours) -> io::Result<Self> {
        let (read, write) = io::pipe()?;
        rustix::io::ioctl_fionbio(&write, true)?;
        let pipe = StopPipe {
            write: write.into(),
            _read: read.try_clone()?.into(),
        };
        let watch = Watch {
            leader,
            stop: read.into(),
            stdout: Stream::new(ours.stdout, ours.limits.output),
            stderr: Stream::new(ours.stderr, ours.limits.output),
            log: Log::new(ours.log, ours.limits.log),
            started: Instant::now(),
            time: ours.limits.time,
        };
        let stopper = Stopper {
            pipe: Arc::new(pipe),
        };
        Ok(Self { watch, stopper })
    }

    /// Returns a handle that ends the command.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Waits until the command and everything it started is over.
    pub fn wait(self) -> Ended {
        self.watch.until_over()
    }
}

impl Stopper {
    /// Asks the command to end (`SIGTERM`), and ends its whole tree after a short grace; whoever waits for it then
    /// sees it stopped. Does nothing if it is over.
    pub fn stop(&self) {
        // A full pipe has been asked before.
        rustix::io::write(&self.pipe.write, &[0]).ok();
    }
}
