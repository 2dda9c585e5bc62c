//! `show`: a plan as Signoff understands it, with the state derived from signatures and journals.

use signoff_api::plan::{Plan, PlanContext};
use signoff_engine::PlanState;
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::expiry_notice;
use signoff_runtime::plans::status::{PlanStatus, plan_status};
use signoff_runtime::project::{Project, load_config};

use crate::args::Show;
use crate::commands::sign::locate;
use crate::failure::Failure;
use crate::plan_paths::{is_stdin, read};
use crate::report::plan::plan_lines;
use crate::report::signature::signature;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, DIM, TITLE, paint, sanitize};

pub(crate) fn show(session: &mut Session, args: &Show) -> Result<u8, Failure> {
    // Showing a plan needs no store; a plan from stdin is not in it.
    let project = match Project::open(&session.process) {
        Ok(project) => Some(project),
        Err(Error::NoStore { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let known = project.as_ref().filter(|_| !is_stdin(&args.path));
    let path = match known {
        Some(project) => locate(project, &args.path.display().to_string())?.1.into(),
        None => args.path.clone(),
    };
    let plan = read(session, &path, args.dialect)?;
    let name = plan.source.name().to_owned();
    let standing = known
        .map(|project| plan_status(project, &plan))
        .transpose()?;
    let expired = match (known, &standing) {
        (Some(project), Some(standing)) => expiry_notice(
            project,
            &plan,
            standing,
            &signoff_runtime::SystemClock::new(),
        ),
        _ => None,
    };
    let shell = match &project {
        Some(project) => project.config.contract.shell.value.clone(),
        None => load_config(&session.process, None)?.contract.shell.value,
    };
    let state = match (&standing, &expired) {
        // The next command that changes the plan records the expiry.
        (_, Some(_)) => PlanState::Cancelled,
        (Some(standing), None) => standing.state,
        (None, None) => unsigned(&plan),
    };
    if let Some(notice) = expired {
        session
            .out
            .say(format!("{} {notice}", paint(CARE, "note:")));
    }
    let statuses = statuses(standing.as_ref());
    if session.is_json() {
        let process = PlanContext {
            dialect: plan.checked.dialect.as_str(),
            status: state.name(),
            digest: plan.digest().to_string(),
            terms: standing.as_ref().map(|standing| standing.terms.to_string()),
            shell: &shell,
            step_statuses: statuses,
        };
        let shape = Plan::new(&plan.checked.plan, &process);
        session.json(&shape);
        return Ok(0);
    }
    let title = sanitize(plan.checked.plan.display_title());
    session.out.answer(paint(TITLE, title));
    session.out.answer(format!(
        "{} · {} · {}",
        state.name(),
        name,
        paint(DIM, plan.digest().short())
    ));
    if let Some(standing) = &standing {
        let said = standing.history.feedback().filter_map(|(_, said)| said);
        let said = said.map(|text| format!("{}   {}", paint(CARE, "rejected"), sanitize(text)));
        for line in signature(&standing.signature).into_iter().chain(said) {
            session.out.answer(line);
        }
    }
    for line in plan_lines(&plan.checked.plan, &statuses) {
        session.out.answer(line);
    }
    if plan.checked.errors() > 0 {
        session.out.say(format!(
            "this plan has errors: `signoff verify {}` shows them",
            shell_word(&name)
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

fn statuses(standing: Option<&PlanStatus>) -> Vec<&'static str> {
    let Some(view) = standing.and_then(|standing| standing.view.as_ref()) else {
        return Vec::new();
    };
    (0..view.run.plan().steps.len())
        .map(|at| view.run.displayed_status(at, view.driven))
        .map(signoff_api::event::step_status)
        .collect()
}
