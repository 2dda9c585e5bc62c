//! `approve`: a person signs a plan.

use signoff_engine::Actor;
use signoff_plan::diagnostic::{Code, Severity};
use signoff_plan::tools::plan_demands;
use signoff_runtime::Error;
use signoff_runtime::live::RunOptions;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::status::plan_status;
use signoff_runtime::plans::{
    ActorContext, ApproveOptions, ApproveReport, approve as sign, changed_run,
};
use signoff_runtime::project::Project;
use signoff_runtime::remote_runs::bring_versions;
use signoff_store::signatures::Proof;

use crate::args::Approve;
use crate::commands::sign::locate_plan;
use crate::failure::Failure;
use crate::report::difference::signed_difference_text;
use crate::report::problems::text::for_signer;
use crate::report::signature::approval_line;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, GOOD, paint, sanitize};

pub(crate) fn approve(session: &mut Session, args: &Approve) -> Result<u8, Failure> {
    let project = session.project()?;
    // It may be a version that other machines had drafted.
    bring_versions(&project)?;
    let (path, name) = locate_plan(&project, &args.plan.path.to_string_lossy())?;
    let plan = PlanFile::read(&path, &name, &project.workspace())?;
    let options = ApproveOptions {
        proof: session.proof.or(args.proof.map(Into::into)),
        note: args.note.clone(),
        expect_digest: args.expect_digest.clone(),
        expect_version: args.expect_version,
        expect_terms: None,
    };
    let (approved, during) = sign_off(session, &project, &plan, &options)?;
    if let Some(progress) = &approved.done.approval
        && !progress.is_complete()
    {
        if session.is_json() {
            session.json(&approved.done.to_api());
        }
        // What was asked for besides waits for other people.
        return Ok(if args.run { 3 } else { 0 });
    }
    let goes = args.run || project.config.approval.then_run.value;
    if let Some(run) = during {
        if goes {
            return crate::commands::running::resume::resume(
                session,
                Some(&run),
                &RunOptions::default(),
            );
        }
        if !session.is_json() {
            session
                .out
                .say(format!("next: `signoff resume {run}` continues with it"));
        }
    } else if goes {
        return crate::commands::running::run::start(
            session,
            &project,
            approved.done.plan,
            &RunOptions::default(),
        )
        .map_err(|failure| failure.hint(format!("{name} stays approved")));
    }
    if session.is_json() {
        session.json(&approved.done.to_api());
    }
    Ok(0)
}

/// Signs the plan and prints the signature. If a run of the plan has not ended, first shows the changes that the run
/// does not carry out yet, and returns its name.
pub(crate) fn sign_off(
    session: &mut Session,
    project: &Project,
    plan: &PlanFile,
    options: &ApproveOptions,
) -> Result<(ApproveReport, Option<String>), Failure> {
    session.require_person("sign a plan")?;
    let during = changed_run(project, plan)?;
    if let Some(during) = during.as_ref().filter(|_| !session.is_json()) {
        session.out.say(format!(
            "changes that run {} does not carry out yet:",
            during.run
        ));
        for line in signed_difference_text(&during.difference) {
            session.out.say(format!("  {line}"));
        }
    }
    if let Some(note) = plan_status(project, plan)?.disagreement(plan.source.name()) {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    for problem in &plan.checked.diagnostics {
        let is_stray = problem.code == Code::BadFilename && problem.severity == Severity::Warning;
        if (problem.code.concerns_signing() || is_stray) && !session.is_json() {
            session.out.say(for_signer(problem, &plan.source));
        }
    }
    if !session.is_json() {
        // Whoever signs need not look for it among the steps.
        for demand in plan_demands(&plan.checked.plan) {
            let line = format!("{} this plan {}", paint(CARE, "note:"), sanitize(&demand));
            session.out.say(line);
        }
    }
    let context = ActorContext {
        project,
        actor: match session.proof {
            Some(Proof::Policy) => Actor::Policy,
            _ => Actor::Person,
        },
        clock: &signoff_runtime::SystemClock::new(),
    };
    let approved = sign(context, plan, options).map_err(|error| show_problems(session, error))?;
    for note in &approved.done.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    if !session.is_json() {
        session.out.say(format!(
            "{} {} by {} (proof: {}), digest {}",
            paint(GOOD, "signed"),
            plan.source.name(),
            approved.signature.by,
            approved.signature.proof,
            approved.signature.digest.short(),
        ));
        if let Some(progress) = &approved.done.approval {
            session.out.say(approval_line(progress));
        }
    }
    Ok((approved, during.map(|during| during.run)))
}

/// Shows the errors that a plan was refused for. `verify` might not show them: something missing on this machine is
/// only a warning there, and a text from stdin is gone.
pub(crate) fn show_problems(session: &mut Session, error: Error) -> Failure {
    let Error::Invalid {
        source,
        diagnostics,
    } = &error
    else {
        return error.into();
    };
    let mut details = Vec::new();
    let (is_json, name) = (session.is_json(), shell_word(source.name()));
    for diagnostic in diagnostics {
        if is_json {
            details.push(diagnostic.message.clone());
            continue;
        }
        session
            .out
            .say(crate::report::problems::text::render(diagnostic, source));
        session.out.say("");
    }
    let there = session.process.directory.join(source.name());
    // `verify` would read the same text that was refused.
    let same = || std::fs::read(&there).is_ok_and(|bytes| bytes == source.bytes());
    let is_there = there.is_dir() || same();
    let missing = diagnostics.iter().any(|one| one.code.is_environmental());
    let mut failure = Failure::from(error);
    failure.details = details;
    if missing || !is_there {
        failure.hints = vec!["solve these problems, then repeat the command".to_owned()];
    } else if !is_json {
        failure.hints = vec![format!("`signoff verify {name}` checks it again")];
    }
    failure
}
