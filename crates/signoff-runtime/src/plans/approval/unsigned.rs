//! What whoever signs a plan agrees to that nobody signed before: the same on every surface.

use super::approve::changes_since_signed;
use super::replan::waiting_run;
use crate::error::{Error, SignedDifference};
use crate::plan_file::PlanFile;
use crate::project::Project;

/// What differs from what was signed before.
#[derive(Debug)]
pub struct UnsignedChanges {
    /// The digest of the plan that was signed.
    pub before: String,
    /// The run that waits for this plan as its new version.
    pub run: Option<String>,
    /// All of it.
    pub difference: SignedDifference,
}

/// What nobody signed yet of this plan; `None` if nobody ever signed anything of it. A new version of a plan differs from
/// the one that its run carries out, any other plan from what was signed of it last.
pub fn unsigned_changes(
    project: &Project,
    plan: &PlanFile,
) -> Result<Option<UnsignedChanges>, Error> {
    Ok(match waiting_run(project, plan)? {
        Some(waiting) => Some(UnsignedChanges {
            before: waiting.digest,
            run: Some(waiting.run),
            difference: waiting.difference,
        }),
        None => match changes_since_signed(project, plan) {
            Ok((signature, difference)) => Some(UnsignedChanges {
                before: signature.digest.to_string(),
                run: None,
                difference,
            }),
            Err(Error::NotSigned { .. }) => None,
            Err(error) => return Err(error),
        },
    })
}
