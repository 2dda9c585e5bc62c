//! Writes an edited plan: the log first, then its file or files.

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_plan::dialect::Dialect;
use signoff_plan::edit::{Edit, EditRefused, apply_to};
use signoff_plan::source::Source;
use signoff_store::atomic;

use super::change::EditedSource;
use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::locked::LockedPlan;
use crate::plans::locked::version::counts_changes;
use crate::plans::{PlanReport, unsigned_state};

/// The text with the version that follows, and the time, where its dialect has them.
pub(super) fn with_next_version(
    locked: &LockedPlan<'_>,
    mut source: Source,
) -> Result<Source, Error> {
    let dialect = locked.plan.checked.dialect;
    let version = locked.version().filter(|_| counts_changes(dialect));
    let version = version.map(|version| ("version", Value::from(version.saturating_add(1))));
    let now = (dialect == Dialect::Proposal).then(|| {
        (
            "updated_at",
            Value::from(timestamp(locked.context.clock.now())),
        )
    });
    for (field, value) in version.into_iter().chain(now) {
        let field = field.to_owned();
        match apply_to(&source, &[Edit::SetPlan { field, value }]) {
            Ok(counted) => source = counted,
            Err(EditRefused::NoPlace(_)) => {}
            Err(refused) => return Err(Error::Uneditable(refused)),
        }
    }
    Ok(source)
}

/// Writes a new definition.
pub(super) fn replace(
    locked: LockedPlan<'_>,
    new: PlanFile,
    edited: &EditedSource,
) -> Result<PlanReport, Error> {
    locked.record(&[PlanEvent::PlanRevised {
        path: locked.path(),
        digest: new.digest().to_string(),
        version: new.checked.plan.version,
        by: locked.actor_name(),
        actor: locked.context.actor.name().to_owned(),
        change: Some(edited.sentences.join("; ")),
        renamed: edited.renamed.clone(),
    }])?;
    write_files(&locked.plan, &new.source)?;
    let state = unsigned_state(&new);
    locked.with_text(new).conclude_quietly(state)
}

/// Writes a text that says the same: signatures stay, and so does the state.
pub(super) fn keep_definition(locked: LockedPlan<'_>, new: PlanFile) -> Result<PlanReport, Error> {
    write_files(&locked.plan, &new.source)?;
    let state = locked.status.state;
    locked.with_text(new).conclude_quietly(state)
}

/// Writes every file that is new or different; one that somebody else changed meanwhile is left, and that is an error.
fn write_files(old: &PlanFile, new: &Source) -> Result<(), Error> {
    if !old.path.is_dir() {
        atomic::replace(&old.path, Some(old.source.bytes()), new.bytes(), true)?;
        return Ok(());
    }
    for (name, bytes) in new.split() {
        let before = old.source.split().find(|(known, _)| *known == name);
        let before = before.map(|(_, bytes)| bytes);
        if before != Some(bytes) {
            atomic::replace(&old.path.join(name), before, bytes, true)?;
        }
    }
    Ok(())
}
