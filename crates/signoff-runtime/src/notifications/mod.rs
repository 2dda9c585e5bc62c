//! Notifies an absent person through their webhook. Only the end of a process waits for it, and only briefly.

pub mod page_address;
mod worker;

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use signoff_api::notification::{Notification, NotificationKind, SCHEMA};
use signoff_engine::Millis;
use signoff_sandbox::start_thread;

use self::worker::Worker;
use crate::clock::timestamp;
use crate::project::{Project, random};

/// How long the end of a process waits for what is under way.
const PATIENCE: Duration = Duration::from_secs(10);

/// Delivers notifications, one after the other.
#[derive(Debug)]
pub struct Notifier {
    queue: Sender<Notification>,
    worker: JoinHandle<()>,
    /// Says that the worker has ended.
    ended: Receiver<()>,
    /// Raised when nobody waits any longer for another attempt.
    stop: Sender<()>,
    page: Option<String>,
}

/// What is told.
#[derive(Debug, Clone, Copy)]
pub struct NotifiedEvent<'a> {
    /// What happened.
    pub kind: NotificationKind,
    /// When it happened.
    pub at: Millis,
    /// The plan's id, else its path.
    pub plan: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The run that it is about, if it is about one.
    pub run: Option<&'a str>,
    /// The item of the inbox that waits.
    pub item: Option<&'a str>,
    /// What it asks.
    pub question: Option<&'a str>,
}

impl Notifier {
    /// One that delivers to the webhook of the settings, if there is one.
    pub fn new(project: &Project) -> Option<Self> {
        let url = project.config.notify.url.value.clone()?;
        let (queue, waiting) = channel();
        let (ending, ended) = channel();
        let (stop, stopped) = channel();
        let worker = Worker::new(project, url, stopped);
        let work = move || {
            worker.deliver_all(&waiting);
            ending.send(()).ok();
        };
        Some(Self {
            queue,
            worker: start_thread("signoff-webhook", work).ok()?,
            ended,
            stop,
            page: page_address::known_address(project),
        })
    }

    /// Queues a notification; returns at once.
    pub fn notify(&self, news: NotifiedEvent<'_>) {
        let (link, command) = self.page_and_command(&news);
        let notification = Notification {
            schema: SCHEMA.to_owned(),
            id: format!("{}-{:08x}", news.at, random()),
            at: timestamp(news.at),
            kind: news.kind,
            plan: news.plan.to_owned(),
            title: news.title.to_owned(),
            run: news.run.map(str::to_owned),
            item: news.item.map(str::to_owned),
            question: news.question.map(str::to_owned),
            link,
            command,
        };
        self.queue.send(notification).ok();
    }

    /// Where a person sees it: on the page, and on the command line.
    fn page_and_command(&self, news: &NotifiedEvent<'_>) -> (Option<String>, String) {
        let (path, command) = match (news.item, news.run) {
            (Some(item), _) => ("inbox".to_owned(), format!("signoff answer {item}")),
            (None, Some(run)) => (format!("runs/{run}"), format!("signoff status {run}")),
            (None, None) => {
                let name = news.plan.replace('%', "%25").replace('/', "%2F");
                (
                    format!("plans/{name}"),
                    format!("signoff show {}", news.plan),
                )
            }
        };
        let link = self.page.as_ref().map(|page| format!("{page}{path}"));
        (link, command)
    }

    /// Waits briefly for deliveries under way. The log of deliveries names those that failed.
    pub fn finish(self) {
        drop(self.queue);
        let until = Instant::now() + PATIENCE;
        if self.ended.recv_timeout(PATIENCE).is_err() {
            self.stop.send(()).ok();
            // It logs what it gives up, unless it is waiting for a server.
            let rest = until.saturating_duration_since(Instant::now());
            self.ended
                .recv_timeout(rest.max(Duration::from_secs(1)))
                .ok();
        }
        if self.worker.is_finished() {
            self.worker.join().ok();
        }
    }
}
