//! Why an input is refused.

/// An input that does not fit the state. Nothing is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The run is not in a state where this can happen.
    OutOfPlace {
        what: &'static str,
    },
    UnknownItem {
        item: String,
    },
    /// The item is not about this step.
    UnknownStep {
        item: String,
        step: String,
        known: Vec<String>,
    },
    UnknownChoice {
        item: String,
        words: Vec<String>,
    },
    /// A person's arguments for a call are not valid JSON.
    BadArguments {
        why: String,
    },
    /// A person's arguments do not fit the tool.
    UnfitArguments {
        tool: String,
        why: String,
    },
    /// No other version of the plan can be drafted now.
    NoReplan {
        why: String,
    },
    /// No such step in this run.
    NoStep {
        step: String,
    },
    /// The step is not in a state where a person can do this to it.
    NotNow {
        step: String,
        why: &'static str,
    },
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfPlace { what } => write!(f, "{what} does not fit the state of the run"),
            Self::UnknownItem { item } => write!(f, "no open item is named `{item}`"),
            Self::UnknownStep { item, step, known } => {
                let known = known.join("`, `");
                write!(f, "`{item}` is not about `{step}`, but about `{known}`")
            }
            Self::BadArguments { why } => {
                write!(
                    f,
                    "the note looks like arguments and is not a JSON object: {why}"
                )
            }
            Self::UnfitArguments { tool, why } => {
                write!(f, "the arguments do not fit `{tool}`: {why}")
            }
            Self::NoReplan { why } => write!(f, "the plan cannot be replanned: {why}"),
            Self::NoStep { step } => write!(f, "the run has no step `{step}`"),
            Self::NotNow { step, why } => write!(f, "step `{step}` {why}"),
            Self::UnknownChoice { item, words } => {
                write!(f, "`{item}` can be answered with {}", words.join(", "))
            }
        }
    }
}

impl std::error::Error for Refusal {}
