//! `show`: a plan as Signoff understands it, with the state derived from signatures and journals.

use signoff_api::plan::all_rejections;
use signoff_plan::tools::stop_reasons;
use signoff_runtime::Error;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::status::plan_status;
use signoff_runtime::plans::{PlanView, expiry_notice, unsigned_state};
use signoff_runtime::project::{Project, load_config};

use crate::args::Show;
use crate::commands::sign::locate_plan;
use crate::failure::Failure;
use crate::plan_paths::{is_stdin, read, workspace};
use crate::report::comments::comment_lines;
use crate::report::plan::plan_lines;
use crate::report::planning::planning_lines;
use crate::report::signature::{approval_line, signature};
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
        Some(project) => locate_plan(project, &args.path.display().to_string())?
            .1
            .into(),
        None => args.path.clone(),
    };
    let plan = read(session, &path, args.dialect)?;
    let status = known.map(|project| plan_status(project, &plan));
    let status = status.transpose()?;
    let expired = known.zip(status.as_ref()).and_then(|(project, status)| {
        expiry_notice(project, &plan, status, &signoff_runtime::SystemClock::new())
    });
    let shell = match &project {
        Some(project) => project.config.contract.shell.value.clone(),
        None => load_config(&session.process, None)?.contract.shell.value,
    };
    let view = PlanView {
        // It is not cancelled before the next command that changes the plan.
        state: (status.as_ref()).map_or_else(|| unsigned_state(&plan), |status| status.state),
        status,
        shell,
        asks: stop_reasons(&plan.checked.plan, &workspace(session)?),
    };
    if let Some(notice) = expired {
        session
            .out
            .say(format!("{} {notice}", paint(CARE, "note:")));
    }
    let status = view.status.as_ref();
    let disagreement = status.and_then(|status| status.disagreement(plan.source.name()));
    if let Some(note) = disagreement {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    if session.is_json() {
        session.json(&view.to_api(&plan));
    } else {
        show_text(session, &plan, &view);
    }
    Ok(0)
}

fn show_text(session: &mut Session, plan: &PlanFile, view: &PlanView) {
    let name = plan.source.name();
    let title = sanitize(plan.checked.plan.display_title());
    session.out.answer(paint(TITLE, title));
    let version = plan.checked.plan.version;
    let version = version.map_or_else(String::new, |version| format!(" · version {version}"));
    session.out.answer(format!(
        "{} · {} · {}{version}",
        view.state.name(),
        name,
        paint(DIM, plan.digest().short())
    ));
    if let Some(status) = &view.status {
        for line in signature(&status.signature) {
            session.out.answer(line);
        }
        if let Some(progress) = &status.approval {
            session.out.answer(approval_line(progress));
        }
    }
    for line in planning_lines(&view.planning()) {
        session.out.answer(line);
    }
    let rejected = all_rejections(&plan.checked.plan, &view.rejections());
    for text in rejected.into_iter().filter_map(|one| one.feedback) {
        let line = format!("{}   {}", paint(CARE, "rejected"), sanitize(&text));
        session.out.answer(line);
    }
    for line in plan_lines(&plan.checked.plan, &view.step_statuses(), &view.asks) {
        session.out.answer(line);
    }
    let comments = view.comments(plan);
    for comment in comments.iter().filter(|one| one.resolved_by.is_none()) {
        for line in comment_lines(comment) {
            session.out.answer(line);
        }
    }
    if plan.checked.errors() > 0 {
        session.out.say(format!(
            "this plan has errors: `signoff verify {}` shows them",
            shell_word(name)
        ));
    }
}
