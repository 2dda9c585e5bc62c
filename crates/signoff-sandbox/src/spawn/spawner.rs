//! The one thread that forks.
//!
//! A parent-death signal follows the thread that forked, not the process: were commands started from a worker that
//! comes and goes, they would die with it. This thread lives as long as any command does.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::{io, thread};

use rustix::process::Pid;

use crate::after_fork::failure::ChildFailure;
use crate::after_fork::stack::ChildStack;
use crate::after_fork::{descriptors, signals};
use crate::namespaces::kept_mounts::{KeptMounts, KeptMountsSpec};
use crate::namespaces::pid_namespace::PidNamespace;
use crate::process_tree::children::lock_children;
use crate::process_tree::spawning_thread::SpawningThread;
use crate::spawn::fork::{self, ForkedChild, SpawnContext};
use crate::spawn::image::ProcessImage;
use crate::spawn::setup_report::SetupReport;

#[derive(Debug)]
pub(crate) struct Spawner {
    requests: Sender<Request>,
    thread: Arc<SpawningThread>,
}

#[derive(Debug)]
enum Request {
    Child(ProcessImage, SyncSender<io::Result<Child>>),
    Mounts(KeptMountsSpec, SyncSender<io::Result<KeptMounts>>),
}

/// A child that was started.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: Pid,
    /// The first process of its namespace, if it has one.
    pub(crate) guard: Option<PidNamespace>,
    /// Why it did not become the command, if that is known already.
    pub(crate) failure: Option<ChildFailure>,
}

impl Spawner {
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let (requests, incoming) = channel();
        let (tell, thread) = sync_channel(1);
        let common = Common::new()?;
        thread::Builder::new()
            .name("signoff-spawner".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                signals::block_all();
                let thread = Arc::new(SpawningThread::current());
                tell.send(Arc::clone(&thread)).ok();
                serve(&incoming, &common, &thread);
            })?;
        let thread = thread.recv().map_err(|_| gone())?;
        Ok(Arc::new(Self { requests, thread }))
    }

    /// Starts a child and returns at once, though the child may wait at its gate.
    pub(crate) fn spawn(&self, image: ProcessImage) -> io::Result<Child> {
        let (reply, answer) = sync_channel(1);
        self.requests
            .send(Request::Child(image, reply))
            .map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }

    /// Makes mounts for commands.
    pub(crate) fn make_mounts(&self, wanted: KeptMountsSpec) -> io::Result<KeptMounts> {
        let (reply, answer) = sync_channel(1);
        self.requests
            .send(Request::Mounts(wanted, reply))
            .map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?
    }

    /// Returns the thread, whose children are the commands.
    pub(crate) fn thread(&self) -> &Arc<SpawningThread> {
        &self.thread
    }
}

/// What all commands have in common that live in namespaces.
#[derive(Debug)]
struct Common {
    report: SetupReport,
    /// A pipe of which guards have the one end, and read that the other is gone with us.
    life: OwnedFd,
    _alive: io::PipeWriter,
}

impl Common {
    fn new() -> io::Result<Self> {
        let (life, alive) = io::pipe()?;
        Ok(Self {
            report: SetupReport::new()?,
            life: descriptors::raise_above_reserved(life.into())?,
            _alive: alive,
        })
    }
}

fn serve(incoming: &Receiver<Request>, common: &Common, thread: &SpawningThread) {
    let mut spawn = SpawnContext {
        report: &common.report,
        life: common.life.as_fd(),
        thread,
        setup_stack: ChildStack::new(),
        leader_stack: ChildStack::new(),
    };
    for request in incoming {
        match request {
            Request::Child(image, reply) => {
                let child =
                    fork::start(image, &mut spawn).and_then(|forked| remember(forked, thread));
                reply.send(child).ok();
            }
            Request::Mounts(wanted, reply) => {
                let made = wanted.make(&mut spawn.setup_stack, spawn.life);
                reply.send(made).ok();
            }
        }
    }
}

/// Makes known whose numbers these are, before anybody can ask.
fn remember(forked: ForkedChild, thread: &SpawningThread) -> io::Result<Child> {
    let number = |pid| Pid::from_raw(pid).ok_or_else(gone);
    let guard = forked.guard;
    let pid = number(forked.pid)?;
    let mut leaders = lock_children();
    leaders.register(pid);
    if let Some(first) = guard.as_ref().and_then(PidNamespace::first) {
        leaders.register(first);
    }
    thread.clear_starting();
    Ok(Child {
        pid,
        guard,
        failure: forked.failure,
    })
}

pub(crate) fn gone() -> io::Error {
    io::Error::other("the thread that starts processes is gone")
}
