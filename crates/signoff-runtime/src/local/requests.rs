//! Listens for what other processes ask of this run.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use signoff_sandbox::start_thread;
use signoff_store::runs::RunDir;
use signoff_store::runs::requests::Requests;

use super::Message;
use super::supervisor::StopHandle;
use crate::drive::WakeReason;
use crate::drive::request::{RunRequest, TICK, encode_reply, parse_request};

/// A thread that looks for requests as long as this lives.
pub(super) struct Listener {
    requests: Requests,
    /// Dropping it ends the thread.
    _alive: Sender<()>,
}

impl Listener {
    pub(super) fn start(
        run: &RunDir,
        sender: Sender<Message>,
        stop: StopHandle,
    ) -> io::Result<Self> {
        let requests = Requests::of(run);
        let (alive, ended) = channel();
        let watched = requests.clone();
        start_thread("signoff-requests", move || {
            listen(&watched, &ended, (&sender, &stop));
        })?;
        Ok(Self {
            requests,
            _alive: alive,
        })
    }

    pub(super) fn reply(&self, request: &str, refused: Option<String>) {
        // The asking process notices a missing reply.
        drop(self.requests.reply(request, &encode_reply(refused)));
    }
}

fn listen(
    requests: &Requests,
    ended: &Receiver<()>,
    (sender, stop): (&Sender<Message>, &StopHandle),
) {
    let mut seen: Vec<String> = Vec::new();
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let pending = requests.pending();
        seen.retain(|name| pending.iter().any(|(known, _)| known == name));
        for (name, bytes) in pending {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name.clone());
            match parse_request(&bytes) {
                Ok(request) => {
                    let ends = matches!(request, RunRequest::Stop | RunRequest::Abort { .. });
                    let asked = WakeReason::Requested { name, request };
                    if sender.send(Message::Happened(asked)).is_err() {
                        return;
                    }
                    if ends {
                        // The loop may wait for something itself.
                        stop.stop();
                    }
                }
                Err(why) => drop(requests.reply(&name, &encode_reply(Some(why)))),
            }
        }
    }
}
