//! Which field of a step a place in the text belongs to: forms show a problem under the field that it is about.

use super::DraftStep;
use crate::source::{Span, Spanned};

impl DraftStep {
    /// The name of the field that begins the closest around a place; none of a place between the fields.
    pub fn field_at(&self, place: Span) -> Option<&'static str> {
        let mut found: Vec<(Span, &'static str)> = vec![(self.title.span, "title")];
        let mut add = |span: Option<Span>, name| found.extend(span.map(|span| (span, name)));
        add(span_of(self.id.as_ref()), "id");
        add(span_of(self.task.as_ref()), "task");
        add(span_of(self.ask.as_ref()), "question");
        add(span_of(self.target.as_ref()), "target");
        add(span_of(self.on_fail.as_ref()), "on_fail");
        add(span_of(self.timeout.as_ref()), "timeout");
        add(span_of(self.instructions.as_ref()), "instructions");
        add(
            self.depends_on.as_deref().and_then(span_of_all),
            "depends_on",
        );
        add(self.tools.as_deref().and_then(span_of_all), "tools");
        if let Some(contract) = &self.contract {
            let command = contract.command.pieces.iter().map(|piece| piece.span);
            add(command.reduce(Span::to), "contract");
            add(Some(contract.span), "contract");
            add(span_of_all(&contract.expect), "contract.expect");
        }
        let holds = |span: &Span| span.start <= place.start && place.start <= span.end;
        let around = found.into_iter().filter(|(span, _)| holds(span));
        around
            .min_by_key(|(span, _)| span.len())
            .map(|(_, name)| name)
    }
}

fn span_of<T>(value: Option<&Spanned<T>>) -> Option<Span> {
    value.map(|value| value.span)
}

/// From the first of several to the last.
fn span_of_all<T>(values: &[Spanned<T>]) -> Option<Span> {
    values.iter().map(|value| value.span).reduce(Span::to)
}

#[cfg(test)]
mod tests {
    use crate::dialect::parse;
    use crate::source::{Source, Span};

    const PLAN: &str = "---\ntype: plan\n---\n\n# P\n\n## Steps\n\n### 1. First\n\n**id:** one\n**task:**\nDo it well.\n\n\
**contract:**\n```shell\ntest -s a.txt\n```\nexit_code == 0\n**depends_on:** zero, minus\n**tools:** read, edit\n\
**on_fail:** retry(2), then escalate\n";

    #[test]
    fn a_place_belongs_to_the_field_that_it_stands_in() {
        let source = Source::new("plan.md", PLAN.as_bytes().to_vec());
        let draft = parse(&source);
        let step = draft.steps.first().expect("a step");
        for (text, expected) in [
            ("First", Some("title")),
            ("it well", Some("task")),
            ("-s a.txt", Some("contract")),
            ("exit_code", Some("contract.expect")),
            ("minus", Some("depends_on")),
            ("edit", Some("tools")),
            ("then escalate", Some("on_fail")),
            ("type: plan", None),
        ] {
            let at = PLAN.find(text).expect("it is there");
            assert_eq!(step.field_at(Span::at(at)), expected, "{text}");
        }
    }
}
