//! Sends what was told: a thread that gathers for a while and posts it. What a collector does not take is lost, and
//! whoever looks at the run is told so.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use signoff_engine::Millis;
use signoff_runtime::telemetry::{FollowRun, Telemetry};
use signoff_runtime::{Clock as _, SystemClock};
use signoff_sandbox::start_thread;
use signoff_work::environment::Variables;
use signoff_work::http::stream::{Post, StreamError, StreamLimits, post};

use crate::follower::RunFollower;
use crate::metrics::Metrics;
use crate::otlp;
use crate::settings::Settings;
use crate::spans::Span;

/// How often is sent what there is.
const INTERVAL: Duration = Duration::from_secs(5);

/// How long a collector may take to answer.
const TIME: Duration = Duration::from_secs(5);

/// How long the end of a run waits until everything is sent.
const PATIENCE: Duration = Duration::from_secs(6);

/// As many spans are sent at once, and as many wait.
const MOST: usize = 2048;

/// Tells a collector. Clones tell the same one.
#[derive(Debug, Clone)]
pub struct Exporter {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    endpoint: String,
    metrics: Mutex<Metrics>,
    queue: Sender<Message>,
}

enum Message {
    Span(Box<Span>),
    /// Send everything now, and say how that went.
    Send(SyncSender<Result<(), String>>),
}

impl Exporter {
    /// One for the collector that the process's variables name; nothing if they name none.
    pub fn of(variables: &Variables) -> Option<Self> {
        let settings = Settings::of(variables)?;
        let (queue, waiting) = channel();
        let shared = Arc::new(Shared {
            endpoint: settings.endpoint.clone(),
            metrics: Mutex::default(),
            queue,
        });
        let metrics = Arc::downgrade(&shared);
        let mut sender = SendingThread {
            settings,
            begun: SystemClock::new().now(),
            spans: Vec::new(),
            lost: 0,
        };
        let current = move || metrics.upgrade().map(|shared| shared.metrics().clone());
        start_thread("signoff-telemetry", move || sender.work(&waiting, current)).ok()?;
        Some(Self { shared })
    }

    pub(crate) fn queue_span(&self, span: Span) {
        self.shared.metrics().note(&span);
        // The thread ends after the last of these.
        drop(self.shared.queue.send(Message::Span(Box::new(span))));
    }
}

impl Shared {
    fn metrics(&self) -> MutexGuard<'_, Metrics> {
        self.metrics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Telemetry for Exporter {
    fn follow(&self, run: &str) -> Box<dyn FollowRun> {
        Box::new(RunFollower::new(self, run))
    }

    fn queue_depths(&self, depths: &[(String, i64)]) {
        self.shared.metrics().note_depths(depths);
    }

    fn flush(&self) -> Result<(), String> {
        let (sent, answer) = sync_channel(1);
        let asked = self.shared.queue.send(Message::Send(sent));
        let answered = asked.ok().and_then(|()| answer.recv_timeout(PATIENCE).ok());
        let result = answered.unwrap_or_else(|| Err("no answer came in time".to_owned()));
        result.map_err(|why| {
            let to = &self.shared.endpoint;
            format!("what happened could not be told to the collector `{to}`: {why}")
        })
    }
}

struct SendingThread {
    settings: Settings,
    begun: Millis,
    spans: Vec<Span>,
    /// Spans for which there was no room.
    lost: usize,
}

impl SendingThread {
    fn work(&mut self, waiting: &Receiver<Message>, metrics: impl Fn() -> Option<Metrics>) {
        let mut due = Instant::now() + INTERVAL;
        loop {
            let rest = due.saturating_duration_since(Instant::now());
            match waiting.recv_timeout(rest) {
                Ok(Message::Span(span)) if self.spans.len() < MOST => self.spans.push(*span),
                Ok(Message::Span(_)) => self.lost += 1,
                Ok(Message::Send(answer)) => {
                    let sent = self.send(metrics().as_ref());
                    drop(answer.send(sent));
                    due = Instant::now() + INTERVAL;
                }
                Err(RecvTimeoutError::Timeout) => {
                    // Whoever looks hears of it at the end.
                    drop(self.send(metrics().as_ref()));
                    due = Instant::now() + INTERVAL;
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Sends everything. Spans that were not taken are kept for the next time, as long as there is room.
    fn send(&mut self, metrics: Option<&Metrics>) -> Result<(), String> {
        let service = &self.settings.service;
        if let Some(metrics) = metrics.filter(|metrics| **metrics != Metrics::default()) {
            let now = SystemClock::new().now();
            let body = otlp::metrics(service, metrics, self.begun, now);
            self.post("/v1/metrics", &body)?;
        }
        if !self.spans.is_empty() {
            self.post("/v1/traces", &otlp::traces(service, &self.spans))?;
            self.spans.clear();
        }
        match std::mem::take(&mut self.lost) {
            0 => Ok(()),
            lost => Err(format!(
                "{lost} spans were lost while it could not be reached"
            )),
        }
    }

    fn post(&self, path: &str, body: &Value) -> Result<(), String> {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        headers.extend(self.settings.headers.iter().cloned());
        let request = Post {
            url: format!("{}{path}", self.settings.endpoint),
            headers,
            body: body.to_string(),
        };
        let limits = StreamLimits {
            idle: TIME,
            deadline: Instant::now() + TIME,
        };
        let environment = self.settings.environment.clone();
        match post(request, environment, limits, Box::new(|| false)) {
            Ok((head, _)) if (200..300).contains(&head.status) => Ok(()),
            Ok((head, _)) => Err(format!("it answered with status {}", head.status)),
            Err(StreamError::Refused(why) | StreamError::Unreachable(why)) => Err(why),
            Err(StreamError::Idle | StreamError::TimedOut | StreamError::Stopped) => {
                Err(format!("no answer came within {} s", TIME.as_secs()))
            }
        }
    }
}
