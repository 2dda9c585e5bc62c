//! Fields of a step that stand where no step is: most often because a heading in a task ended the
//! step before its fields were through.

use std::ops::Range;

use super::labels::{Label, LabelForm, label};
use super::sections::SectionKind;
use super::values::numbered_lines;
use super::{DIALECT, plan, step};
use crate::check::bad_value;
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::markdown::{Document, Heading};

/// The first field in these lines that belongs into a step. `ended` is the heading that ended the
/// steps.
pub(super) fn field(
    document: &Document<'_>,
    lines: &Range<usize>,
    part: SectionKind,
    ended: Option<Heading>,
) -> Option<Diagnostic> {
    match part {
        SectionKind::StepsIntroduction
        | SectionKind::Risks
        | SectionKind::Narrative
        | SectionKind::Ignored => {}
        // The preamble has fields of its own; a rejection may quote whatever it likes.
        SectionKind::Preamble | SectionKind::Step | SectionKind::Rejection => return None,
    }
    let labels = numbered_lines(document, lines).filter_map(|(_, line)| label(document, line));
    let mut labels = labels.filter(|label| label.form == LabelForm::Proper);
    let found = labels.find(|label| is_field(label, part))?;
    Some(
        match ended.filter(|_| part != SectionKind::StepsIntroduction) {
            Some(heading) => {
                let name = Spanned::new(document.slice(heading.text).to_owned(), heading.text);
                bad_value::ends_steps(DIALECT, &name, "a field of a step", found.name.span)
            }
            None => bad_value::field_of_no_step(DIALECT, &found.name),
        },
    )
}

/// Whether a label names a field that would be missed.
fn is_field(label: &Label, part: SectionKind) -> bool {
    let key = label.key();
    let known = |names: &[&str]| names.contains(&key.as_str());
    // `**Tools:**` or `**Task:**` may as well head a paragraph of prose.
    known(step::SCOPE.names)
        && (part == SectionKind::StepsIntroduction || !known(plan::SCOPE.names))
}
