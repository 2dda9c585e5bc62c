//! What a plan's version counts, and whether it is the expected one.

use signoff_plan::dialect::Dialect;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::project::Project;

/// Whether the version counts every change of the definition. That of a record counts replans and is part of
/// how those are named: it stays the same through everything else. A thread has none.
pub(crate) fn counts_changes(dialect: Dialect) -> bool {
    match dialect {
        Dialect::Proposal | Dialect::Workunit | Dialect::Toolplan => true,
        Dialect::Record | Dialect::Thread => false,
    }
}

/// The plan has this version, if one is expected.
pub(crate) fn require_version(plan: &PlanFile, expected: Option<u64>) -> Result<(), Error> {
    let Some(expected) = expected else {
        return Ok(());
    };
    let name = plan.source.name().to_owned();
    if plan.checked.dialect == Dialect::Record {
        return Err(Error::CountsReplans { plan: name });
    }
    match plan.checked.plan.version {
        Some(found) if found == expected => Ok(()),
        found => Err(Error::OtherVersion {
            plan: name,
            expected,
            found,
        }),
    }
}

/// The same, and the plan is what its log knows under this version: an editor may change a plan and leave
/// its version as it is.
pub(crate) fn require_known_version(
    project: &Project,
    plan: &PlanFile,
    expected: Option<u64>,
) -> Result<(), Error> {
    require_version(plan, expected)?;
    let Some(version) = expected else {
        return Ok(());
    };
    let history = PlanHistory::read(project, &plan.key(project)?)?;
    match history.digest_of_version(version) {
        Some(known) if *known != plan.digest().to_string() => Err(Error::SameVersion {
            plan: plan.source.name().to_owned(),
            version,
        }),
        _ => Ok(()),
    }
}
