//! The one thread that forks.
//!
//! A parent-death signal follows the thread that forked, not the process: commands that a short-lived worker started
//! would die with it. This thread lives as long as any command does.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::{io, thread};

use crate::after_fork::stack::ChildStack;
use crate::after_fork::{descriptors, signals};
use crate::namespaces::kept_mounts::KeptMounts;
use crate::namespaces::make_mounts::KeptMountsSpec;
use crate::namespaces::pid_namespace::PidNamespace;
use crate::process_tree::children::lock_children;
use crate::process_tree::spawning_thread::SpawningThread;
use crate::spawn::fork::{self, ForkedChild, SpawnContext};
use crate::spawn::image::ProcessImage;
use crate::spawn::setup_report::SetupReport;

/// A handle to the thread. The thread ends when the last handle is dropped.
#[derive(Debug)]
pub(crate) struct Spawner {
    requests: Sender<Request>,
    thread: Arc<SpawningThread>,
}

#[derive(Debug)]
enum Request {
    Child(ProcessImage, SyncSender<io::Result<ForkedChild>>),
    Mounts(KeptMountsSpec, SyncSender<io::Result<KeptMounts>>),
}

impl Spawner {
    pub(crate) fn start() -> io::Result<Arc<Self>> {
        let (requests, incoming) = channel();
        let (tell, thread) = sync_channel(1);
        let shared = SharedResources::new()?;
        thread::Builder::new()
            .name("signoff-spawner".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                signals::block_all();
                let thread = Arc::new(SpawningThread::current());
                tell.send(Arc::clone(&thread)).ok();
                serve(&incoming, &shared, &thread);
            })?;
        let thread = thread.recv().map_err(|_| thread_gone())?;
        Ok(Arc::new(Self { requests, thread }))
    }

    /// Starts a child and returns at once, even if the child waits at its gate.
    pub(crate) fn spawn(&self, image: ProcessImage) -> io::Result<ForkedChild> {
        self.request(|reply| Request::Child(image, reply))
    }

    /// Makes mounts for commands.
    pub(crate) fn make_mounts(&self, spec: KeptMountsSpec) -> io::Result<KeptMounts> {
        self.request(|reply| Request::Mounts(spec, reply))
    }

    /// Returns the thread, which is the parent of every command.
    pub(crate) fn thread(&self) -> &Arc<SpawningThread> {
        &self.thread
    }

    fn request<T>(
        &self,
        request: impl FnOnce(SyncSender<io::Result<T>>) -> Request,
    ) -> io::Result<T> {
        let (reply, answer) = sync_channel(1);
        self.requests
            .send(request(reply))
            .map_err(|_| thread_gone())?;
        answer.recv().map_err(|_| thread_gone())?
    }
}

/// What all commands in namespaces share.
#[derive(Debug)]
struct SharedResources {
    report: SetupReport,
    /// The end of a pipe that init processes read: end of file when this process is gone.
    host_pipe: OwnedFd,
    _host_pipe_writer: io::PipeWriter,
}

impl SharedResources {
    fn new() -> io::Result<Self> {
        let (read, write) = io::pipe()?;
        Ok(Self {
            report: SetupReport::new()?,
            host_pipe: descriptors::raise_above_reserved(read.into())?,
            _host_pipe_writer: write,
        })
    }
}

fn serve(incoming: &Receiver<Request>, shared: &SharedResources, thread: &SpawningThread) {
    let mut spawn = SpawnContext {
        report: &shared.report,
        host_pipe: shared.host_pipe.as_fd(),
        thread,
        setup_stack: ChildStack::new(),
        leader_stack: ChildStack::new(),
    };
    for request in incoming {
        match request {
            Request::Child(image, reply) => {
                let child = fork::start(image, &mut spawn);
                reply
                    .send(child.inspect(|child| register(child, thread)))
                    .ok();
            }
            Request::Mounts(spec, reply) => {
                let mounts = spec.make(&mut spawn.setup_stack, spawn.host_pipe);
                reply.send(mounts).ok();
            }
        }
    }
}

/// Registers the child's processes before any other thread can list them.
fn register(child: &ForkedChild, thread: &SpawningThread) {
    let mut children = lock_children();
    children.register(child.pid);
    let pid_namespace = child.pid_namespace.as_ref();
    if let Some(init) = pid_namespace.and_then(PidNamespace::own_init) {
        children.register(init);
    }
    thread.clear_starting();
}

fn thread_gone() -> io::Error {
    io::Error::other("the thread that starts processes is gone")
}
