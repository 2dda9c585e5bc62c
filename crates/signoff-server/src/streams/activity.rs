//! What becomes of all plans, and what waits on people.

use std::sync::Weak;
use std::time::Duration;

use signoff_api::activity::ActivityEvent;
use signoff_runtime::activity::{ActivityLog, activity_after, tell_absent};
use signoff_runtime::notifications::Notifier;
use signoff_runtime::project::Project;
use signoff_runtime::{Error, SystemClock};
use tokio::sync::mpsc;

use super::body::event_bytes;
use super::feed::{Entry, Feed};

/// How often to look: this reads more than one journal.
const TICK: Duration = Duration::from_millis(500);

/// Looks for changes as long as anybody follows the feed. Returns at once if another process tells them.
pub(super) fn read(project: &Project, feed: &Weak<Feed>) -> Result<(), Error> {
    let Some(mut log) = ActivityLog::open(project)? else {
        return Ok(());
    };
    let clock = SystemClock::new();
    let notifier = Notifier::new(project);
    let told = activity_after(project, 0);
    if let Some(feed) = feed.upgrade() {
        feed.push(told.iter().map(entry).collect());
    }
    loop {
        let Some(feed) = feed.upgrade() else {
            return Ok(());
        };
        let new = log.find_new(project, &clock)?;
        if let Some(notifier) = &notifier {
            tell_absent(project, notifier, &new);
        }
        feed.push(new.iter().map(entry).collect());
        drop(feed);
        std::thread::sleep(TICK);
    }
}

/// Reads the changes once more for one who is behind.
pub(super) fn read_again(
    project: &Project,
    (seen, until): (Option<u64>, u64),
    send: &mpsc::Sender<Entry>,
) {
    let events = activity_after(project, seen.unwrap_or(0));
    let wanted = events.iter().take_while(|event| event.seq <= until);
    for event in wanted {
        if send.blocking_send(entry(event)).is_err() {
            return;
        }
    }
}

fn entry(event: &ActivityEvent) -> Entry {
    Entry {
        seq: event.seq,
        event: event_bytes(event.seq, &event.kind, event),
        progress: None,
    }
}
