//! The answer to one who follows a feed.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderName};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use tokio::sync::{mpsc, watch};

use super::feed::{Entry, Feed, Next};

/// Silence after which a sign of life is sent, so that neither end takes the other for dead.
const SILENCE: Duration = Duration::from_secs(15);
const SIGN_OF_LIFE: &[u8] = b": still here\n\n";
/// How often it is asked whether they are still signed in: that may read a file.
const RECHECK: Duration = Duration::from_secs(2);
/// How soon a browser comes back.
const BEGINNING: &[u8] = b"retry: 1000\n\n";
/// Events that are read ahead for one who is behind.
const AHEAD: usize = 32;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Which form of an event is sent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum View {
    Events,
    Progress,
}

/// Reads the events of a source between two numbers, for one who is behind. Returns when the channel is closed.
pub(crate) type ReadAgain = Arc<dyn Fn(Option<u64>, u64, &mpsc::Sender<Entry>) + Send + Sync>;

/// One who follows a feed.
pub(crate) struct EventBody {
    pub(crate) feed: Arc<Feed>,
    pub(crate) read_again: ReadAgain,
    pub(crate) view: View,
    /// The last event that they have.
    pub(crate) seen: Option<u64>,
    pub(crate) stopping: watch::Receiver<bool>,
    /// May they still read it?
    pub(crate) is_allowed: IsAllowed,
}

/// Asks whether the person who opened a stream is still signed in.
pub(crate) type IsAllowed = Arc<dyn Fn() -> bool + Send + Sync>;

/// The last event that a browser which comes back has, or a program names.
pub(crate) fn last_seen(headers: &HeaderMap, asked: Option<u64>) -> Option<u64> {
    let sent = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
    sent.and_then(|id| id.parse().ok()).or(asked)
}

impl EventBody {
    /// Ends it once this says no.
    pub(crate) fn while_allowed(self, is_allowed: IsAllowed) -> Self {
        Self { is_allowed, ..self }
    }

    pub(crate) fn into_response(mut self) -> Response {
        let changes = self.feed.changes();
        let seen = self.seen.take();
        let follower = Follower {
            changes,
            behind: None,
            seen,
            beginning: true,
            checked: Instant::now(),
            sent: Instant::now(),
            body: self,
        };
        let stream = unfold(follower, |mut follower| async move {
            let bytes = follower.next().await?;
            Some((Ok::<Bytes, Infallible>(bytes), follower))
        });
        let kind = [(CONTENT_TYPE, "text/event-stream")];
        (kind, Body::from_stream(stream)).into_response()
    }
}

struct Follower {
    body: EventBody,
    changes: watch::Receiver<()>,
    /// What is read again, while they are behind.
    behind: Option<mpsc::Receiver<Entry>>,
    seen: Option<u64>,
    beginning: bool,
    /// When they were last known to be signed in.
    checked: Instant,
    /// When something was last sent.
    sent: Instant,
}

impl Follower {
    /// What is sent next; nothing at the end.
    async fn next(&mut self) -> Option<Bytes> {
        if std::mem::take(&mut self.beginning) {
            return Some(Bytes::from_static(BEGINNING));
        }
        loop {
            if *self.body.stopping.borrow() || !self.is_still_allowed() {
                return None;
            }
            if let Some(bytes) = self.next_behind().await {
                return Some(self.note_sent(bytes));
            }
            self.changes.borrow_and_update();
            match self.body.feed.next_after(self.seen) {
                Next::Send(entries) => {
                    let bytes = self.bytes_of(&entries);
                    if !bytes.is_empty() {
                        return Some(self.note_sent(bytes));
                    }
                }
                Next::ReadAgain(until) => self.read_again(until),
                Next::End => return None,
                Next::Wait => tokio::select! {
                    changed = self.changes.changed() => changed.ok()?,
                    stopping = self.body.stopping.changed() => stopping.ok()?,
                    () = tokio::time::sleep(RECHECK) => {
                        if self.sent.elapsed() >= SILENCE {
                            return Some(self.note_sent(Bytes::from_static(SIGN_OF_LIFE)));
                        }
                    }
                },
            }
        }
    }

    fn note_sent(&mut self, bytes: Bytes) -> Bytes {
        self.sent = Instant::now();
        bytes
    }

    fn is_still_allowed(&mut self) -> bool {
        if self.checked.elapsed() < RECHECK {
            return true;
        }
        self.checked = Instant::now();
        (self.body.is_allowed)()
    }

    /// The next event of those that are read again, if any is left.
    async fn next_behind(&mut self) -> Option<Bytes> {
        while let Some(behind) = &mut self.behind {
            match behind.recv().await {
                Some(entry) => {
                    let bytes = self.bytes_of(&[entry]);
                    if !bytes.is_empty() {
                        return Some(bytes);
                    }
                }
                None => self.behind = None,
            }
        }
        None
    }

    fn read_again(&mut self, until: u64) {
        let (send, behind) = mpsc::channel(AHEAD);
        let (read, seen) = (Arc::clone(&self.body.read_again), self.seen);
        // Whatever the source says now, these are not asked for twice.
        self.behind = Some(behind);
        tokio::task::spawn_blocking(move || read(seen, until, &send));
    }

    fn bytes_of(&mut self, entries: &[Entry]) -> Bytes {
        if let Some(last) = entries.last() {
            self.seen = Some(last.seq);
        }
        let shown = entries.iter().filter_map(|entry| match self.body.view {
            View::Events => Some(&entry.event),
            View::Progress => entry.progress.as_ref(),
        });
        let mut shown: Vec<&Bytes> = shown.collect();
        match shown.len() {
            // Shared with everybody else who gets it.
            1 => shown.remove(0).clone(),
            _ => shown.into_iter().flatten().copied().collect(),
        }
    }
}

/// An event as the stream sends it.
pub(super) fn event_bytes(seq: u64, name: &str, value: &impl serde::Serialize) -> Bytes {
    let data = serde_json::to_string(value).expect("shapes of the API have names for keys");
    Bytes::from(format!("id: {seq}\nevent: {name}\ndata: {data}\n\n"))
}
