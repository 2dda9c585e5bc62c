//! Refuses a plan whose version is not the expected one.

use signoff_plan::dialect::Dialect;

use crate::error::Error;
use crate::plan_file::PlanFile;

/// The plan has this version, if one is expected. That of a record counts replans and is part of how
/// those are named: it stays the same through everything else, so that comparing it proves nothing.
pub(crate) fn require_version(plan: &PlanFile, expected: Option<u64>) -> Result<(), Error> {
    let Some(expected) = expected else {
        return Ok(());
    };
    if plan.checked.dialect == Dialect::Record {
        return Err(Error::CountsReplans {
            plan: plan.source.name().to_owned(),
        });
    }
    match plan.checked.plan.version {
        Some(found) if found == expected => Ok(()),
        found => Err(Error::OtherVersion {
            plan: plan.source.name().to_owned(),
            expected,
            found,
        }),
    }
}
