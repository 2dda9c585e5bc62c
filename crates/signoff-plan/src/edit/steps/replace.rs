//! One step as another text of the plan has it.

use super::super::{EditRefused, require_readable, splice};
use crate::check::resolve::step_ids;
use crate::dialect::parse;
use crate::draft::Draft;
use crate::source::{Source, Span};

/// The plan with one step as another text of it has it; every other byte as it was.
pub fn replace_step(source: &Source, step: &str, from: &Source) -> Result<Source, EditRefused> {
    let (old, new) = (parse(source), parse(from));
    require_readable(&old)?;
    require_readable(&new)?;
    if old.dialect != new.dialect {
        let why = format!("the step is in the dialect `{}`", new.dialect);
        return Err(EditRefused::Unreadable(why));
    }
    let place = block(&old, step, source)?;
    let text = block(&new, step, from)?.slice(from.text()).to_owned();
    let splices = vec![splice::Splice::replace(place, text)];
    let changed = splice::apply_to(source, splices);
    if step_ids(&parse(&changed)) != step_ids(&old) {
        let why = format!("the text of `{step}` holds other steps");
        return Err(EditRefused::NotOnlyField(why));
    }
    Ok(changed)
}

/// The text of a step, without the white space behind it.
fn block(draft: &Draft, step: &str, source: &Source) -> Result<Span, EditRefused> {
    let at = step_ids(draft).iter().position(|id| id == step);
    let found = at.and_then(|at| draft.steps.get(at));
    let span = found
        .map(|step| step.span)
        .ok_or_else(|| EditRefused::UnknownStep(step.to_owned()))?;
    let kept = span.slice(source.text()).trim_end().len();
    Ok(Span::new(span.start, span.start + kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("plan", text.as_bytes().to_vec())
    }

    const PLAN: &str = "---\ntype: plan\nstatus: draft\n---\n\n# T   \n\n## Steps\n\n### 1. A\n\n**task:** a  \n\n### 2. B\n\n**task:** b\n\n\n### 3. C\n\n**task:** c";

    #[test]
    fn only_the_bytes_of_the_step_change() {
        let new = PLAN
            .replace("# T   ", "# Other")
            .replace("**task:** a  ", "**task:** other")
            .replace(
                "### 2. B\n\n**task:** b",
                "### 2. Better\n\n**task:** bb\n\n**timeout:** 5m",
            );
        let ids = step_ids(&parse(&source(PLAN)));
        let changed = replace_step(&source(PLAN), &ids[1], &source(&new)).unwrap();
        let expected = PLAN.replace(
            "### 2. B\n\n**task:** b",
            "### 2. Better\n\n**task:** bb\n\n**timeout:** 5m",
        );
        assert_eq!(changed.text(), expected);
    }

    #[test]
    fn records_are_changed_in_their_step_too() {
        let text = r#"{"id": "p",  "task": "t", "steps": [ {"index": 0, "description": "a"},{"index": 1, "description": "b"} ]}"#;
        let new = text.replace("\"b\"", "\"bb\"").replace("\"a\"", "\"aa\"");
        let ids = step_ids(&parse(&source(text)));
        let changed = replace_step(&source(text), &ids[1], &source(&new)).unwrap();
        assert_eq!(changed.text(), text.replace("\"b\"", "\"bb\""));
    }

    #[test]
    fn a_step_that_is_missing_or_becomes_several_is_refused() {
        let ids = step_ids(&parse(&source(PLAN)));
        let (without, _) = PLAN.split_once("### 2. B").unwrap();
        assert_eq!(
            replace_step(&source(PLAN), &ids[1], &source(without)).unwrap_err(),
            EditRefused::UnknownStep(ids[1].clone())
        );
        let json = r#"{"id": "p", "task": "t", "steps": [{"index": 0, "description": "a"}]}"#;
        let refused = replace_step(&source(PLAN), &ids[1], &source(json)).unwrap_err();
        assert!(matches!(refused, EditRefused::Unreadable(_)), "{refused}");
    }
}
