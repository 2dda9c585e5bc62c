//! Questions to a person that no run asks: an agent asks about a plan, or about what it is planning.

use signoff_api::question::{Answer, Question, QuestionEvent, SCHEMA};
use signoff_engine::Actor;
use signoff_store::journal::Record;
use signoff_store::questions as log;

use crate::clock::timestamp;
use crate::error::Error;
use crate::plans::{ActorContext, find};
use crate::project::{Project, random};

/// What a person reads in one go.
const LONGEST: usize = 4000;
/// Answers that are offered.
const CHOICES: usize = 20;
/// Open questions: whoever asks more is not waiting for answers.
const OPEN: usize = 50;

/// What is asked, and about what.
#[derive(Debug, Clone, Default)]
pub struct QuestionOptions {
    /// The question.
    pub question: String,
    /// The answers that are offered; without any, any text is one.
    pub choices: Vec<String>,
    /// The plan that it is about, by id or path.
    pub plan: Option<String>,
    /// The planning session that asks.
    pub session: Option<String>,
}

/// Puts a question into the person's inbox.
pub fn ask(context: ActorContext<'_>, asked: &QuestionOptions) -> Result<Question, Error> {
    let project = context.project;
    require_readable(asked)?;
    if let Some(plan) = &asked.plan {
        find(project, plan)?;
    }
    let held = log::lock(&project.store)?;
    let known = all_questions(project)?;
    let open = known.iter().filter(|one| one.answer.is_none()).count();
    if open >= OPEN {
        let why = format!("{open} questions are open already; wait for their answers");
        return Err(Error::BadQuestion { why });
    }
    let id = loop {
        let id = format!("ask-{:08x}", random());
        if !known.iter().any(|one| one.id == id) {
            break id;
        }
    };
    let event = QuestionEvent::QuestionAsked {
        id,
        plan: asked.plan.clone(),
        session: asked.session.clone(),
        question: asked.question.trim().to_owned(),
        choices: asked.choices.clone(),
        by: match context.actor {
            Actor::Person => project.process.person.clone(),
            actor => actor.name().to_owned(),
        },
    };
    let at = timestamp(context.clock.now());
    log::append(&project.store, &held, &at, body(&event)?)?;
    let mut questions = Vec::new();
    apply(&mut questions, event, &at);
    Ok(questions.remove(0))
}

/// Every question, oldest first.
pub fn all_questions(project: &Project) -> Result<Vec<Question>, Error> {
    let mut questions = Vec::new();
    for record in log::read(&project.store)? {
        let at = record.at.clone();
        apply(&mut questions, event(record)?, &at);
    }
    Ok(questions)
}

/// The questions that wait for an answer, oldest first.
pub fn open(project: &Project) -> Result<Vec<Question>, Error> {
    let mut questions = all_questions(project)?;
    questions.retain(|one| one.answer.is_none());
    Ok(questions)
}

/// The question of this name, answered or not.
pub fn find_question(project: &Project, id: &str) -> Result<Option<Question>, Error> {
    Ok(all_questions(project)?.into_iter().find(|one| one.id == id))
}

/// Records a person's answer.
pub fn answer(context: ActorContext<'_>, id: &str, text: &str) -> Result<Question, Error> {
    let project = context.project;
    let held = log::lock(&project.store)?;
    let question = find_question(project, id)?.ok_or_else(|| Error::NoSuchQuestion {
        name: id.to_owned(),
    })?;
    if let Some(answer) = question.answer {
        return Err(Error::AnsweredQuestion {
            name: question.id,
            by: answer.by,
            text: answer.text,
        });
    }
    let text = text.trim();
    if !question.choices.is_empty() && !question.choices.iter().any(|one| one == text) {
        return Err(Error::NotOffered {
            text: text.to_owned(),
            choices: question.choices,
        });
    }
    let event = QuestionEvent::QuestionAnswered {
        id: question.id.clone(),
        text: text.to_owned(),
        by: project.process.person.clone(),
    };
    let at = timestamp(context.clock.now());
    log::append(&project.store, &held, &at, body(&event)?)?;
    let mut questions = vec![question];
    apply(&mut questions, event, &at);
    Ok(questions.remove(0))
}

/// Refuses what a person could not answer.
fn require_readable(asked: &QuestionOptions) -> Result<(), Error> {
    let length = |text: &String| text.trim().chars().count();
    let why = if length(&asked.question) == 0 {
        "it is empty".to_owned()
    } else if length(&asked.question) > LONGEST {
        format!("it has more than {LONGEST} characters")
    } else if asked.choices.len() > CHOICES {
        format!("it offers more than {CHOICES} answers")
    } else if asked.choices.iter().any(|one| !is_choice(one)) {
        "an answer that is offered has one line of 1 to 200 characters".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::BadQuestion { why })
}

fn is_choice(text: &str) -> bool {
    let is_one_line = text.trim() == text && !text.contains(char::is_control);
    is_one_line && (1..=200).contains(&text.chars().count())
}

fn apply(questions: &mut Vec<Question>, event: QuestionEvent, at: &str) {
    match event {
        QuestionEvent::QuestionAsked {
            id,
            plan,
            session,
            question,
            choices,
            by,
        } => questions.push(Question {
            schema: SCHEMA.to_owned(),
            id,
            status: "open".to_owned(),
            plan,
            session,
            question,
            choices,
            asked_by: by,
            asked_at: at.to_owned(),
            answer: None,
        }),
        QuestionEvent::QuestionAnswered { id, text, by } => {
            if let Some(asked) = questions.iter_mut().find(|one| one.id == id) {
                let at = at.to_owned();
                "answered".clone_into(&mut asked.status);
                asked.answer = Some(Answer { text, by, at });
            }
        }
    }
}

fn body(event: &QuestionEvent) -> Result<serde_json::Map<String, serde_json::Value>, Error> {
    let unwritable = |why: String| Error::Unwritable { why };
    match serde_json::to_value(event) {
        Ok(serde_json::Value::Object(body)) => Ok(body),
        Ok(_) => Err(unwritable("it is not an object".to_owned())),
        Err(why) => Err(unwritable(why.to_string())),
    }
}

fn event(record: Record) -> Result<QuestionEvent, Error> {
    let seq = record.seq;
    serde_json::from_value(record.body.into()).map_err(|why| Error::UnknownEvent {
        seq,
        why: why.to_string(),
    })
}
