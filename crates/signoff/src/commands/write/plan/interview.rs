//! The planner's questions before it plans: asked here, or left in the inbox.

use signoff_llm::{InterviewAnswer, PlanningContext, Usage};
use signoff_runtime::error::PlanningError;
use signoff_runtime::planning::{
    InterviewQuestion, Model, ParkedPlanning, interview, park_questions, parked_planning,
};
use signoff_runtime::plans::ActorContext;
use signoff_runtime::{Error, questions};

use super::report::interview_line;
use super::request::Planning;
use crate::commands::running::ask::{may_ask, typed_line};
use crate::failure::Failure;
use crate::session::Session;
use crate::style::sanitize;

/// What became of the questions.
pub(super) enum InterviewEnd {
    /// The person answered, or there was nothing to ask.
    Answered {
        answers: Vec<InterviewAnswer>,
        usage: Usage,
    },
    /// They wait in the inbox.
    Parked(Box<ParkedPlanning>),
}

/// Has the planner ask, and the person answer where one is there.
pub(super) fn hold_interview(
    session: &mut Session,
    actor: ActorContext<'_>,
    model: &mut Model<'_>,
    context: &PlanningContext,
    planning: &Planning,
) -> Result<InterviewEnd, Failure> {
    let report = interview(actor.project, model, context)?;
    if !session.is_json() {
        session.out.say(interview_line(&report));
    }
    if report.questions.is_empty() {
        let (answers, usage) = (Vec::new(), report.usage);
        return Ok(InterviewEnd::Answered { answers, usage });
    }
    if !may_ask(session) {
        let request = planning.to_park(session, &report.usage);
        let parked = park_questions(actor, &report.questions, request)?;
        return Ok(InterviewEnd::Parked(Box::new(parked)));
    }
    let mut answers = Vec::new();
    for question in report.questions.iter().map(InterviewQuestion::text) {
        let shown = format!("\n{}", sanitize(&question));
        let answer = typed_line(session, &shown, &mut || model.is_stopped());
        if model.is_stopped() {
            return Err(Error::from(PlanningError::Stopped).into());
        }
        // What a person does not want to say is left to the planner.
        answers.extend(answer.map(|answer| InterviewAnswer { question, answer }));
    }
    Ok(InterviewEnd::Answered {
        answers,
        usage: report.usage,
    })
}

/// A request that waited, with its answers. Those that are missing are asked for where a person is there.
pub(super) fn take_up(
    session: &mut Session,
    actor: ActorContext<'_>,
    id: &str,
) -> Result<ParkedPlanning, Failure> {
    let waiting = parked_planning(actor.project, id)?;
    if waiting.open().next().is_none() || !may_ask(session) {
        return Ok(waiting);
    }
    for question in waiting.open() {
        let shown = format!("\n{}", sanitize(&question.question));
        // Nothing typed leaves it in the inbox.
        if let Some(answer) = typed_line(session, &shown, &mut || false) {
            questions::answer(actor, &question.id, &answer)?;
        }
    }
    Ok(parked_planning(actor.project, id)?)
}
