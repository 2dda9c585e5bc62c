//! The planner may ask the person before it plans. Unanswered questions wait in the inbox, together with the request,
//! until `plan --continue` goes on.

use std::io::ErrorKind;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use signoff_api::planning_request::PlanningRequest;
use signoff_api::question::Question;
use signoff_llm::{InterviewAnswer, PlanningContext, PromptName, Usage};
use signoff_store::atomic;

use super::model::Model;
use super::{ask_model, prompts};
use crate::error::{Error, PlanningError};
use crate::plans::ActorContext;
use crate::project::{Project, random};
use crate::questions::{self, QuestionOptions};

/// More would be a form to fill in.
const MOST: usize = 5;
/// Characters of a question, and of an answer that it suggests.
const LONGEST: usize = 500;

/// How the names of requests begin that wait for answers.
const NAMED: &str = "planning-";

/// Is this the name of a request that waits for answers?
pub fn is_planning(id: &str) -> bool {
    id.starts_with(NAMED)
}

/// What a planner wants to know.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Interview {
    /// At most 5; empty if nothing has to be asked.
    questions: Vec<InterviewQuestion>,
}

/// A question to the person before there is a plan.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterviewQuestion {
    /// One short question.
    pub question: String,
    /// Answers that the planner expects; any other is as good.
    #[serde(default)]
    pub suggestions: Vec<String>,
}

impl InterviewQuestion {
    /// The question with what it suggests, as a person reads it.
    pub fn text(&self) -> String {
        let question = self.question.trim();
        match &self.suggestions[..] {
            [] => question.to_owned(),
            suggested => format!("{question} (for example: {})", suggested.join(" / ")),
        }
    }
}

/// What the planner asks.
#[derive(Debug, Clone)]
pub struct InterviewReport {
    /// At most five questions.
    pub questions: Vec<InterviewQuestion>,
    /// What it used.
    pub usage: Usage,
}

/// Asks the planner which questions it has before it plans.
pub fn interview(
    project: &Project,
    model: &mut Model<'_>,
    context: &PlanningContext,
) -> Result<InterviewReport, Error> {
    let question = prompts(project)?.question_prompt(PromptName::Interview, context)?;
    let mut check = |interview: &Interview| problems(&interview.questions);
    let reply = ask_model(project, model, &question, &mut check)?;
    Ok(InterviewReport {
        questions: reply.value.questions,
        usage: reply.usage,
    })
}

fn problems(questions: &[InterviewQuestion]) -> Vec<String> {
    let mut problems = Vec::new();
    if questions.len() > MOST {
        let found = questions.len();
        problems.push(format!("{found} questions are more than {MOST}"));
    }
    let is_readable = |text: &str| {
        let length = text.trim().chars().count();
        (1..=LONGEST).contains(&length) && !text.trim().contains(char::is_control)
    };
    for (index, one) in questions.iter().enumerate() {
        let texts = std::iter::once(&one.question).chain(&one.suggestions);
        if !texts.into_iter().all(|text| is_readable(text)) {
            problems.push(format!(
                "`questions[{index}]`: a question, and each suggestion, is one line of 1 to {LONGEST} characters"
            ));
        }
        if one.suggestions.len() > MOST {
            problems.push(format!(
                "`questions[{index}].suggestions`: at most {MOST} are read"
            ));
        }
    }
    problems
}

/// A request that waits for answers.
#[derive(Debug, Clone)]
pub struct ParkedPlanning {
    /// What `plan --continue` takes.
    pub id: String,
    /// The request.
    pub request: PlanningRequest,
    /// Its questions, in their order.
    pub questions: Vec<Question>,
}

impl ParkedPlanning {
    /// The questions that nobody has answered yet.
    pub fn open(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|one| one.answer.is_none())
    }

    /// What was asked and answered.
    pub fn answers(&self) -> Vec<InterviewAnswer> {
        let answered = self.questions.iter().filter_map(|one| {
            let answer = one.answer.as_ref()?;
            Some(InterviewAnswer {
                question: one.question.clone(),
                answer: answer.text.clone(),
            })
        });
        answered.collect()
    }
}

/// Puts the questions into the inbox, and keeps the request until they are answered.
pub fn park_questions(
    context: ActorContext<'_>,
    asked: &[InterviewQuestion],
    request: PlanningRequest,
) -> Result<ParkedPlanning, Error> {
    let project = context.project;
    let id = loop {
        let id = format!("{NAMED}{:08x}", random());
        if !request_path(project, &id).exists() {
            break id;
        }
    };
    let questions = asked.iter().map(|one| {
        let options = QuestionOptions {
            question: one.text(),
            session: Some(id.clone()),
            ..QuestionOptions::default()
        };
        questions::ask(context, &options)
    });
    let questions: Vec<Question> = questions.collect::<Result<_, _>>()?;
    let request = PlanningRequest {
        questions: questions.iter().map(|one| one.id.clone()).collect(),
        ..request
    };
    let text = serde_json::to_vec(&request).map_err(|why| Error::Unwritable {
        why: why.to_string(),
    })?;
    atomic::replace(&request_path(project, &id), None, &text, true)?;
    Ok(ParkedPlanning {
        id,
        request,
        questions,
    })
}

/// The request of this name, with what was answered so far.
pub fn parked_planning(project: &Project, id: &str) -> Result<ParkedPlanning, Error> {
    let unknown = || PlanningError::NoSuchPlanning { id: id.to_owned() };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !is_planning(id) || !id.chars().all(is_name) {
        return Err(unknown().into());
    }
    let path = request_path(project, id);
    let text = match std::fs::read(&path) {
        Ok(text) => text,
        Err(why) if why.kind() == ErrorKind::NotFound => return Err(unknown().into()),
        Err(why) => return Err(Error::Unreadable { path, why }),
    };
    let request: PlanningRequest = serde_json::from_slice(&text).map_err(|why| {
        let why = std::io::Error::new(ErrorKind::InvalidData, why);
        Error::Unreadable { path, why }
    })?;
    let known = questions::all_questions(project)?;
    let named = request.questions.iter().filter_map(|id| {
        let mut known = known.iter();
        known.find(|one| one.id == *id).cloned()
    });
    Ok(ParkedPlanning {
        id: id.to_owned(),
        questions: named.collect(),
        request,
    })
}

/// Forgets a request whose plan is drafted.
pub fn remove_request(project: &Project, id: &str) -> Result<(), Error> {
    Ok(atomic::remove(&request_path(project, id))?)
}

/// Beside the runs: what people are asked and answer stays on this machine.
fn request_path(project: &Project, id: &str) -> PathBuf {
    project.store.runs_dir().join(format!("{id}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, suggestions: &[&str]) -> InterviewQuestion {
        InterviewQuestion {
            question: text.to_owned(),
            suggestions: suggestions.iter().map(|one| (*one).to_owned()).collect(),
        }
    }

    #[test]
    fn a_person_is_asked_a_few_short_questions() {
        assert_eq!(problems(&[]), [""; 0]);
        assert_eq!(problems(&vec![question("Which?", &["a"]); MOST]), [""; 0]);
        assert_eq!(
            problems(&vec![question("Which?", &[]); MOST + 1]),
            ["6 questions are more than 5"]
        );
        let long = "x".repeat(LONGEST + 1);
        for bad in [
            question(" ", &[]),
            question(&long, &[]),
            question("a\nb", &[]),
            question("\u{1b}[2J", &[]),
            question("Which?", &[""]),
            question("Which?", &["a"; MOST + 1]),
        ] {
            assert_eq!(problems(std::slice::from_ref(&bad)).len(), 1, "{bad:?}");
        }
    }

    #[test]
    fn suggestions_are_part_of_the_question() {
        assert_eq!(question("Which?", &[]).text(), "Which?");
        let text = question(" Which? ", &["a", "b"]).text();
        assert_eq!(text, "Which? (for example: a / b)");
    }
}
