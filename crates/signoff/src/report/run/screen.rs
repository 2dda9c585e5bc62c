//! The live part of a terminal: lines that are redrawn below the lines that stay.
//!
//! Callers store what to show and continue; one thread draws, at most a few times a second. The cursor stays below the
//! drawing and the terminal's state is never changed, so there is nothing to restore, however the program ends.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::report::columns::width;
use crate::report::run::agent_text::AgentText;
use crate::report::run::live_rows::{LiveRow, Totals, live_lines};
use crate::terminal::Stream;

/// Time between two drawings.
const TICK: Duration = Duration::from_millis(125);

/// A handle to the live part; clones share it.
#[derive(Clone)]
pub(crate) struct Screen(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    closed: Condvar,
}

struct State {
    stream: Stream,
    began: Instant,
    /// Lines that stay, not yet written.
    pending: String,
    rows: BTreeMap<usize, LiveRow>,
    totals: Totals,
    /// What is on the screen now.
    drawn: Vec<String>,
    /// The process continues after Ctrl-Z: the shell has written below the drawing.
    continued: Arc<AtomicBool>,
    /// How many callers have hidden the live lines.
    suspended: usize,
    closed: bool,
}

/// The thread that draws; ends when dropped.
pub(crate) struct ScreenThread {
    screen: Screen,
    thread: Option<JoinHandle<()>>,
}

impl ScreenThread {
    /// Begins to draw on this stream, which must be a terminal.
    pub(crate) fn begin(stream: Stream) -> Self {
        let continued = Arc::new(AtomicBool::new(false));
        // Without the handler, some lines may be overdrawn after Ctrl-Z, which is harmless.
        drop(signal_hook::flag::register(
            signal_hook::consts::SIGCONT,
            Arc::clone(&continued),
        ));
        let screen = Screen(Arc::new(Shared {
            state: Mutex::new(State {
                stream,
                began: Instant::now(),
                pending: String::new(),
                rows: BTreeMap::new(),
                totals: Totals::default(),
                drawn: Vec::new(),
                continued,
                suspended: 0,
                closed: false,
            }),
            closed: Condvar::new(),
        }));
        let drawn = screen.clone();
        let thread = std::thread::Builder::new()
            .name("screen".to_owned())
            .spawn(move || drawn.draw_until_closed());
        Self {
            screen,
            thread: thread.ok(),
        }
    }

    /// The screen that is drawn.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }
}

impl Drop for ScreenThread {
    fn drop(&mut self) {
        let mut state = self.screen.lock();
        state.closed = true;
        state.clear();
        drop(state);
        self.screen.0.closed.notify_all();
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Screen {
    fn lock(&self) -> MutexGuard<'_, State> {
        // After a panic the state can still be drawn.
        (self.0.state.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    /// Time since the drawing began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.lock().began.elapsed()
    }

    /// Adds a line that stays.
    pub(crate) fn say(&self, text: &str) {
        let mut state = self.lock();
        state.pending.push_str(text);
        state.pending.push('\n');
    }

    /// Sets what a step does, or removes it. Keeps the times if it still does the same.
    pub(crate) fn set(&self, at: usize, row: Option<LiveRow>, totals: Totals) {
        let mut state = self.lock();
        state.totals = totals;
        match row {
            Some(mut row) => {
                if let Some(before) = state.rows.get(&at)
                    && before.activity == row.activity
                {
                    (row.since, row.limit) = (before.since, before.limit);
                    row.agent.clone_from(&before.agent);
                }
                state.rows.insert(at, row);
            }
            None => {
                state.rows.remove(&at);
            }
        }
    }

    /// Sets what the agent of a step says that it does.
    pub(crate) fn set_agent(&self, at: usize, text: AgentText) {
        if let Some(row) = self.lock().rows.get_mut(&at) {
            row.agent = Some(text);
        }
    }

    /// Hides the live lines until the returned value is dropped.
    pub(crate) fn suspend(&self) -> ResumeOnDrop<'_> {
        let mut state = self.lock();
        state.clear();
        state.suspended += 1;
        ResumeOnDrop(self)
    }

    fn draw_until_closed(&self) {
        let mut state = self.lock();
        while !state.closed {
            state.draw();
            let waited = self.0.closed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Shows the live lines again when dropped.
pub(crate) struct ResumeOnDrop<'a>(&'a Screen);

impl Drop for ResumeOnDrop<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.suspended = state.suspended.saturating_sub(1);
    }
}

impl State {
    fn draw(&mut self) {
        if self.suspended > 0 {
            return;
        }
        let (columns, height) = self.stream.size();
        let now = self.began.elapsed();
        let frame = match self.totals.total {
            0 => Vec::new(),
            _ => live_lines(self.rows.values(), self.totals, now, columns, height),
        };
        if self.pending.is_empty() && frame == self.drawn {
            return;
        }
        self.replace(frame, columns);
    }

    /// Writes the lines that stay and removes the live ones.
    fn clear(&mut self) {
        if !self.pending.is_empty() || !self.drawn.is_empty() {
            let columns = self.stream.size().0;
            self.replace(Vec::new(), columns);
        }
    }

    fn replace(&mut self, frame: Vec<String>, columns: usize) {
        if self.continued.swap(false, Ordering::Relaxed) {
            self.drawn.clear();
        }
        let text = redraw(&self.drawn, &self.pending, &frame, columns);
        self.pending.clear();
        self.drawn = frame;
        // If the terminal is gone, the run continues without it.
        let _gone = self.stream.lock().write_all(text.as_bytes());
    }
}

/// The output that replaces the old live lines by the text that stays and the new live lines.
fn redraw(old: &[String], stays: &str, new: &[String], columns: usize) -> String {
    // A terminal that became narrower has wrapped the old lines.
    let up: usize = old.iter().map(|line| height(line, columns)).sum();
    let mut text = match up {
        0 => "\r".to_owned(),
        up => format!("\r\x1b[{up}A"),
    };
    if !stays.is_empty() {
        text.push_str("\x1b[J");
        text.push_str(stays);
    }
    for line in new {
        text.push_str(line);
        text.push_str("\x1b[K\n");
    }
    text.push_str("\x1b[J");
    text
}

/// The number of rows that a line takes.
fn height(line: &str, columns: usize) -> usize {
    let plain = anstream::adapter::strip_str(line).to_string();
    width(&plain).div_ceil(columns.max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|&line| line.to_owned()).collect()
    }

    #[test]
    fn new_lines_stand_where_the_old_ones_did() {
        let two = lines(&["one", "\x1b[1mtwo\x1b[0m"]);
        assert_eq!(
            redraw(&[], "", &two, 80),
            "\rone\x1b[K\n\x1b[1mtwo\x1b[0m\x1b[K\n\x1b[J"
        );
        assert_eq!(
            redraw(&two, "", &lines(&["1"]), 80),
            "\r\x1b[2A1\x1b[K\n\x1b[J"
        );
        assert_eq!(
            redraw(&two, "done\n", &[], 80),
            "\r\x1b[2A\x1b[Jdone\n\x1b[J"
        );
    }

    #[test]
    fn lines_that_a_narrower_terminal_broke_are_found_again() {
        let wide = lines(&["0123456789", "日本語日本", "x"]);
        assert_eq!(redraw(&wide, "", &[], 10), "\r\x1b[3A\x1b[J");
        assert_eq!(redraw(&wide, "", &[], 6), "\r\x1b[5A\x1b[J");
    }
}
