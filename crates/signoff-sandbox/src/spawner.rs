//! The one thread that forks.
//!
//! A parent-death signal follows the thread that forked, not the process: were commands started from a worker that
//! comes and goes, they would die with it. This thread lives as long as any command does.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::{io, thread};

use rustix::process::Pid;

use crate::births::Births;
use crate::failure::Failure;
use crate::fork::{self, Born, Cradle, Stack};
use crate::guard::Guard;
use crate::image::Image;
use crate::kept_mounts::{KeptMounts, Wanted};
use crate::{signals, tree};

#[derive(Debug)]
pub(crate) struct Spawner {
    requests: Sender<Request>,
    thread: u32,
    /// The child that is between fork and exec; 0 if none is.
    unborn: Arc<AtomicI32>,
}

#[derive(Debug)]
enum Request {
    Child(Image, SyncSender<io::Result<Child>>),
    Mounts(Wanted, SyncSender<io::Result<KeptMounts>>),
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    /// The first process of its namespace, if it has one.
    pub(crate) guard: Option<Guard>,
    /// Why it did not become the command, if that is known already.
    pub(crate) failure: Option<Failure>,
}

impl Spawner {
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let (requests, incoming) = channel();
        let (tell, thread) = sync_channel(1);
        let unborn = Arc::new(AtomicI32::new(0));
        let slot = Arc::clone(&unborn);
        let common = Common::new()?;
        thread::Builder::new()
            .name("signoff-spawner".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                signals::block_all();
                tell.send(own_thread()).ok();
                serve(&incoming, &common, &slot);
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
            .send(Request::Child(image, reply))
            .map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }

    /// Makes mounts for commands.
    pub(crate) fn make_mounts(&self, wanted: Wanted) -> io::Result<KeptMounts> {
        let (reply, answer) = sync_channel(1);
        self.requests
            .send(Request::Mounts(wanted, reply))
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

/// What all commands have in common that live in namespaces.
#[derive(Debug)]
struct Common {
    births: Births,
    /// A pipe of which guards have the one end, and read that the other is gone with us.
    life: OwnedFd,
    _alive: io::PipeWriter,
}

impl Common {
    fn new() -> io::Result<Self> {
        let (life, alive) = io::pipe()?;
        Ok(Self {
            births: Births::new()?,
            life: crate::stdio::lift(life.into())?,
            _alive: alive,
        })
    }
}

fn serve(incoming: &Receiver<Request>, common: &Common, unborn: &AtomicI32) {
    let mut cradle = Cradle {
        births: &common.births,
        life: common.life.as_fd(),
        unborn,
        founder_stack: Stack::new(),
        leader_stack: Stack::new(),
    };
    for request in incoming {
        match request {
            Request::Child(image, reply) => {
                let child = fork::start(image, &mut cradle).and_then(|born| remember(born, unborn));
                reply.send(child).ok();
            }
            Request::Mounts(wanted, reply) => {
                let made = wanted.make(&mut cradle.founder_stack, cradle.life);
                reply.send(made).ok();
            }
        }
    }
}

/// Makes known whose numbers these are, before anybody can ask.
fn remember(born: Born, unborn: &AtomicI32) -> io::Result<Child> {
    let number = |pid| Pid::from_raw(pid).ok_or_else(gone);
    let guard = born.guard;
    let pid = number(born.pid)?;
    let mut leaders = tree::lock_children();
    leaders.remember(pid);
    if let Some(first) = guard.as_ref().and_then(Guard::first) {
        leaders.remember(first);
    }
    unborn.store(0, Ordering::Release);
    Ok(Child {
        pid,
        guard,
        failure: born.failure,
    })
}

pub(crate) fn gone() -> io::Error {
    io::Error::other("the thread that starts processes is gone")
}

fn own_thread() -> u32 {
    rustix::thread::gettid()
        .as_raw_nonzero()
        .get()
        .cast_unsigned()
}
