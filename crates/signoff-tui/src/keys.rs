//! Keys, as far as the screens know them.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// A key that a person pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character, shift applied.
    Char(char),
    /// Ctrl and a letter.
    Ctrl(char),
    /// Alt and an arrow.
    AltUp,
    /// See [`Key::AltUp`].
    AltDown,
    /// Arrows and the like.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// To the first.
    Home,
    /// To the last.
    End,
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Backspace.
    Backspace,
    /// Tab.
    Tab,
    /// Shift and tab.
    BackTab,
}

impl Key {
    /// The key of an event of the terminal, if the screens know it.
    pub fn of(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        Some(match event.code {
            KeyCode::Char(letter) if ctrl => Self::Ctrl(letter.to_ascii_lowercase()),
            KeyCode::Char(letter) => Self::Char(letter),
            KeyCode::Up if alt => Self::AltUp,
            KeyCode::Down if alt => Self::AltDown,
            KeyCode::Up => Self::Up,
            KeyCode::Down => Self::Down,
            KeyCode::Left => Self::Left,
            KeyCode::Right => Self::Right,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            KeyCode::Home => Self::Home,
            KeyCode::End => Self::End,
            KeyCode::Enter => Self::Enter,
            KeyCode::Esc => Self::Escape,
            KeyCode::Backspace => Self::Backspace,
            KeyCode::Tab => Self::Tab,
            KeyCode::BackTab => Self::BackTab,
            _ => return None,
        })
    }
}
