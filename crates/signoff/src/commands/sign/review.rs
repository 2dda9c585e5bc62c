//! `review`: a plan on a screen, with everything that a person can do to it before it runs.

mod editor;

use std::ffi::OsStr;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use signoff_plan::dialect::recognise;
use signoff_plan::edit::StepPlace;
use signoff_runtime::launch::{LaunchedBy, launch_run};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::{
    ActorContext, ApproveOptions, EditOptions, NewComment, PlanChange, PlanView, unsigned_changes,
};
use signoff_runtime::project::Project;
use signoff_runtime::signing::proof::SignatureCheck;
use signoff_runtime::{SystemClock, plans};
use signoff_store::signatures::Proof;
use signoff_tui::review::{ReviewData, ReviewEffect};
use signoff_tui::{Notice, ReviewBackend, ScreenEnd, Style, open_review};

use super::approve::sign_off;
use super::{by_person, locate_plan};
use crate::agent_check::actor;
use crate::args::Review;
use crate::failure::Failure;
use crate::report::difference::signed_difference_text;
use crate::report::graph::layout::StepGraph;
use crate::report::graph::terminal;
use crate::report::signature::{approval_line, signature};
use crate::session::Session;
use crate::shell_words::shell_word;

/// Columns of the drawing of dependencies.
const GRAPH_WIDTH: usize = 78;

pub(crate) fn review(session: &mut Session, args: &Review) -> Result<u8, Failure> {
    let project = session.project()?;
    let (path, name) = locate_plan(&project, &args.plan)?;
    let plan = PlanFile::read(&path, &name, &project.workspace())?;
    if recognise(&plan.source).is_none() {
        let message = format!("{name} is not a plan");
        return Err(Failure::new(2, "not-a-plan", message)
            .hint("`signoff list` names the plans of the project"));
    }
    require_terminal(&format!("signoff show {}", shell_word(&name)))?;
    let style = screen_style(session);
    let mut screen = ReviewedPlan {
        session,
        project,
        path,
        name,
        plan,
    };
    let end = open_review(&mut screen, style);
    end.map(exit_code)
        .map_err(|why| Failure::new(6, "terminal", why))
}

/// What a screen's end means for its caller.
pub(crate) fn exit_code(end: ScreenEnd) -> u8 {
    match end {
        ScreenEnd::Left => 0,
        ScreenEnd::Interrupted => 130,
    }
}

/// Refuses to open a screen where nobody could see it, and names what to use instead.
pub(crate) fn require_terminal(instead: &str) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        return Ok(());
    }
    let message = "this command draws on a terminal, and there is none";
    Err(Failure::new(6, "no-terminal", message).hint(format!("use `{instead}`")))
}

pub(crate) fn screen_style(session: &Session) -> Style {
    let no_colour = session.process.variables.get(OsStr::new("NO_COLOR"));
    Style {
        colour: no_colour.is_none_or(|value| value.is_empty()),
    }
}

/// The plan that is on the screen.
struct ReviewedPlan<'s> {
    session: &'s mut Session,
    project: Project,
    path: PathBuf,
    name: String,
    /// As it is shown.
    plan: PlanFile,
}

impl ReviewBackend for ReviewedPlan<'_> {
    fn load(&mut self) -> Result<ReviewData, String> {
        self.read().map_err(|failure| sentence(&failure))
    }

    fn perform(&mut self, effect: ReviewEffect) -> Notice {
        match self.carry_out(effect) {
            Ok(done) => Notice::Done(done),
            Err(failure) => Notice::Failed(sentence(&failure)),
        }
    }
}

/// A failure as one text: what, why, and what to do next.
pub(crate) fn sentence(failure: &Failure) -> String {
    let details = failure.details.iter().map(|why| format!("; {why}"));
    let hint = failure.hints.first().map(|hint| format!(" → {hint}"));
    let parts = std::iter::once(failure.message.clone())
        .chain(details)
        .chain(hint);
    parts.collect()
}

/// Lines without colours: the screen has its own.
pub(crate) fn without_colours(lines: Vec<String>) -> Vec<String> {
    let strip = |line: String| anstream::adapter::strip_str(&line).to_string();
    lines.into_iter().map(strip).collect()
}

impl ReviewedPlan<'_> {
    fn read(&mut self) -> Result<ReviewData, Failure> {
        self.plan = PlanFile::read(&self.path, &self.name, &self.project.workspace())?;
        let plan = &self.plan;
        let view = PlanView::of(&self.project, plan)?;
        let status = view.status.as_ref();
        let is_signed =
            status.is_some_and(|status| matches!(status.signature, SignatureCheck::Valid(_)));
        let difference = match unsigned_changes(&self.project, plan)? {
            Some(_) if is_signed => Some(Vec::new()),
            Some(changes) => Some(without_colours(signed_difference_text(&changes.difference))),
            None => None,
        };
        let model = &plan.checked.plan;
        let graph = terminal::lines(model, &StepGraph::of_plan(model), false, GRAPH_WIDTH, None);
        let problems = plan.checked.diagnostics.iter();
        Ok(ReviewData {
            plan: view.to_api(plan),
            file: plan.source.name().to_owned(),
            problems: problems
                .map(|problem| signoff_api::diagnostics::Diagnostic::new(problem, &plan.source))
                .collect(),
            graph: without_colours(graph),
            difference,
            signature: without_colours(
                status
                    .map(|status| {
                        let approval = status.approval.iter().map(approval_line);
                        signature(&status.signature)
                            .into_iter()
                            .chain(approval)
                            .collect()
                    })
                    .unwrap_or_default(),
            ),
        })
    }

    fn carry_out(&mut self, effect: ReviewEffect) -> Result<String, Failure> {
        let clock = SystemClock::new();
        let context = ActorContext {
            project: &self.project,
            actor: actor(&self.session.process.variables),
            clock: &clock,
        };
        match effect {
            ReviewEffect::Sign => self.sign_shown_plan(),
            ReviewEffect::Reject(feedback) => {
                self.session.require_person("reject a plan")?;
                let context = by_person(&self.project, &clock);
                let shown = self.shown_version();
                let done = plans::reject(context, &self.path, &self.name, Some(&feedback), &shown)?;
                Ok(format!("rejected: {}", done.state))
            }
            ReviewEffect::Comment { step, text } => {
                let new = NewComment {
                    step,
                    text,
                    ..NewComment::default()
                };
                plans::comment(context, &self.path, &self.name, &[new])?;
                Ok("commented".to_owned())
            }
            ReviewEffect::Resolve(id) => {
                self.session.require_person("resolve a comment")?;
                plans::resolve_comment(context, &self.path, &self.name, &id)?;
                Ok(format!("{id} is resolved"))
            }
            ReviewEffect::Move {
                step,
                other,
                before: true,
            } => self.edit(
                context,
                PlanChange::MoveStep {
                    step,
                    place: StepPlace::Before(other),
                },
            ),
            ReviewEffect::Move { step, other, .. } => self.edit(
                context,
                PlanChange::MoveStep {
                    step,
                    place: StepPlace::After(other),
                },
            ),
            ReviewEffect::Skip(step) => self.edit(context, PlanChange::SkipStep { step }),
            ReviewEffect::EditText => editor::edit(context, &self.path, &self.name, &self.plan),
            ReviewEffect::Start => self.start(),
            ReviewEffect::Reload | ReviewEffect::Leave => Ok(String::new()),
        }
    }

    /// What is on the screen: a plan that changed meanwhile is a conflict.
    fn shown_version(&self) -> EditOptions {
        EditOptions {
            expect_digest: Some(self.plan.digest().to_string()),
            ..EditOptions::default()
        }
    }

    /// Changes what is on the screen, and nothing else.
    fn edit(&self, context: ActorContext<'_>, change: PlanChange) -> Result<String, Failure> {
        let shown = self.shown_version();
        let report = plans::edit(context, &self.path, &self.name, &[change], &shown)?;
        let void = if report.voids_signature {
            "; no longer signed"
        } else {
            ""
        };
        Ok(format!("{}{void}", report.changes.join("; ")))
    }

    /// Starts what is signed; the run does not end with this screen.
    fn start(&self) -> Result<String, Failure> {
        self.session.require_person("start a run")?;
        let program = std::env::current_exe().map_err(|why| {
            let message = format!("cannot start it: {why}");
            Failure::new(6, "launch", message)
        })?;
        let begun = launch_run(&self.project, &program, &self.name, LaunchedBy::Person)?;
        Ok(format!(
            "run {run} has begun: `signoff watch {run}`",
            run = begun.run
        ))
    }

    /// Signs what is on the screen, with a confirmation that only somebody at this terminal can give.
    fn sign_shown_plan(&mut self) -> Result<String, Failure> {
        let required = self.project.config.approval.proof.value;
        let options = ApproveOptions {
            proof: (required != Proof::Key).then_some(Proof::Terminal),
            ..ApproveOptions::default()
        };
        let (approved, _) = sign_off(self.session, &self.project, &self.plan, &options)?;
        Ok(format!(
            "signed by {} (proof: {})",
            approved.signature.by, approved.signature.proof
        ))
    }
}
