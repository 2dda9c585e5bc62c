//! Every feed that somebody follows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::http::StatusCode;
use signoff_runtime::Error;
use signoff_runtime::project::Project;
use tokio::sync::watch;

use super::body::{EventBody, ReadAgain, View};
use super::feed::Feed;
use super::{activity, run};
use crate::error::HttpError;

/// Feeds at once: each has a thread that reads.
const MOST: usize = 64;

/// Every feed that somebody follows, by its run; without one, that of all plans.
#[derive(Debug)]
pub(crate) struct Hub {
    feeds: Mutex<BTreeMap<Option<String>, Weak<Feed>>>,
    stopping: watch::Sender<bool>,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self {
            feeds: Mutex::default(),
            stopping: watch::Sender::new(false),
        }
    }

    /// Ends all streams.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Follows a run from the event that was seen last.
    pub(crate) fn follow_run(
        &self,
        project: Project,
        run: &str,
        view: View,
        seen: Option<u64>,
    ) -> Result<EventBody, HttpError> {
        let (again, name) = (project.clone(), run.to_owned());
        let read_again: ReadAgain = Arc::new(move |seen, until, send| {
            // One who cannot be told what they missed is told nothing more, and comes back.
            run::read_again(&again, &name, (seen, until), send).ok();
        });
        let name = run.to_owned();
        let feed = self.feed(Some(run.to_owned()), move |feed| {
            run::read(&project, &name, feed)
        })?;
        Ok(self.body(feed, read_again, view, seen))
    }

    /// Follows all plans and what waits on people.
    pub(crate) fn follow_all(
        &self,
        project: Project,
        seen: Option<u64>,
    ) -> Result<EventBody, HttpError> {
        let again = project.clone();
        let read_again: ReadAgain = Arc::new(move |seen, until, send| {
            activity::read_again(&again, (seen, until), send);
        });
        let feed = self.feed(None, move |feed| activity::read(&project, feed))?;
        Ok(self.body(feed, read_again, View::Events, seen))
    }

    fn body(
        &self,
        feed: Arc<Feed>,
        read_again: ReadAgain,
        view: View,
        seen: Option<u64>,
    ) -> EventBody {
        EventBody {
            feed,
            read_again,
            view,
            seen,
            stopping: self.stopping.subscribe(),
            // Whoever opens it says who may read it.
            is_allowed: Arc::new(|| false),
        }
    }

    /// The feed of this name, with a thread that reads it until nobody follows it any more.
    fn feed(
        &self,
        name: Option<String>,
        read: impl FnOnce(&Weak<Feed>) -> Result<(), Error> + Send + 'static,
    ) -> Result<Arc<Feed>, HttpError> {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.retain(|_, feed| feed.strong_count() > 0);
        if let Some(feed) = feeds.get(&name).and_then(Weak::upgrade) {
            return Ok(feed);
        }
        let busy = || {
            let message = "too many runs are followed at once";
            HttpError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message, &[])
        };
        if feeds.len() >= MOST {
            return Err(busy());
        }
        let feed = Arc::new(Feed::new());
        let shared = Arc::downgrade(&feed);
        let reader = shared.clone();
        let thread = std::thread::Builder::new().name("feed".to_owned());
        let started = thread.spawn(move || {
            // At its end nobody follows, or nothing more can be read.
            read(&reader).ok();
            if let Some(feed) = reader.upgrade() {
                feed.give_up();
            }
        });
        started.map_err(|_| busy())?;
        feeds.insert(name, shared);
        Ok(feed)
    }
}
