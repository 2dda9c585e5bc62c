//! A subscribed topic does not exist.
//!
//! ## Why
//! The agent would start without context that its task relies on.
//!
//! ## Example
//! ```text
//! **subscriptions:**
//! - topic:fix-auth-timeot
//! ```
//!
//! ## Instead
//! Correct the name, or write the note `.signoff/topics/NAME.md`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Subscription;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for (subscription, span) in step.subscriptions() {
            let Subscription::Topic(name) = subscription else {
                continue;
            };
            if context.workspace.topic_exists(&name) {
                continue;
            }
            let message = format!(
                "step `{}` subscribes to topic `{name}`, which does not exist",
                step.id()
            );
            let found = step.problem(Code::MissingTopic, span, message);
            problems.push(found.help(format!(
                "correct the name, or write `.signoff/topics/{name}.md`"
            )));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_topic_must_exist() {
        check(
            Code::MissingTopic,
            &plan("### 1. A\n**subscriptions:** topic:known\n"),
            &[],
        );
        check(
            Code::MissingTopic,
            &plan("### 1. A\n**subscriptions:** topic:other\n"),
            &[
                "topic:other | step `step-1` subscribes to topic `other`, which does not exist | \
             correct the name, or write `.signoff/topics/other.md`",
            ],
        );
    }
}
