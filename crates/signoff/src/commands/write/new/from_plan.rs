//! The text of an existing plan as the start of a new one, without its identity and marks.

use std::ops::Range;
use std::path::Path;

use signoff_plan::diagnostic::Severity;
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::edit::{Marks, StepMark, apply_marks};
use signoff_plan::source::Source;
use signoff_plan::write::{Loss, write};
use signoff_runtime::plan_file::PlanFile;

use crate::failure::Failure;
use crate::plan_paths::read;
use crate::session::Session;
use crate::shell_words::shell_word;

/// The text of a plan as a native draft, without marks, id and history.
pub(super) fn native_text(session: &Session, path: &Path) -> Result<String, Failure> {
    let plan = read(session, path, None)?;
    let native = if plan.checked.dialect == Dialect::Workunit {
        plan.source.text().to_owned()
    } else {
        to_native(&plan)?
    };
    without_marks(&without_identity(native), &plan)
}

fn to_native(plan: &PlanFile) -> Result<String, Failure> {
    let name = plan.source.name();
    let mut written = write(&plan.checked.plan, Dialect::Workunit);
    // A new plan does not take over the records of earlier runs.
    written
        .losses
        .retain(|loss| !signoff_plan::model::STEP_RECORD.contains(&loss.field.as_str()));
    written.losses.retain(Loss::is_relevant);
    written
        .losses
        .retain(|loss| !signoff_plan::model::PLAN_RECORD.contains(&loss.field.as_str()));
    if let Some(loss) = written.losses.first() {
        let message = format!(
            "a native plan cannot hold everything in {name}: `{}`, {}",
            loss.field, loss.why
        );
        return Err(Failure::new(1, "lossy", message));
    }
    Ok(written.files.into_iter().map(|(_, text)| text).collect())
}

/// Removes the frontmatter lines with the plan's id, version and previous plan.
fn without_identity(text: String) -> String {
    let draft = parse(&Source::new("<plan>", text.as_bytes().to_vec()));
    let fields = [
        ("id", &draft.id),
        ("version", &draft.version),
        ("previous", &draft.previous),
    ];
    let mut lines: Vec<Range<usize>> = fields
        .into_iter()
        .filter_map(|(name, field)| {
            let span = field.as_ref()?.span;
            let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[span.end..]
                .find('\n')
                .map_or(text.len(), |at| span.end + at + 1);
            let own = text[start..]
                .strip_prefix(name)?
                .trim_start()
                .starts_with(':');
            own.then_some(start..end)
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.start));
    let mut kept = text.clone();
    for line in lines {
        kept.replace_range(line, "");
    }
    let same = |text: &str| {
        let draft = parse(&Source::new("<plan>", text.as_bytes().to_vec()));
        let errors = draft
            .problems
            .iter()
            .filter(|one| one.severity == Severity::Error);
        (draft.steps.len(), errors.count())
    };
    // In flow style, for example, all fields are on one line: then keep the id rather than break the plan.
    if same(&kept) == same(&text) {
        kept
    } else {
        text
    }
}

fn without_marks(text: &str, plan: &PlanFile) -> Result<String, Failure> {
    let source = Source::new(plan.source.name(), text.as_bytes().to_vec());
    let steps = plan.checked.plan.steps.iter();
    let marks = Marks {
        status: Some("draft".to_owned()),
        steps: steps
            .map(|step| (step.id.clone(), StepMark::None))
            .collect(),
    };
    let bytes = apply_marks(&source, &marks).map_err(|refused| {
        let message = format!("no plan can begin from {}: {refused}", plan.source.name());
        Failure::new(1, "refused", message).hint(format!(
            "`signoff verify {}` shows the problems",
            shell_word(plan.source.name())
        ))
    })?;
    String::from_utf8(bytes).map_err(|why| Failure::new(1, "not-utf8", why.to_string()))
}
