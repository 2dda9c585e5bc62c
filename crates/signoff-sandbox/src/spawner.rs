//! The one thread that forks.
//!
//! A parent-death signal follows the thread that forked, not the process: were commands started from a worker that
//! comes and goes, they would die with it. This thread lives as long as any command does.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::{io, thread};

use rustix::process::Pid;

use crate::failure::Failure;
use crate::fork::{self, Stack};
use crate::image::Image;
use crate::{signals, tree};

#[derive(Debug)]
pub(crate) struct Spawner {
    requests: Sender<Request>,
    thread: u32,
    /// The child that is between fork and exec; 0 if none is.
    unborn: Arc<AtomicI32>,
}

#[derive(Debug)]
struct Request {
    image: Image,
    reply: SyncSender<io::Result<Child>>,
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    /// Why it did not become the command, if that is known already.
    pub(crate) failure: Option<Failure>,
}

impl Spawner {
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let (requests, incoming) = channel();
        let (tell, thread) = sync_channel(1);
        let unborn = Arc::new(AtomicI32::new(0));
        let slot = Arc::clone(&unborn);
        thread::Builder::new()
            .name("signoff-spawner".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                signals::block_all();
                tell.send(own_thread()).ok();
                serve(&incoming, &slot);
            })?;
        let thread = thread.recv().map_err(|_| gone())?;
        Ok(Arc::new(Self {
            requests,
            thread,
            unborn,
        }))
    }

    /// Starts a child and returns at once, though the child may wait at its gate.
    pub(crate) fn spawn(&self, image: Image) -> io::Result<Child> {
        let (reply, answer) = sync_channel(1);
        self.requests
            .send(Request { image, reply })
            .map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }

    /// Returns the number of the thread, whose children are the commands.
    pub(crate) fn thread(&self) -> u32 {
        self.thread
    }

    /// Returns the number of the child that is between fork and exec, if one is.
    pub(crate) fn unborn(&self) -> u32 {
        self.unborn.load(Ordering::Acquire).cast_unsigned()
    }
}

fn serve(incoming: &Receiver<Request>, unborn: &AtomicI32) {
    let mut stack = Stack::new();
    for Request { image, reply } in incoming {
        let child = fork::start(image, &mut stack, unborn).and_then(|(pid, failure)| {
            let pid = Pid::from_raw(pid).ok_or_else(gone)?;
            let mut leaders = tree::lock_children();
            leaders.remember(pid);
            unborn.store(0, Ordering::Release);
            Ok(Child { pid, failure })
        });
        reply.send(child).ok();
    }
}

fn gone() -> io::Error {
    io::Error::other("the thread that starts processes is gone")
}

#[cfg(target_os = "linux")]
fn own_thread() -> u32 {
    rustix::thread::gettid()
        .as_raw_nonzero()
        .get()
        .cast_unsigned()
}

#[cfg(not(target_os = "linux"))]
fn own_thread() -> u32 {
    0
}
