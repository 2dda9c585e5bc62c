//! Refuses a target that has moved.

use crate::error::Error;
use crate::plan_file::PlanFile;

/// The plan has this version, if one is expected.
pub(crate) fn version(plan: &PlanFile, expected: Option<u64>) -> Result<(), Error> {
    let Some(expected) = expected else {
        return Ok(());
    };
    match plan.checked.plan.version {
        Some(found) if found == expected => Ok(()),
        found => Err(Error::OtherVersion {
            plan: plan.source.name().to_owned(),
            expected,
            found,
        }),
    }
}
