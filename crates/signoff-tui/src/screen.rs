//! The terminal: taken over, given back on any end, and read key by key.

use std::io::{self, IsTerminal, Write, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::cursor::{Hide, Show};
use crossterm::event::{self, Event};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_core::buffer::Buffer;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::{Key, Style};

/// How often a screen may look for something new.
const TICK: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 400_000_000,
};

/// How a screen ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenEnd {
    /// The person left it.
    Left,
    /// A signal came, or the terminal is gone.
    Interrupted,
}

/// What follows a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing but another frame.
    Stay,
    /// [`Screen::perform`] is due.
    Perform,
    /// The same, with the terminal as it was before: an editor or a question needs it.
    WithTerminal,
    /// The person leaves.
    Leave,
}

/// A screen that is shown until the person leaves it.
pub(crate) trait Screen {
    fn draw(&self, buffer: &mut Buffer, style: Style);
    fn press(&mut self, key: Key) -> Turn;
    fn perform(&mut self);
    /// Looks for something new; whether there is any.
    fn refresh(&mut self) -> bool;
}

/// Shows a screen. The terminal is given back on every end: an error, a panic, a signal.
pub(crate) fn run_screen(screen: &mut dyn Screen, style: Style) -> Result<ScreenEnd, String> {
    if !(stdout().is_terminal() && io::stdin().is_terminal()) {
        return Err("this screen needs a terminal".to_owned());
    }
    let ended = Arc::new(AtomicBool::new(false));
    let mut registered = Vec::new();
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        let flag = Arc::clone(&ended);
        registered.push(signal_hook::flag::register(signal, flag).map_err(|why| why.to_string())?);
    }
    let taken = TakenTerminal::take().map_err(|why| why.to_string())?;
    let shown = show(screen, style, &ended);
    drop(taken);
    for id in registered {
        signal_hook::low_level::unregister(id);
    }
    shown.map_err(|why| why.to_string())
}

fn show(screen: &mut dyn Screen, style: Style, ended: &AtomicBool) -> io::Result<ScreenEnd> {
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    terminal.clear()?;
    loop {
        terminal.draw(|frame| screen.draw(frame.buffer_mut(), style))?;
        while !event::poll(Duration::ZERO)? {
            if ended.load(Ordering::Relaxed) || !wait_for_input()? {
                return Ok(ScreenEnd::Interrupted);
            }
            if screen.refresh() {
                terminal.draw(|frame| screen.draw(frame.buffer_mut(), style))?;
            }
        }
        let Event::Key(pressed) = event::read()? else {
            continue;
        };
        let Some(key) = Key::of(pressed) else {
            continue;
        };
        if key == Key::Ctrl('z') {
            suspend()?;
            terminal.clear()?;
            continue;
        }
        match screen.press(key) {
            Turn::Stay => {}
            Turn::Perform => screen.perform(),
            Turn::WithTerminal => {
                TakenTerminal::give_back();
                screen.perform();
                TakenTerminal::take_again()?;
                terminal.clear()?;
            }
            Turn::Leave => return Ok(ScreenEnd::Left),
        }
    }
}

/// Waits for a key, or a little while. Is the terminal still there? Reading from one that is gone never ends.
fn wait_for_input() -> io::Result<bool> {
    let stdin = io::stdin();
    let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut watched, Some(&TICK)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(why) => return Err(why.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    Ok(!watched[0].revents().intersects(gone))
}

/// Stops this process as the shell expects it, and takes the terminal again once it goes on.
fn suspend() -> io::Result<()> {
    TakenTerminal::give_back();
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
    TakenTerminal::take_again()
}

/// The terminal while it is ours.
struct TakenTerminal;

impl TakenTerminal {
    fn take() -> io::Result<Self> {
        let before = std::panic::take_hook();
        // A panic's message would be lost on the other screen.
        std::panic::set_hook(Box::new(move |panic| {
            Self::give_back();
            before(panic);
        }));
        Self::take_again()?;
        Ok(Self)
    }

    fn take_again() -> io::Result<()> {
        enable_raw_mode()?;
        execute!(stdout(), EnterAlternateScreen, Hide)
    }

    /// What cannot be given back is gone: nobody is there to be told.
    fn give_back() {
        let _ended = execute!(stdout(), Show, LeaveAlternateScreen);
        let _ended = disable_raw_mode();
        let _ended = stdout().flush();
    }
}

impl Drop for TakenTerminal {
    fn drop(&mut self) {
        Self::give_back();
        // Without a screen, panics are reported as usual. During one the hook stays: it did its work.
        if !std::thread::panicking() {
            drop(std::panic::take_hook());
        }
    }
}
