//! Edits of any text: refused, or lossless.

use serde_json::{Value, json};
use signoff_plan::check::Checked;
use signoff_plan::dialect::parse;
use signoff_plan::edit::{Edit, apply_to};
use signoff_plan::source::{Source, Span};

/// Fields of a plan, each with a value it may get.
fn plan_edits() -> Vec<Edit> {
    let fields = [
        ("id", json!("PLAN-0000beef")),
        ("title", json!("Another title")),
        ("version", json!(7)),
        ("context", json!("Why.\n\nAnd how.")),
        ("tools", json!(["bash"])),
        ("risks", json!(["late"])),
        ("budget", json!("$6")),
        ("tools", Value::Null),
        ("version", Value::Null),
    ];
    let set = fields.map(|(field, value)| Edit::SetPlan {
        field: field.to_owned(),
        value,
    });
    let rejected = Edit::Reject {
        version: 1,
        feedback: "No.\n\n## Steps\n```".to_owned(),
    };
    set.into_iter().chain([rejected]).collect()
}

/// Fields of a step, each with a value it may get.
fn step_edits(step: &str) -> impl Iterator<Item = Edit> {
    let fields = [
        ("title", json!("Another title")),
        ("task", json!("Do it.\n\n- well")),
        ("status", json!("failed")),
        ("status", Value::Null),
        ("contract.command", json!("make\nmake test")),
        ("contract.expect", json!(["exit_code == 0"])),
        ("on_fail", json!("retry(1), then abort")),
        ("produces", json!(["a.md", "b/"])),
        ("when", json!("params.x == 1")),
        ("timeout", json!("5m")),
        ("contract.command", Value::Null),
        ("on_fail", Value::Null),
        ("output", json!("done")),
    ];
    fields.into_iter().map(|(field, value)| Edit::SetStep {
        step: step.to_owned(),
        field: field.to_owned(),
        value,
    })
}

/// An edit of a step leaves every byte outside of its lines alone, one of the plan every step; made a
/// second time it changes nothing.
pub(super) fn touch_only_their_place(source: &Source, checked: &Checked) {
    let draft = parse(source);
    let places: Vec<Span> = draft.steps.iter().map(|step| step.span).collect();
    for edit in plan_edits() {
        let Some(edited) = applied(source, &edit) else {
            continue;
        };
        for place in &places {
            let text = place.slice(source.text());
            assert!(edited.text().contains(text), "{edit:?}\n{}", edited.text());
        }
    }
    // One from the middle: there is something before it and behind it.
    let steps = || checked.plan.steps.iter().zip(&places);
    let Some((step, place)) = steps().nth(places.len() / 2) else {
        return;
    };
    // If two steps have the same id, the first one counts.
    if steps().filter(|(other, _)| other.id == step.id).count() > 1 {
        return;
    }
    let lines = lines_of(source.text(), *place);
    let before = source.text().get(..lines.start).unwrap_or_default();
    let after = source.text().get(lines.end..).unwrap_or_default();
    for edit in step_edits(&step.id) {
        if let Some(edited) = applied(source, &edit) {
            let text = edited.text();
            let kept = text.starts_with(before) && text.ends_with(after);
            assert!(kept, "{edit:?}\n{}\n---\n{text}", source.text());
        }
    }
}

/// The source with an edit, if it can be made.
fn applied(source: &Source, edit: &Edit) -> Option<Source> {
    let edits = std::slice::from_ref(edit);
    let edited = apply_to(source, edits).ok()?;
    if !matches!(edit, Edit::Reject { .. }) {
        let twice = apply_to(&edited, edits);
        let twice = twice.as_ref().map(Source::text);
        assert_eq!(twice, Ok(edited.text()), "{edit:?}\n{}", source.text());
    }
    // A file that ends its lines in one way goes on to do so.
    let has_crlf = |text: &str| text.contains("\r\n");
    let only_crlf = |text: &str| !text.replace("\r\n", "").contains('\n');
    let (before, after) = (source.text(), edited.text());
    if source.parts().is_empty() && has_crlf(before) && only_crlf(before) {
        assert!(only_crlf(after), "{edit:?}\n{after:?}");
    }
    Some(edited)
}

/// A span up to the ends of its first and last line.
fn lines_of(text: &str, span: Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let rest = text.get(span.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = rest.find('\n').map_or(text.len(), |at| span.end + at + 1);
    Span::new(start, end)
}
