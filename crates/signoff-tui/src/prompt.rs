//! A line that a person types.

use crate::Key;

/// A line under way, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt<T> {
    /// What happens with it.
    pub purpose: T,
    /// The question before it.
    pub label: String,
    /// What was typed so far.
    pub text: String,
}

/// What a key does to a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PromptStep {
    /// It goes on.
    Typing,
    /// It was given up.
    Cancelled,
    /// It is complete.
    Entered(String),
}

impl<T> Prompt<T> {
    pub(crate) fn new(purpose: T, label: impl Into<String>) -> Self {
        Self {
            purpose,
            label: label.into(),
            text: String::new(),
        }
    }

    pub(crate) fn press(&mut self, key: Key) -> PromptStep {
        match key {
            Key::Char(letter) => self.text.push(letter),
            Key::Backspace => {
                self.text.pop();
            }
            Key::Ctrl('u') => self.text.clear(),
            Key::Ctrl('c' | 'g') | Key::Escape => return PromptStep::Cancelled,
            Key::Enter => return PromptStep::Entered(self.text.trim().to_owned()),
            _ => {}
        }
        PromptStep::Typing
    }
}
