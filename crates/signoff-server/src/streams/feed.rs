//! The newest events of one source, shared by all who follow it. Nobody has a queue of their own: whoever is slow takes
//! them later, and whoever is too slow reads the source again.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tokio::sync::watch;

/// Bytes of events that are kept in memory.
const LARGEST: usize = 4 << 20;
/// Events that one follower takes at once.
const BATCH: usize = 256;

/// One event, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) seq: u64,
    /// As streams of events show it.
    pub(crate) event: Bytes,
    /// As streams of a task's progress show it; nothing if it is not about a step.
    pub(crate) progress: Option<Bytes>,
}

/// What a follower does next.
#[derive(Debug)]
pub(crate) enum Next {
    Send(Vec<Entry>),
    /// Events up to this one are not in memory any more.
    ReadAgain(u64),
    Wait,
    /// The source cannot be read.
    End,
}

#[derive(Debug)]
pub(crate) struct Feed {
    recent: Mutex<Recent>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Recent {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// The last event that is not in memory any more.
    dropped: Option<u64>,
    is_broken: bool,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self {
            recent: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    pub(crate) fn push(&self, new: Vec<Entry>) {
        if new.is_empty() {
            return;
        }
        let mut recent = self.recent();
        for entry in new {
            recent.bytes += entry.size();
            recent.entries.push_back(entry);
        }
        while recent.bytes > LARGEST
            && let Some(oldest) = recent.entries.pop_front()
        {
            recent.bytes -= oldest.size();
            recent.dropped = Some(oldest.seq);
        }
        drop(recent);
        self.changed.send_replace(());
    }

    /// Ends all who follow: the source cannot be read any more.
    pub(crate) fn give_up(&self) {
        self.recent().is_broken = true;
        self.changed.send_replace(());
    }

    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// What follows this event; without one, what comes first.
    pub(crate) fn next_after(&self, seq: Option<u64>) -> Next {
        let recent = self.recent();
        if let Some(dropped) = recent.dropped
            && seq.is_none_or(|seq| seq < dropped)
        {
            return Next::ReadAgain(dropped);
        }
        let is_new = |entry: &&Entry| seq.is_none_or(|seq| entry.seq > seq);
        let first = recent.entries.partition_point(|entry| !is_new(&entry));
        let new: Vec<Entry> = recent.entries.range(first..).take(BATCH).cloned().collect();
        match new.is_empty() {
            false => Next::Send(new),
            true if recent.is_broken => Next::End,
            true => Next::Wait,
        }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        // Nothing panics while it is held; what it holds stays true even so.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn size(&self) -> usize {
        self.event.len() + self.progress.as_ref().map_or(0, Bytes::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(seq: u64, size: usize) -> Entry {
        Entry {
            seq,
            event: Bytes::from(vec![b'x'; size]),
            progress: None,
        }
    }

    fn sent(next: Next) -> Vec<u64> {
        match next {
            Next::Send(entries) => entries.iter().map(|entry| entry.seq).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn followers_take_what_they_have_not_seen() {
        let feed = Feed::new();
        assert!(matches!(feed.next_after(None), Next::Wait));
        feed.push(vec![entry(0, 1), entry(1, 1), entry(2, 1)]);
        assert_eq!(sent(feed.next_after(None)), [0, 1, 2]);
        assert_eq!(sent(feed.next_after(Some(0))), [1, 2]);
        assert!(matches!(feed.next_after(Some(2)), Next::Wait));
        assert!(matches!(feed.next_after(Some(9)), Next::Wait));
        feed.give_up();
        assert_eq!(sent(feed.next_after(Some(1))), [2], "first what is there");
        assert!(matches!(feed.next_after(Some(2)), Next::End));
    }

    #[test]
    fn memory_is_bounded_and_who_is_too_slow_reads_again() {
        let feed = Feed::new();
        let half = LARGEST / 2;
        feed.push(vec![entry(1, half), entry(2, half), entry(3, half)]);
        assert!(matches!(feed.next_after(None), Next::ReadAgain(1)));
        assert!(matches!(feed.next_after(Some(0)), Next::ReadAgain(1)));
        assert_eq!(sent(feed.next_after(Some(1))), [2, 3]);
    }
}
