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
use crate::suggest::nearest;

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
            let topics = context.workspace.topics();
            if let Some(near) = nearest(&name, topics.iter().map(String::as_str)) {
                problems.push(found.suggest(Some(&format!("topic:{near}"))));
                continue;
            }
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

    #[test]
    fn a_near_name_is_suggested() {
        check(
            Code::MissingTopic,
            &plan("### 1. A\n**task:** x\n**subscriptions:** topic:knwon\n"),
            &[
                "topic:knwon | step `step-1` subscribes to topic `knwon`, which does not exist | did you mean `topic:known`?",
            ],
        );
    }
}
