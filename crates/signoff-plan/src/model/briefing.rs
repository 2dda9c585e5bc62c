//! What an agent receives beside its task.

/// What stands in a prompt beside the task, the subscriptions and the acceptance criteria. Each dialect has
/// its own, so a plan that is converted says whose it keeps: the same digest means the same prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BriefingStyle {
    /// Nothing: the agent does not know that there is a plan.
    #[default]
    Task,
    /// What `record` tells.
    Record,
    /// What `thread` tells.
    Thread,
    /// What `proposal` tells.
    Proposal,
}

impl BriefingStyle {
    /// The word for it in every dialect that has one.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Record => "record",
            Self::Thread => "thread",
            Self::Proposal => "proposal",
        }
    }

    /// What a word means.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Task, Self::Record, Self::Thread, Self::Proposal];
        all.into_iter().find(|briefing| briefing.word() == word)
    }
}
