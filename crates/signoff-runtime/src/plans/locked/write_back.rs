//! Writes into a plan's file its status, version, time and feedback. A projection, never read back.

use serde_json::Value;
use signoff_engine::PlanState;
use signoff_plan::PermissiveWorkspace;
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{Edit, EditRefused, Marks, StepMark, apply_marks, apply_to};
use signoff_plan::source::Source;
use signoff_store::atomic::{ReplaceError, replace};

use super::version::counts_changes;
use crate::error::Error;
use crate::plan_file::{PlanFile, status_word};

/// What the file should say.
pub(crate) struct FileUpdate {
    pub(crate) state: PlanState,
    /// Besides: a rejection, say.
    pub(crate) edits: Vec<Edit>,
    /// The time, for dialects that keep one.
    pub(crate) now: String,
    /// Whether the version goes up.
    pub(crate) bump: VersionBump,
}

/// When the version goes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VersionBump {
    /// The text has its version already.
    Never,
    /// With any other change of the file, where the dialect counts writes.
    WithOthers,
    /// The definition changed: also if nothing else does.
    Always,
}

/// Brings the file up to date. Somebody else's edit is kept: if it left the definition alone, ours
/// is made in the new text, otherwise nothing is written: what was done was done to the text before.
/// Returns why the file was left as it is.
pub(crate) fn write_back(plan: &PlanFile, wanted: &FileUpdate) -> Result<Option<String>, Error> {
    if plan.source.parts().len() > 1 || plan.path.is_dir() {
        // A thread's files carry no state.
        return Ok(None);
    }
    let name = plan.source.name();
    loop {
        let present = plan.read_again(&PermissiveWorkspace)?;
        if present.digest() != plan.digest() {
            return Ok(Some(format!(
                "{name} was edited at the same moment; this is about the text before, and the new one was left as it is"
            )));
        }
        let new = match updated_source(&present, wanted) {
            Ok(new) => new,
            Err(refused) => return Ok(Some(format!("{name} was left as it is: {refused}"))),
        };
        if new.bytes() == present.source.bytes() {
            return Ok(None);
        }
        match replace(&plan.path, Some(present.source.bytes()), new.bytes(), true) {
            Ok(_) => return Ok(None),
            // The file changed meanwhile. Its new text decides what is to be written.
            Err(ReplaceError::Changed { .. }) => {}
            Err(error) => return Ok(Some(format!("{name} was left as it is: {error}"))),
        }
    }
}

/// The text with everything that is wanted.
fn updated_source(plan: &PlanFile, wanted: &FileUpdate) -> Result<Source, EditRefused> {
    let dialect = plan.checked.dialect;
    let name = plan.source.name();
    let mut source = plan.source.clone();
    for edit in &wanted.edits {
        match apply_to(&source, std::slice::from_ref(edit)) {
            Ok(edited) => source = edited,
            // The log has it.
            Err(EditRefused::NoPlace(_)) => {}
            Err(refused) => return Err(refused),
        }
    }
    // What was under way in a plan that is cancelled no longer is.
    let steps = plan.checked.plan.steps.iter();
    let idle = steps.filter(|step| step.mark.is_some());
    let marks = Marks {
        status: status_word(dialect, wanted.state).map(str::to_owned),
        steps: idle
            .map(|step| (step.id.clone(), StepMark::NotBegun))
            .filter(|_| wanted.state == PlanState::Cancelled)
            .collect(),
    };
    if marks != Marks::default() {
        source = Source::new(name, apply_marks(&source, &marks)?);
    }
    let changed = source.bytes() != plan.source.bytes();
    let counts_writes = dialect == Dialect::Proposal;
    let counted = match wanted.bump {
        VersionBump::Never => false,
        VersionBump::WithOthers => counts_writes && changed,
        VersionBump::Always => counts_changes(dialect),
    };
    let mut fields = Vec::new();
    if counts_writes && (changed || counted) {
        fields.push(("updated_at", Value::from(wanted.now.as_str())));
    }
    if let Some(version) = plan.checked.plan.version.filter(|_| counted) {
        fields.push(("version", Value::from(version.saturating_add(1))));
    }
    if fields.is_empty() {
        return Ok(source);
    }
    let edits: Vec<Edit> = fields
        .into_iter()
        .map(|(field, value)| Edit::SetPlan {
            field: field.to_owned(),
            value,
        })
        .collect();
    apply_to(&source, &edits)
}
