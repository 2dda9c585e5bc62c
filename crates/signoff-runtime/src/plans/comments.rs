//! Comments on a plan and on its steps, and objections of critics. They stand in the plan's log and decide nothing.

use std::path::Path;

use signoff_api::comments::{Comment, Comments, SCHEMA};
use signoff_api::plan_log::{CommentKind, ObjectionSeverity, PlanEvent};
use signoff_engine::Actor;

use super::ActorContext;
use super::locked::LockedPlan;
use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::project::Project;

/// The longest comment, in bytes.
const LONGEST: usize = 16 * 1024;

/// What somebody has to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewComment {
    /// Id or number of the step that it is about; `None` = the plan.
    pub step: Option<String>,
    /// The words.
    pub text: String,
    /// A comment, or a critic's objection.
    pub kind: CommentKind,
    /// How much an objection weighs.
    pub severity: Option<ObjectionSeverity>,
    /// Who says it, if it is not the actor: a critic's name.
    pub by: Option<String>,
}

/// What became of a plan's comments.
#[derive(Debug)]
pub struct CommentReport {
    /// All that it has now.
    pub comments: Comments,
    /// Something that a person should know.
    pub notes: Vec<String>,
}

/// Writes comments into the plan's log.
pub fn comment(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    new: &[NewComment],
) -> Result<CommentReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    let first = all_comments(locked.history()).len() + 1;
    let mut events = Vec::new();
    for (number, new) in (first..).zip(new) {
        events.push(event(&locked, new, number)?);
    }
    locked.record(&events)?;
    report(locked)
}

fn report(locked: LockedPlan<'_>) -> Result<CommentReport, Error> {
    Ok(CommentReport {
        comments: comments(locked.context.project, &locked.plan)?,
        notes: locked.notes,
    })
}

fn event(locked: &LockedPlan<'_>, new: &NewComment, number: usize) -> Result<PlanEvent, Error> {
    let text = new.text.trim();
    let bad = |why: &str| {
        Err(Error::BadComment {
            why: why.to_owned(),
        })
    };
    if text.is_empty() {
        return bad("it has no words");
    }
    if text.len() > LONGEST {
        return bad("it has more than 16384 bytes");
    }
    let step = new.step.as_deref().map(|step| step_id(&locked.plan, step));
    Ok(PlanEvent::PlanCommented {
        id: format!("c{number}"),
        digest: locked.digest(),
        version: locked.version(),
        by: new.by.clone().unwrap_or_else(|| locked.actor_name()),
        actor: locked.context.actor.name().to_owned(),
        step: step.transpose()?,
        text: text.to_owned(),
        kind: new.kind,
        severity: new.severity,
    })
}

/// The id of a step that is named by its id or its number.
pub(crate) fn step_id(plan: &PlanFile, step: &str) -> Result<String, Error> {
    let steps = &plan.checked.plan.steps;
    let named = steps.iter().find(|known| known.id == step);
    let numbered = || {
        let number: usize = step.parse().ok()?;
        steps.get(number.checked_sub(1)?)
    };
    let found = named.or_else(numbered);
    found
        .map(|step| step.id.clone())
        .ok_or_else(|| Error::UnknownPlanStep {
            plan: plan.source.name().to_owned(),
            step: step.to_owned(),
            known: steps.iter().map(|step| step.id.clone()).collect(),
        })
}

/// A person says that a comment needs nothing more.
pub fn resolve_comment(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
    id: &str,
) -> Result<CommentReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    if context.actor != Actor::Person {
        let why = "only a person resolves one".to_owned();
        return Err(Error::BadComment { why });
    }
    let known = all_comments(locked.history());
    match known.iter().find(|comment| comment.id == id) {
        None => {
            let ids: Vec<_> = known.iter().map(|comment| comment.id.as_str()).collect();
            let why = if ids.is_empty() {
                format!("there is no `{id}`: nobody has commented on this plan")
            } else {
                format!("there is no `{id}`, only {}", ids.join(", "))
            };
            return Err(Error::BadComment { why });
        }
        Some(comment) if comment.resolved_by.is_some() => {}
        Some(_) => locked.record(&[PlanEvent::PlanCommentResolved {
            comment: id.to_owned(),
            by: locked.actor_name(),
        }])?,
    }
    report(locked)
}

/// What was said about a plan, oldest first.
pub fn comments(project: &Project, plan: &PlanFile) -> Result<Comments, Error> {
    let key = plan.key(project)?;
    let history = PlanHistory::read(project, &key)?;
    Ok(Comments {
        schema: SCHEMA.to_owned(),
        comments: comments_in(&history, plan),
        plan: key,
    })
}

/// The comments of a log, with the steps that the plan has now.
pub(crate) fn comments_in(history: &PlanHistory, plan: &PlanFile) -> Vec<Comment> {
    let mut comments = all_comments(history);
    for comment in &mut comments {
        let step = comment.step.as_ref();
        comment.is_step_gone = step.is_some_and(|id| plan.checked.plan.index_of(id).is_none());
    }
    comments
}

fn all_comments(history: &PlanHistory) -> Vec<Comment> {
    let mut comments: Vec<Comment> = Vec::new();
    for entry in &history.entries {
        match &entry.event {
            PlanEvent::PlanCommented {
                id,
                digest,
                version,
                by,
                actor,
                step,
                text,
                kind,
                severity,
            } => comments.push(Comment {
                id: id.clone(),
                at: timestamp(entry.at),
                by: by.clone(),
                actor: actor.clone(),
                step: step.clone(),
                is_step_gone: false,
                text: text.clone(),
                kind: *kind,
                severity: *severity,
                version: *version,
                digest: digest.clone(),
                resolved_by: None,
            }),
            PlanEvent::PlanCommentResolved { comment, by } => {
                let found = comments.iter_mut().find(|known| known.id == *comment);
                if let Some(found) = found {
                    found.resolved_by = Some(by.clone());
                }
            }
            // A step that is known by its number is the same step under another one.
            PlanEvent::PlanRevised { renamed, .. } => {
                for step in comments.iter_mut().filter_map(|known| known.step.as_mut()) {
                    if let Some(new) = renamed.get(step) {
                        step.clone_from(new);
                    }
                }
            }
            _ => {}
        }
    }
    comments
}
