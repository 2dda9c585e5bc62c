//! A plan that an agent shows to leave its plan mode. It is kept for a person to sign; nothing waits here.

use std::path::{Path, PathBuf};

use signoff_engine::{Actor, PlanState};
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::dialect::recognise;
use signoff_plan::source::Source;
use signoff_store::agent_sessions::{self, ShownPlan};
use signoff_store::atomic;

use super::AgentSession;
use crate::clock::SystemClock;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::status::plan_status;
use crate::plans::{
    ActorContext, EditOptions, PlanReport, Revision, changes_since_signed, propose_text,
    revise_idle,
};
use crate::project::Project;

/// How often a text that is not a plan is sent back. Then it is kept, so that nothing is lost, and a person decides.
const REFUSALS: u32 = 3;
/// How many problems are reported at once.
const PROBLEMS: usize = 30;
const NATIVE_FORM: &str = include_str!("native_form.md");

/// The answer to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanAnswer {
    /// There is no store here: it is not our concern.
    NotOurs,
    /// It stays in plan mode, for this reason.
    Deny(String),
    /// A person has signed the plan. The agent gets this text instead of its plan.
    Signed(String),
}

/// Answers a plan that a session shows.
pub fn shown_plan(session: &AgentSession<'_>, text: &str) -> Result<PlanAnswer, Error> {
    let project = match Project::open(session.process) {
        Ok(project) => project,
        Err(Error::NoStore { .. }) => return Ok(PlanAnswer::NotOurs),
        Err(error) => return Err(error),
    };
    let mut memory = Memory::load(session)?;
    if recognise(&Source::new("plan", text.as_bytes().to_vec())).is_none() {
        return not_a_plan(&project, session, &mut memory, text);
    }
    memory.known.refusals = 0;
    let clock = SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: Actor::Agent,
        clock: &clock,
    };
    match submit(context, &memory, text) {
        Ok(submitted) => {
            memory.known.shown = Some(ShownPlan::new(&submitted.path, text));
            memory.save()?;
            Ok(verdict(&submitted))
        }
        Err(Error::Invalid {
            source,
            diagnostics,
        }) => {
            memory.save()?;
            Ok(PlanAnswer::Deny(problems(&source, &diagnostics)))
        }
        Err(error) => Err(error),
    }
}

/// What is stored about the session.
struct Memory<'a> {
    place: Option<(&'a Path, &'a str)>,
    known: agent_sessions::AgentSession,
}

impl<'a> Memory<'a> {
    fn load(session: &AgentSession<'a>) -> Result<Self, Error> {
        let place = session.process.state_dir.as_deref().zip(session.id);
        let known = match place {
            Some((state, id)) => agent_sessions::load(state, id)?,
            None => agent_sessions::AgentSession::default(),
        };
        Ok(Self { place, known })
    }

    fn save(&self) -> Result<(), Error> {
        match self.place {
            Some((state, id)) => Ok(agent_sessions::save(state, id, &self.known)?),
            None => Ok(()),
        }
    }
}

/// A plan that is kept, and where it stands.
struct SubmittedPlan {
    path: PathBuf,
    name: String,
    state: PlanState,
    /// A person signed this text, but not under the terms that hold here.
    is_signed_elsewhere: bool,
}

impl SubmittedPlan {
    fn of(project: &Project, report: PlanReport) -> Self {
        let id = report.plan.checked.plan.id.clone();
        Self {
            name: id.unwrap_or_else(|| project.store.relative(&report.plan.path)),
            path: report.plan.path,
            state: report.state,
            is_signed_elsewhere: false,
        }
    }
}

/// Keeps the text: as a new plan, or as the next version of the one that the session showed before.
fn submit(
    context: ActorContext<'_>,
    memory: &Memory<'_>,
    text: &str,
) -> Result<SubmittedPlan, Error> {
    let project = context.project;
    let bytes = text.as_bytes().to_vec();
    let shown = memory.known.shown.as_ref();
    let shown = shown
        .filter(|shown| shown.path.starts_with(project.store.workspace()) && shown.path.exists());
    let Some(shown) = shown else {
        return Ok(SubmittedPlan::of(project, propose_text(context, &bytes)?));
    };
    let name = project.store.relative(&shown.path);
    if !shown.is_text(text) {
        let revision = Revision::Text(bytes);
        let any = EditOptions::default();
        let revised = revise_idle(context, &shown.path, &name, &revision, &any);
        match revised {
            // Only spaces differ, say.
            Err(Error::NothingRevised { .. }) => {}
            revised => return Ok(SubmittedPlan::of(project, revised?)),
        }
    }
    let plan = PlanFile::read(&shown.path, &name, &project.workspace())?;
    let status = plan_status(project, &plan)?;
    let signed = changes_since_signed(project, &plan).ok();
    Ok(SubmittedPlan {
        name: plan.checked.plan.id.clone().unwrap_or(name),
        path: shown.path.clone(),
        state: status.state,
        is_signed_elsewhere: !status.signed
            && signed.is_some_and(|(signature, _)| signature.plan == plan.digest().hex()),
    })
}

fn verdict(plan: &SubmittedPlan) -> PlanAnswer {
    let name = &plan.name;
    match plan.state {
        PlanState::Approved => PlanAnswer::Signed(format!(
            "A person has signed this plan; Signoff keeps it as {name}. Do not carry it out yourself: call `plan_run` with {name} (or `signoff run {name}`), and the harness does the steps and checks each one. Everything but reading stays denied here until the person ends plan mode."
        )),
        PlanState::Executing | PlanState::Completed => PlanAnswer::Signed(format!(
            "{name} is {}: `plan_status` tells more. Everything but reading stays denied here until the person ends plan mode.",
            plan.state
        )),
        PlanState::NeedsReview => PlanAnswer::Deny(format!(
            "{name} was rejected too often, and a person has to look at it. Tell them: `signoff show {name}`"
        )),
        _ if plan.is_signed_elsewhere => PlanAnswer::Deny(format!(
            "{name} is signed, but not for what holds here: settings or programs differ from those that the person signed it under (`signoff diff --signed {name}` shows how). Tell the person to start it themselves with `signoff run {name}`, or to sign it again where you were started."
        )),
        _ => PlanAnswer::Deny(format!(
            "waiting for sign-off: the plan is kept as {name}. Tell the person that `signoff show {name}` shows it and `signoff approve {name}` signs it, or `signoff reject {name} --feedback \"…\"`. Then stop; once it is signed, ask to leave plan mode again with the same plan."
        )),
    }
}

fn not_a_plan(
    project: &Project,
    session: &AgentSession<'_>,
    memory: &mut Memory<'_>,
    text: &str,
) -> Result<PlanAnswer, Error> {
    memory.known.refusals += 1;
    if memory.known.refusals <= REFUSALS && memory.place.is_some() {
        memory.save()?;
        return Ok(PlanAnswer::Deny(format!(
            "This text is not a plan that a person can sign and a harness can check. Write it in this form, with a contract for every step, and ask again:\n\n{NATIVE_FORM}"
        )));
    }
    let path = keep_draft(project, session, text)?;
    memory.known.refusals = 0;
    memory.save()?;
    Ok(PlanAnswer::Deny(format!(
        "This is still not a plan that can be signed. It is kept as a draft in {}. Stop here, and tell the person: they can complete it, then `signoff propose {}`.",
        path.display(),
        path.display()
    )))
}

/// Keeps a text that is not a plan yet, beside the plans.
fn keep_draft(project: &Project, session: &AgentSession<'_>, text: &str) -> Result<PathBuf, Error> {
    project.store.create_missing()?;
    let directory = project.store.plans_dir();
    atomic::create_directories(&directory)?;
    let owner = session.agent;
    let document = format!(
        "---\ntype: plan\nstatus: draft\nowner: {owner}\n---\n\n# Draft of a session\n\n{}\n",
        text.trim()
    );
    loop {
        let path = directory.join(format!("draft-{:08x}.md", crate::project::random()));
        match atomic::replace(&path, None, document.as_bytes(), true) {
            Err(atomic::ReplaceError::Changed { .. }) => {}
            kept => {
                kept?;
                return Ok(path);
            }
        }
    }
}

fn problems(source: &Source, diagnostics: &[Diagnostic]) -> String {
    let line = |problem: &Diagnostic| {
        let (line, column) = source.line_column(problem.span.start);
        let help = problem.help.as_ref();
        let help = help.map(|help| format!(" ({help})")).unwrap_or_default();
        format!(
            "{line}:{column}: {}[{}]: {}{help}",
            problem.severity, problem.code, problem.message
        )
    };
    let errors = diagnostics
        .iter()
        .filter(|problem| problem.severity == Severity::Error);
    let others = diagnostics
        .iter()
        .filter(|problem| problem.severity == Severity::Warning);
    let lines: Vec<String> = errors.chain(others).take(PROBLEMS).map(line).collect();
    format!(
        "The plan has problems. Solve all of them and ask again (`signoff explain CODE` tells more):\n{}",
        lines.join("\n")
    )
}
