//! Listens for what other processes ask of this run.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use signoff_store::runs::RunDir;
use signoff_store::runs::requests::Requests;

use super::Message;
use super::crew::CrewStop;
use crate::control::{Ask, TICK, read, reply};
use crate::drive::Happened;

/// A thread that looks for requests as long as this lives.
pub(super) struct Listener {
    requests: Requests,
    /// Dropping it ends the thread.
    _alive: Sender<()>,
}

impl Listener {
    pub(super) fn start(run: &RunDir, sender: Sender<Message>, stop: CrewStop) -> Self {
        let requests = Requests::of(run);
        let (alive, ended) = channel();
        let watched = requests.clone();
        std::thread::spawn(move || listen(&watched, &ended, (&sender, &stop)));
        Self {
            requests,
            _alive: alive,
        }
    }

    pub(super) fn reply(&self, request: &str, refused: Option<String>) {
        // Whoever asked notices that it was not answered.
        drop(self.requests.reply(request, &reply(refused)));
    }
}

fn listen(
    requests: &Requests,
    ended: &Receiver<()>,
    (sender, stop): (&Sender<Message>, &CrewStop),
) {
    let mut seen: Vec<String> = Vec::new();
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let pending = requests.pending();
        seen.retain(|name| pending.iter().any(|(known, _)| known == name));
        for (request, bytes) in pending {
            if seen.contains(&request) {
                continue;
            }
            seen.push(request.clone());
            match read(&bytes) {
                Ok(ask) => {
                    let ends = matches!(ask, Ask::Stop | Ask::Abort { .. });
                    let asked = Happened::Asked { request, ask };
                    if sender.send(Message::Happened(asked)).is_err() {
                        return;
                    }
                    if ends {
                        // The loop may wait for something itself.
                        stop.stop();
                    }
                }
                Err(why) => drop(requests.reply(&request, &reply(Some(why)))),
            }
        }
    }
}
