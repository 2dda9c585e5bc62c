//! `delete`: removes a plan from the store.

use signoff_api::deleted::{Deleted, SCHEMA};

use super::{by_person, locate_plan};
use crate::args::PlanName;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn delete(session: &mut Session, args: &PlanName) -> Result<u8, Failure> {
    session.require_person("delete a plan")?;
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let (path, name) = locate_plan(&project, &args.plan)?;
    let deleted = signoff_runtime::plans::delete(by_person(&project, &clock), &path, &name)?;
    if session.is_json() {
        let shape = Deleted {
            schema: SCHEMA.to_owned(),
            id: deleted.key,
            path: name,
            removed: deleted.removed,
        };
        session.json(&shape);
        return Ok(0);
    }
    session.out.answer(if deleted.removed {
        format!("deleted {}: {name} is gone; its log stays", deleted.key)
    } else {
        format!(
            "deleted {} from the list; {name} is a file of the project and stays",
            deleted.key
        )
    });
    Ok(0)
}
