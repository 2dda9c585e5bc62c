//! A pool of threads: a run starts thousands of short commands, and a new thread costs more than
//! some of them.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use signoff_sandbox::start_thread;

type Job = Box<dyn FnOnce() + Send>;

/// Grows to as many threads as there are jobs at once, or as the machine grants.
pub(super) struct Pool {
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    work: Mutex<Work>,
    changed: Condvar,
}

#[derive(Default)]
struct Work {
    jobs: VecDeque<Job>,
    idle: usize,
    closed: bool,
}

impl Pool {
    /// A pool with one thread, so that every job is done by some thread sooner or later.
    pub(super) fn start() -> io::Result<Self> {
        let mut pool = Self {
            threads: Vec::new(),
            shared: Arc::default(),
        };
        pool.add_thread()?;
        Ok(pool)
    }

    fn add_thread(&mut self) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let thread = start_thread("signoff-pool", move || shared.serve())?;
        self.threads.push(thread);
        Ok(())
    }

    /// Does the job on a thread that is free, or on a new one.
    pub(super) fn run(&mut self, job: impl FnOnce() + Send + 'static) {
        let mut work = self.shared.lock();
        work.jobs.push_back(Box::new(job));
        let enough = work.idle >= work.jobs.len();
        drop(work);
        if enough {
            self.shared.changed.notify_one();
        } else {
            // Where the machine grants no more threads, the job waits for one of those there are.
            self.add_thread().ok();
        }
    }

    /// Waits until every job is done. Nothing is taken on afterwards.
    pub(super) fn join(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A panic in a watching thread has nothing left to report.
            drop(thread.join());
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        while let Some(job) = self.next_job() {
            job();
        }
    }

    fn next_job(&self) -> Option<Job> {
        let mut work = self.lock();
        loop {
            if let Some(job) = work.jobs.pop_front() {
                return Some(job);
            }
            if work.closed {
                return None;
            }
            work.idle += 1;
            work = self
                .changed
                .wait(work)
                .unwrap_or_else(PoisonError::into_inner);
            work.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn jobs_that_wait_for_each_other_all_have_a_thread() {
        let mut pool = Pool::start().unwrap();
        let (sender, receiver) = channel();
        for _ in 0..3 {
            let barrier = Arc::new(std::sync::Barrier::new(8));
            for _ in 0..8 {
                let (barrier, sender) = (Arc::clone(&barrier), sender.clone());
                pool.run(move || {
                    barrier.wait();
                    sender.send(()).unwrap();
                });
            }
        }
        pool.join();
        drop(sender);
        assert_eq!(receiver.iter().count(), 24);
    }
}
