//! Asking a model.

use std::fmt;

/// A model that answers a prompt with a text.
pub trait Complete {
    /// Asks once. Each call stands alone: the model knows nothing of earlier ones.
    fn complete(&mut self, prompt: &str) -> Result<Completion, CompleteError>;
}

/// A model's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// What it said, as far as that was kept.
    pub text: String,
    /// Why that is not all that it had to say.
    pub cut: Option<Truncation>,
    /// What it used.
    pub usage: Usage,
}

/// Why an answer is not whole. Nothing is read in half of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// It is longer than what is kept.
    TooLarge {
        /// How long it is.
        bytes: u64,
    },
    /// The model came to the end of the tokens that it may answer with.
    TokenLimit,
}

/// What answers used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model, if it is known.
    pub model: Option<String>,
    /// Tokens of any kind, if they are counted.
    pub tokens: Option<u64>,
    /// Micro-dollars, if the cost is known.
    pub usd_e6: Option<u64>,
}

impl Usage {
    /// Adds what another answer used.
    pub fn add(&mut self, other: &Self) {
        let sum = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        self.model = other.model.clone().or(self.model.take());
        self.tokens = sum(self.tokens, other.tokens);
        self.usd_e6 = sum(self.usd_e6, other.usd_e6);
    }
}

/// Why there is no answer. Displayed as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteError {
    /// What failed.
    pub message: String,
    /// What was used all the same.
    pub usage: Usage,
}

impl fmt::Display for CompleteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CompleteError {}
