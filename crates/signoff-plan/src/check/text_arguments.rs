//! Texts that a step hands to a built-in tool and that are known before the run.

use serde_json::Value;

use super::context::StepView;
use crate::json::{LocatedPart, LocatedValue};
use crate::model::Work;
use crate::source::Span;
use crate::tools::schema::is_reference;
use crate::tools::{Argument, Tool, built_in};

/// One argument that is text and refers to nothing.
#[derive(Debug)]
pub(super) struct TextArgument<'a> {
    pub(super) tool: &'static Tool,
    pub(super) argument: &'static Argument,
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// Hands every such argument of a step to `each`.
pub(super) fn for_each_text_argument<'a>(
    step: StepView<'a>,
    each: &mut dyn FnMut(TextArgument<'a>),
) {
    let Work::Tool { tool, args } = &step.resolved.work else {
        return;
    };
    let (Some(known), Some(written)) = (built_in(tool), &step.written.args) else {
        return;
    };
    let located = LocatedValue::new(args, written.span, &step.written.args_spans);
    for LocatedPart { key, value: part } in &located.parts {
        let name = key.as_ref().map(|key| key.value);
        let mut arguments = known.arguments.iter();
        let argument = arguments.find(|argument| Some(argument.name) == name);
        if let (Some(argument), Value::String(text)) = (argument, part.value)
            && !is_reference(text)
        {
            each(TextArgument {
                tool: known,
                argument,
                text,
                span: part.span,
            });
        }
    }
}
