//! How an agent ended, and why its work may be missing. Reported, never judged.

use std::fmt;

use signoff_sandbox::ExitStatus;

use super::event::ModelUsage;
use super::text::one_line;

/// How an agent's process ended, and what it printed beside its stream.
#[derive(Debug, Clone, Copy)]
pub struct AgentExit<'a> {
    pub status: ExitStatus,
    /// The end of its stderr is enough.
    pub stderr: &'a [u8],
}

/// What an agent left at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEnd {
    /// Its last words.
    pub text: String,
    /// Why its work may be missing. An agent with a problem may have done its work all the same.
    pub problem: Option<AgentProblem>,
    /// What it used, by model: the sum of its usage events.
    pub totals: Vec<ModelUsage>,
}

/// Why an agent's work may be missing. Displayed as one sentence that stands alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentProblem {
    /// Nobody is logged in, or the login has expired.
    LoginRequired,
    /// The model or the way to it failed.
    ModelFailed(String),
    /// The model refused the task.
    Refused(String),
    /// It asked a question instead of working, and nobody answers it.
    AskedQuestion(String),
    /// It was not allowed to call a tool: the last one, and how many calls.
    Denied {
        tool: String,
        reason: String,
        calls: u64,
    },
    /// It reached a limit of its own: turns, budget, context.
    LimitReached(String),
    /// Its stream ended before it said that it is done.
    Incomplete,
    /// It ended by a signal.
    Signaled(i32),
    /// It ended with this exit code, and said nothing else.
    ExitCode(i32),
    /// Any other error that it reports.
    Other(String),
}

impl fmt::Display for AgentProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoginRequired => write!(out, "the agent is not logged in"),
            Self::ModelFailed(why) => write!(out, "the agent's model failed: {why}"),
            Self::Refused(why) => write!(out, "the agent's model refused the task: {why}"),
            Self::AskedQuestion(question) => {
                write!(out, "the agent asked instead of working: {question}")
            }
            Self::Denied {
                tool,
                reason,
                calls,
            } => {
                write!(out, "the agent was not allowed to use `{tool}`")?;
                if *calls > 1 {
                    write!(out, " ({calls} calls were denied)")?;
                }
                match reason.as_str() {
                    "" => Ok(()),
                    reason => write!(out, ": {reason}"),
                }
            }
            Self::LimitReached(why) => write!(out, "the agent reached a limit of its own: {why}"),
            Self::Incomplete => write!(
                out,
                "the agent's output ended before it said that it is done"
            ),
            Self::Signaled(signal) => write!(out, "signal {signal} ended the agent"),
            Self::ExitCode(code) => write!(out, "the agent failed: exit code {code}"),
            Self::Other(why) => write!(out, "the agent failed: {why}"),
        }
    }
}

/// What agents say if nobody is logged in. Only messages that an agent calls an error are compared.
const LOGIN: [&str; 20] = [
    "missing environment variable",
    "/login",
    "auth login",
    "codex login",
    "not logged in",
    "log in again",
    "no api key",
    "api key not",
    "api key is missing",
    "api_key",
    "invalid api key",
    "incorrect api key",
    "invalid x-api-key",
    "invalid bearer token",
    "auth method",
    "authentication",
    "auth_required",
    "unauthorized",
    "unauthenticated",
    "401",
];

/// What they say if the model fails.
const MODEL: [&str; 26] = [
    "429",
    "500",
    "502",
    "503",
    "504",
    "529",
    "rate limit",
    "rate_limit",
    "overloaded",
    "server error",
    "internal error",
    "bad gateway",
    "unavailable",
    "quota",
    "usage limit",
    "credit balance",
    "connect",
    "stream",
    "timed out",
    "terminated",
    "model not found",
    "unknown model",
    "unsupported model",
    "api error",
    "json",
    "fetch failed",
];

impl AgentProblem {
    /// Whether it says more than how the agent's process ended.
    pub fn is_explained(&self) -> bool {
        !matches!(self, Self::Signaled(_) | Self::ExitCode(_))
    }

    /// The problem behind an error message of an agent.
    pub(super) fn of_message(message: &str) -> Self {
        let line = one_line(message);
        // The first line is the error; what follows may be advice about anything.
        for text in [line.as_str(), message] {
            let lower = text.to_lowercase();
            let says = |words: &[&str]| words.iter().any(|word| contains_word(&lower, word));
            if says(&LOGIN) {
                return Self::LoginRequired;
            }
            if says(&MODEL) {
                return Self::ModelFailed(line.clone());
            }
        }
        Self::Other(line)
    }

    /// The problem behind an error of the model's service.
    pub(super) fn of_model_error(message: &str) -> Self {
        match Self::of_message(message) {
            Self::Other(message) => Self::ModelFailed(message),
            problem => problem,
        }
    }
}

/// Whether a text contains a word. Numbers are compared whole: `4010 tokens` is not `401`.
fn contains_word(text: &str, word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    text.match_indices(word).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + found.len()..].chars().next();
        let splits = |neighbour: Option<char>| !neighbour.is_some_and(char::is_alphanumeric);
        !is_number || splits(before) && splits(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_logins_from_failures() {
        let of = AgentProblem::of_message;
        assert_eq!(
            of("Invalid API key · Please run /login"),
            AgentProblem::LoginRequired
        );
        assert_eq!(
            of("unexpected status 401 Unauthorized"),
            AgentProblem::LoginRequired
        );
        assert_eq!(
            of("API Error: 529 overloaded"),
            AgentProblem::ModelFailed("API Error: 529 overloaded".to_owned())
        );
        assert_eq!(
            of("used 4010 of them"),
            AgentProblem::Other("used 4010 of them".to_owned())
        );
    }

    #[test]
    fn a_problem_is_a_sentence() {
        let denied = AgentProblem::Denied {
            tool: "Bash".to_owned(),
            reason: String::new(),
            calls: 2,
        };
        assert_eq!(
            denied.to_string(),
            "the agent was not allowed to use `Bash` (2 calls were denied)"
        );
    }
}
