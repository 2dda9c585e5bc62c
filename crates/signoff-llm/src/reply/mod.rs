//! Finds the plan in what a model answered: in a fence or bare, with prose around it. There is one plan, whole and in the
//! dialect that was asked for, or there is none.

mod json;
mod markdown;
#[cfg(test)]
mod tests;
mod unique;
mod value;

use std::fmt;

use signoff_plan::dialect::{Dialect, recognise};
use signoff_plan::source::Source;

pub use self::value::{ObjectProblem, read_object};

/// An answer of more bytes is not read.
pub const REPLY_BYTES: usize = 1 << 20;

/// The plan in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanText {
    /// The plan, as it was written.
    pub text: String,
    /// Why it is as it is, where the answer says so beside the plan.
    pub reasoning: Option<String>,
    /// Something marks where it ends: a fence, or the bracket of an object. Without that half of it looks like all of it,
    /// and what the model says behind it like a part of it.
    pub has_end: bool,
}

/// The message to a model whose plan does not end.
pub(crate) const NO_END: &str = "nothing marks the end of the plan, so nobody knows whether it is whole: put all of it into one fence of four backticks";

/// Why an answer holds no plan that can be checked. Displayed as one line that tells the model what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyProblem {
    /// It says nothing.
    Empty,
    /// It is longer than any plan.
    TooLarge {
        /// Its length.
        bytes: u64,
    },
    /// There is no plan in it.
    NoPlan(Dialect),
    /// There are several.
    SeveralPlans,
    /// The plan ends before its end.
    Cut,
    /// Parts of a plan stand behind the fence that should hold all of it.
    BehindFence,
    /// It is a plan in another dialect.
    WrongDialect {
        /// The one that it is in.
        found: Dialect,
        /// The one that was asked for.
        wanted: Dialect,
    },
}

impl fmt::Display for ReplyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the answer is empty"),
            Self::TooLarge { bytes } => write!(
                f,
                "the answer has {bytes} bytes, and at most {REPLY_BYTES} are read: write a shorter plan"
            ),
            Self::NoPlan(dialect) => write!(
                f,
                "the answer holds no plan of the dialect `{dialect}`: answer with the plan, in the form asked for"
            ),
            Self::SeveralPlans => {
                write!(f, "the answer holds several plans: answer with exactly one")
            }
            Self::Cut => write!(
                f,
                "the plan ends before its end: answer with the whole plan, shorter if it must be"
            ),
            Self::BehindFence => write!(
                f,
                "parts of the plan stand behind the fence around it: use more backticks for the outer fence than for any fence inside"
            ),
            Self::WrongDialect { found, wanted } => write!(
                f,
                "the plan is in the dialect `{found}`, and `{wanted}` was asked for"
            ),
        }
    }
}

/// Finds the plan in an answer.
pub fn read_reply(text: &str, dialect: Dialect) -> Result<PlanText, ReplyProblem> {
    if text.len() > REPLY_BYTES {
        let bytes = text.len() as u64;
        return Err(ReplyProblem::TooLarge { bytes });
    }
    if text.trim().is_empty() {
        return Err(ReplyProblem::Empty);
    }
    let is_json = matches!(dialect, Dialect::Record | Dialect::Toolplan);
    let found = if is_json {
        json::find(text, dialect)
    } else {
        markdown::find(text, dialect)
    };
    match found {
        Ok(plan) => match dialect_of(&plan.text) {
            Some(found) if found != dialect => Err(wrong_dialect(found, dialect)),
            Some(_) | None => Ok(plan),
        },
        // It may be a whole plan of the other kind.
        Err(ReplyProblem::NoPlan(_)) => Err(plan_of_other_dialect(text, is_json)
            .filter(|found| *found != dialect)
            .map_or(ReplyProblem::NoPlan(dialect), |found| {
                wrong_dialect(found, dialect)
            })),
        Err(problem) => Err(problem),
    }
}

fn plan_of_other_dialect(text: &str, is_json: bool) -> Option<Dialect> {
    let plan = if is_json {
        markdown::find(text, Dialect::Workunit)
    } else {
        json::find(text, Dialect::Record)
    };
    dialect_of(&plan.ok()?.text)
}

fn wrong_dialect(found: Dialect, wanted: Dialect) -> ReplyProblem {
    ReplyProblem::WrongDialect { found, wanted }
}

fn dialect_of(text: &str) -> Option<Dialect> {
    recognise(&Source::new("reply", text.as_bytes().to_vec()))
}
