//! `show`: a plan as it was understood, with the state derived from signatures and journals.

use signoff_api::plan::{Around, Plan};
use signoff_engine::PlanState;
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::{Project, load_config};
use signoff_runtime::state::{Standing, standing};

use crate::args::Show;
use crate::failure::Failure;
use crate::plan_paths::{is_stdin, read};
use crate::report::plan::lines;
use crate::report::style::{DIM, TITLE, harmless, paint};
use crate::session::Session;
use crate::shell_words::quoted;

pub(crate) fn show(session: &mut Session, args: &Show) -> Result<u8, Failure> {
    let plan = read(session, &args.path, args.dialect)?;
    let name = plan.source.name().to_owned();
    // Only reading a plan needs no store; what comes from stdin is not known to it.
    let (standing, shell) = match Project::open(&session.around) {
        Ok(project) => {
            let known = (!is_stdin(&args.path)).then(|| standing(&project, &plan));
            (known.transpose()?, project.config.contract.shell.value)
        }
        Err(Error::NoStore { .. }) => {
            let config = load_config(&session.around, None)?;
            (None, config.contract.shell.value)
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
            terms: standing.map(|standing| standing.terms.to_string()),
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
    for line in lines(&plan.checked.plan, &statuses) {
        session.out.answer(line);
    }
    if plan.checked.errors() > 0 {
        session.out.say(format!(
            "this plan has errors: `signoff verify {}` shows them",
            quoted(&name)
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
