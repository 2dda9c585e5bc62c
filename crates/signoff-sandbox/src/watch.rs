//! Watches a running command until it is over: its output, its time, requests to stop it, its exit.

pub(crate) mod log;
pub(crate) mod piped;
pub(crate) mod redaction;
pub(crate) mod running;
pub(crate) mod stop_signal;
pub(crate) mod stream;
pub(crate) mod time_limit;

use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use crate::command::report::{CommandReport, ExitStatus};
use crate::poll::poll_until;
use crate::spawn::leader::Leader;
use crate::watch::log::Log;
use crate::watch::stream::Stream;

/// Time between `SIGTERM` and `SIGKILL`.
const GRACE: Duration = Duration::from_secs(2);
/// How long we wait for output of processes that the command left behind: `> >(tee log)` ends just after its shell.
const LINGER: Duration = Duration::from_millis(200);
/// How long we read what is in the pipes after the process tree is gone.
const DRAIN: Duration = Duration::from_secs(1);
/// How often a long command's exited orphans are reaped.
const REAP_EVERY: Duration = Duration::from_secs(5);
/// Small enough for the stack: most commands print little.
const BUFFER: usize = 16 * 1024;

#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) leader: Leader,
    /// Readable once the command is to be stopped.
    pub(crate) stop: Arc<stop_signal::StopSignal>,
    pub(crate) stdout: Stream,
    pub(crate) stderr: Stream,
    pub(crate) log: Log,
    pub(crate) started: Instant,
    pub(crate) time: time_limit::TimeLimit,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    Running,
    /// Asked to end. `why` is the exit status that is reported.
    Terminating {
        why: ExitStatus,
        kill_at: Instant,
    },
    Killed {
        why: ExitStatus,
    },
    /// The leader has exited; other processes may still write.
    Exited {
        why: Option<ExitStatus>,
        at: Instant,
        until: Instant,
    },
}

impl Watch {
    pub(crate) fn wait(mut self, listen: &mut dyn FnMut(&[u8])) -> CommandReport {
        let mut buffer = [0; BUFFER];
        let mut phase = Phase::Running;
        let mut reap_at = self.started + REAP_EVERY;
        loop {
            if let Phase::Exited { why, at, until } = phase
                && (self.outputs_are_closed() || Instant::now() >= until)
            {
                return self.finish(why, at, &mut buffer, listen);
            }
            let ready = self.wait_for_event(phase, reap_at);
            self.stdout.read(&mut buffer, &mut self.log, listen);
            self.stderr.read(&mut buffer, &mut self.log, &mut |_| {});
            let now = Instant::now();
            phase = self.advance(phase, ready, now);
            if now >= reap_at {
                self.leader.reap_orphans();
                // What the listener holds back does not wait for the next output.
                listen(&[]);
                reap_at = now + REAP_EVERY;
            }
        }
    }

    fn outputs_are_closed(&self) -> bool {
        self.stdout.fd().is_none() && self.stderr.fd().is_none()
    }

    fn wait_for_event(&self, phase: Phase, reap_at: Instant) -> Ready {
        let exited = matches!(phase, Phase::Exited { .. });
        let running = matches!(phase, Phase::Running);
        let exit = (!exited).then(|| self.leader.exit());
        let stop = running.then(|| self.stop.as_fd());
        let outputs = [self.stdout.fd(), self.stderr.fd()].into_iter().flatten();
        let watched = exit.into_iter().chain(stop).chain(outputs.map(AsFd::as_fd));
        let mut fds: Vec<PollFd<'_>> = watched
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let until = self
            .phase_deadline(phase)
            .map_or(reap_at, |deadline| deadline.min(reap_at));
        // After an error nothing is ready, and the next call tries again.
        poll_until(&mut fds, Some(until)).ok();
        let ready = |index: usize| fds.get(index).is_some_and(|fd| !fd.revents().is_empty());
        Ready {
            exit: !exited && ready(0),
            stop: running && ready(1),
        }
    }

    fn phase_deadline(&self, phase: Phase) -> Option<Instant> {
        match phase {
            Phase::Running => self.time.deadline(),
            Phase::Terminating { kill_at, .. } => Some(kill_at),
            Phase::Killed { .. } => None,
            Phase::Exited { until, .. } => Some(until),
        }
    }

    fn advance(&self, phase: Phase, ready: Ready, now: Instant) -> Phase {
        match phase {
            Phase::Running if ready.exit => exited_phase(None, now, now + LINGER),
            Phase::Terminating { why, kill_at } if ready.exit => {
                exited_phase(Some(why), now, kill_at)
            }
            Phase::Killed { why } if ready.exit => exited_phase(Some(why), now, now),
            Phase::Running if ready.stop => self.terminate(ExitStatus::Stopped, now),
            Phase::Running if self.time.deadline().is_some_and(|deadline| now >= deadline) => {
                self.terminate(ExitStatus::TimedOut, now)
            }
            Phase::Terminating { why, kill_at } if now >= kill_at => {
                self.leader.kill();
                Phase::Killed { why }
            }
            unchanged => unchanged,
        }
    }

    fn terminate(&self, why: ExitStatus, now: Instant) -> Phase {
        self.leader.terminate();
        Phase::Terminating {
            why,
            kill_at: now + GRACE,
        }
    }

    fn finish(
        mut self,
        why: Option<ExitStatus>,
        exited_at: Instant,
        buffer: &mut [u8],
        listen: &mut dyn FnMut(&[u8]),
    ) -> CommandReport {
        let cleanup = self.leader.kill_tree();
        let deadline = Instant::now() + DRAIN;
        self.stdout.drain(buffer, &mut self.log, listen, deadline);
        self.stderr
            .drain(buffer, &mut self.log, &mut |_| {}, deadline);
        self.log.finish();
        let leader = self.leader.reap();
        CommandReport {
            status: why.unwrap_or(leader.status),
            stdout: self.stdout.into_captured(),
            stderr: self.stderr.into_captured(),
            duration: exited_at - self.started,
            survivors_ended: cleanup.ended,
            survivors_left: cleanup.left + usize::from(leader.has_survivors),
            log_error: self.log.error(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Ready {
    exit: bool,
    stop: bool,
}

fn exited_phase(why: Option<ExitStatus>, at: Instant, until: Instant) -> Phase {
    Phase::Exited { why, at, until }
}
