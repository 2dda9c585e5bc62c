//! The one thread that forks.
//!
//! A parent-death signal follows the thread that forked, not the process: were commands started from a worker that
//! comes and goes, they would die with it. This thread lives as long as any command does.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::{io, thread};

use rustix::process::Pid;

use crate::fork::{self, Stack};
use crate::image::Image;
use crate::signals;

#[derive(Debug)]
pub(crate) struct Spawner {
    requests: Sender<Request>,
    thread: u32,
}

#[derive(Debug)]
struct Request {
    image: Image,
    reply: SyncSender<io::Result<i32>>,
}

impl Spawner {
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let (requests, incoming) = channel();
        let (tell, thread) = sync_channel(1);
        thread::Builder::new()
            .name("signoff-spawner".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                signals::block_all();
                tell.send(own_thread()).ok();
                serve(&incoming);
            })?;
        let thread = thread.recv().map_err(|_| gone())?;
        Ok(Arc::new(Self { requests, thread }))
    }

    /// Starts a child and returns at once, though the child may wait at its gate.
    pub(crate) fn spawn(&self, image: Image) -> io::Result<Pid> {
        let (reply, answer) = sync_channel(1);
        self.requests
            .send(Request { image, reply })
            .map_err(|_| gone())?;
        let pid = answer.recv().map_err(|_| gone())??;
        Pid::from_raw(pid).ok_or_else(gone)
    }

    /// Returns the number of the thread, whose children are the commands.
    pub(crate) fn thread(&self) -> u32 {
        self.thread
    }
}

fn serve(incoming: &Receiver<Request>) {
    let mut stack = Stack::new();
    for Request { image, reply } in incoming {
        reply.send(fork::start(image, &mut stack)).ok();
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
