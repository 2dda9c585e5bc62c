//! Expressions in `when` and `for_each`, and `{{ … }}` in texts.
//!
//! The language is minijinja's. What an expression reads is found before anything runs, by
//! [`read`]: only `params`, `item` and `index` in a loop, and of other steps what a person, a tool or
//! a contract gave. Evaluating is pure and has an end: see [`evaluate_condition`].

mod evaluate;
mod names;
mod reads;
mod template;
mod tokens;

pub use self::evaluate::{
    EvaluationFailed, Scope, StepValues, constant, evaluate_condition, evaluate_list,
};
pub use self::reads::{ExpressionError, ExpressionReads, ParamRead, StepRead, read};
pub use self::template::{
    Placeholder, PlaceholderContent, placeholders, render, render_args, render_shell,
};
