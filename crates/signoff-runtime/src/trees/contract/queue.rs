//! Overlays that wait for a contract, and contracts that wait for an overlay.
//!
//! Making an overlay takes longer than many contracts do. So a contract that finds none waits for one to be released, but no
//! longer than it takes to make one, and no more are made at a time than there are. Short contracts then share a few
//! overlays, however many may run at once, and long ones each get their own soon. Where contracts leave their overlays
//! changed, none can be used again, and no contract waits.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use signoff_work::git::Id;

use crate::trees::{TreeMount, lock};

/// Overlays that are kept for later.
const MOST_IDLE: usize = 64;

/// The assumed time for making one, before the first was made.
const GUESS: Duration = Duration::from_millis(20);

#[derive(Default)]
pub(crate) struct OverlayQueue {
    idle: Vec<TreeMount>,
    waiting: VecDeque<Waiting>,
    /// How many ever waited.
    count: u64,
    /// How many overlays are being made, and were made.
    making: usize,
    made: usize,
    /// When one was made last, and how long that took.
    last: Option<(Instant, Duration)>,
    /// Whether the last contract changed its overlay, so that it could not be used again.
    is_changed: bool,
}

/// A contract that waits.
struct Waiting {
    number: u64,
    commit: Id,
    hand: SyncSender<TreeMount>,
}

/// What a waiting contract gets.
pub(crate) enum QueueTurn<'l> {
    /// A released overlay.
    Left(Box<TreeMount>),
    /// It is to make one.
    Make(MakingOverlay<'l>),
}

impl OverlayQueue {
    /// The unused overlays.
    pub(crate) fn unused_overlays(&mut self) -> &mut Vec<TreeMount> {
        &mut self.idle
    }

    /// Gives an overlay to the first contract that waits for its commit, or keeps it for a later one.
    pub(crate) fn give_or_keep(&mut self, mut overlay: TreeMount, commit: &Id) {
        self.is_changed = false;
        while let Some(index) = self.waiting.iter().position(|it| it.commit == *commit) {
            let Some(first) = self.waiting.remove(index) else {
                break;
            };
            match first.hand.try_send(overlay) {
                Ok(()) => return,
                Err(TrySendError::Full(back) | TrySendError::Disconnected(back)) => overlay = back,
            }
        }
        if self.idle.len() < MOST_IDLE {
            self.idle.push(overlay);
        }
    }

    /// Notes that a contract changed its overlay.
    pub(crate) fn note_changed_overlay(&mut self) {
        self.is_changed = true;
        // Waiting contracts have to make their own.
        self.waiting.clear();
    }

    fn enqueue(&mut self, commit: Id) -> (u64, Receiver<TreeMount>) {
        let (hand, receiver) = sync_channel(1);
        self.count += 1;
        let number = self.count;
        self.waiting.push_back(Waiting {
            number,
            commit,
            hand,
        });
        (number, receiver)
    }

    /// How much longer waiting is better than making an overlay, for a contract that came at this time.
    fn time_to_wait(&self, came: Instant, now: Instant) -> Option<Duration> {
        if self.is_changed {
            return None;
        }
        if self.making >= self.made.max(1) {
            return Some(GUESS);
        }
        let (made, took) = self.last?;
        let until = made.max(came) + took;
        let left = until.saturating_duration_since(now);
        (!left.is_zero()).then_some(left)
    }
}

/// Waits until an overlay of a commit is released, or until it is this contract's turn to make one.
pub(crate) fn wait<'l>(line: &'l Mutex<OverlayQueue>, commit: &Id) -> QueueTurn<'l> {
    let came = Instant::now();
    let (number, receiver) = lock(line).enqueue(commit.clone());
    loop {
        let mut now = lock(line);
        let patience = match receiver.try_recv() {
            Ok(overlay) => return QueueTurn::Left(Box::new(overlay)),
            Err(TryRecvError::Empty) => now.time_to_wait(came, Instant::now()),
            Err(TryRecvError::Disconnected) => None,
        };
        let Some(patience) = patience else {
            now.waiting.retain(|waiting| waiting.number != number);
            return QueueTurn::Make(MakingOverlay::begin(line, &mut now));
        };
        drop(now);
        if let Ok(overlay) = receiver.recv_timeout(patience) {
            return QueueTurn::Left(Box::new(overlay));
        }
    }
}

/// Held while an overlay is made.
pub(crate) struct MakingOverlay<'l> {
    line: &'l Mutex<OverlayQueue>,
    began: Instant,
}

impl<'l> MakingOverlay<'l> {
    fn begin(line: &'l Mutex<OverlayQueue>, now: &mut OverlayQueue) -> Self {
        now.making += 1;
        Self {
            line,
            began: Instant::now(),
        }
    }
}

impl Drop for MakingOverlay<'_> {
    fn drop(&mut self) {
        let mut line = lock(self.line);
        line.making -= 1;
        line.made += 1;
        line.last = Some((Instant::now(), self.began.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOK: Duration = Duration::from_millis(10);

    /// How long a contract still waits that came this many milliseconds after an overlay was made.
    fn patience(line: &OverlayQueue, made: Instant, (came, now): (u64, u64)) -> Option<u128> {
        let at = |millis| made + Duration::from_millis(millis);
        let left = line.time_to_wait(at(came), at(now));
        left.map(|left| left.as_millis())
    }

    #[test]
    fn nobody_waits_longer_than_making_an_overlay_takes() {
        let made = Instant::now();
        let mut line = OverlayQueue::default();
        assert_eq!(patience(&line, made, (0, 0)), None, "there is none yet");
        line.making = 1;
        let guess = Some(GUESS.as_millis());
        assert_eq!(patience(&line, made, (0, 99)), guess, "the first is made");
        (line.making, line.made, line.last) = (0, 1, Some((made, TOOK)));
        assert_eq!(patience(&line, made, (0, 4)), Some(6));
        assert_eq!(patience(&line, made, (3, 4)), Some(9));
        assert_eq!(patience(&line, made, (3, 13)), None);
    }

    #[test]
    fn no_more_are_made_at_a_time_than_there_are() {
        let made = Instant::now();
        let mut line = OverlayQueue {
            made: 2,
            making: 1,
            last: Some((made, TOOK)),
            ..OverlayQueue::default()
        };
        assert_eq!(patience(&line, made, (0, 20)), None);
        line.making = 2;
        assert!(patience(&line, made, (0, 20)).is_some());
    }

    #[test]
    fn nobody_waits_where_rooms_are_left_changed() {
        let line = Mutex::new(OverlayQueue {
            made: 1,
            making: 1,
            ..OverlayQueue::default()
        });
        let commit: Id = "a".repeat(40).parse().unwrap();
        let (_, receiver) = lock(&line).enqueue(commit.clone());
        lock(&line).note_changed_overlay();
        assert!(receiver.recv().is_err(), "whoever waited is told");
        assert!(matches!(wait(&line, &commit), QueueTurn::Make(_)));
        assert!(lock(&line).waiting.is_empty());
        assert_eq!(lock(&line).made, 2, "whoever made one is done");
    }
}
