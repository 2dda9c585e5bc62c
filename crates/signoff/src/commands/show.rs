//! `show`: a plan as it was understood, with the state derived from signatures and journals.

use std::path::Path;

use signoff_api::plan::{Around, Plan};
use signoff_engine::PlanState;
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::{Project, load_config};
use signoff_runtime::state::{Standing, standing};
use signoff_store::disk_workspace::DiskWorkspace;

use super::lifecycle::locate;
use crate::failure::Failure;
use crate::report::plan::lines;
use crate::report::signature::signature;
use crate::report::style::{DIM, TITLE, harmless, paint};
use crate::session::Session;

pub(crate) fn show(session: &mut Session, path: &Path) -> Result<u8, Failure> {
    let name = path.display().to_string();
    // Only reading a plan needs no store.
    let (plan, standing, shell) = match Project::open(&session.around) {
        Ok(project) => {
            let (full, name) = locate(&project, &name)?;
            let plan = PlanFile::read(&full, &name, &project.workspace())?;
            let standing = standing(&project, &plan)?;
            (plan, Some(standing), project.config.contract.shell.value)
        }
        Err(Error::NoStore { .. }) => {
            let full = session.around.directory.join(path);
            let config = load_config(&session.around, None)?;
            let workspace =
                DiskWorkspace::new(&session.around.directory, &session.around.path(), &config);
            (
                PlanFile::read(&full, &name, &workspace)?,
                None,
                config.contract.shell.value,
            )
        }
        Err(error) => return Err(error.into()),
    };
    let state = standing
        .as_ref()
        .map_or_else(|| unsigned(&plan), |standing| standing.state);
    let statuses = statuses(standing.as_ref());
    if session.is_json() {
        let around = Around {
            dialect: plan.checked.dialect.as_str(),
            status: state.name(),
            digest: plan.digest().to_string(),
            terms: standing.as_ref().map(|standing| standing.terms.to_string()),
            shell: &shell,
            step_statuses: statuses,
        };
        let shape = Plan::new(&plan.checked.plan, &around);
        session.json(&shape);
        return Ok(0);
    }
    let title = harmless(plan.checked.plan.display_title());
    session.out.answer(paint(TITLE, title));
    session.out.answer(format!(
        "{} · {} · {}",
        state.name(),
        name,
        paint(DIM, plan.digest().short())
    ));
    if let Some(standing) = &standing {
        for line in signature(&standing.signature) {
            session.out.answer(line);
        }
    }
    for line in lines(&plan.checked.plan, &statuses) {
        session.out.answer(line);
    }
    if plan.checked.errors() > 0 {
        session.out.say(format!(
            "this plan has errors: `signoff verify {name}` shows them"
        ));
    }
    Ok(0)
}

fn unsigned(plan: &PlanFile) -> PlanState {
    if plan.checked.errors() > 0 {
        PlanState::Draft
    } else {
        PlanState::Verified
    }
}

fn statuses(standing: Option<&Standing>) -> Vec<&'static str> {
    let Some(view) = standing.and_then(|standing| standing.view.as_ref()) else {
        return Vec::new();
    };
    (0..view.run.plan().steps.len())
        .map(|at| signoff_api::event::step_status(view.run.status_of(at)))
        .collect()
}
