//! `approve`: a person signs a plan off.

use signoff_api::plan_ref::{PlanRef, SCHEMA};
use signoff_runtime::approve::{Wish, approve as sign};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::Project;

use crate::args::Approve;
use crate::failure::Failure;
use crate::report::style::{GOOD, paint};
use crate::session::Session;

pub(crate) fn approve(session: &mut Session, args: &Approve) -> Result<u8, Failure> {
    let project = session.project()?;
    let name = args.plan.path.display().to_string();
    let plan = PlanFile::read(
        &session.around.directory.join(&args.plan.path),
        &name,
        &project.workspace(),
    )?;
    let wish = Wish {
        proof: session.proof.or(args.proof.map(Into::into)),
        note: args.note.clone(),
        expect_digest: args.expect_digest.clone(),
        expect_version: args.expect_version,
    };
    sign_off(session, &project, &plan, &wish)?;
    if session.is_json() {
        let shape = PlanRef {
            schema: SCHEMA.to_owned(),
            id: plan.key(&project),
            status: "approved".to_owned(),
            version: plan.checked.plan.version,
            digest: plan.digest().to_string(),
            path: name,
        };
        session.json(&shape);
    }
    Ok(0)
}

/// Signs, and says so.
pub(crate) fn sign_off(
    session: &mut Session,
    project: &Project,
    plan: &PlanFile,
    wish: &Wish,
) -> Result<(), Failure> {
    session.require_person("sign a plan off")?;
    show_errors(session, plan);
    let approved = sign(project, plan, wish, &session.clock)?;
    if !session.is_json() {
        session.out.say(format!(
            "{} {} by {} (proof: {}), digest {}",
            paint(GOOD, "signed"),
            plan.source.name(),
            approved.signature.by,
            approved.signature.proof,
            approved.signature.digest.short(),
        ));
    }
    Ok(())
}

/// Whoever is refused because of errors sees them at once.
pub(crate) fn show_errors(session: &mut Session, plan: &PlanFile) {
    if session.is_json() || plan.checked.errors() == 0 {
        return;
    }
    for diagnostic in &plan.checked.diagnostics {
        session
            .out
            .say(crate::diagnostics::render(diagnostic, &plan.source));
        session.out.say("");
    }
}
