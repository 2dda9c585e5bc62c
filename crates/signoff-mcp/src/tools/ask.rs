//! Questions to the person.

use serde_json::{Map, Value};
use signoff_api::question::Question;
use signoff_runtime::SystemClock;
use signoff_runtime::questions::{self, QuestionOptions};

use crate::answers::Answer;
use crate::arguments;
use crate::context::{Context, by_agent};
use crate::errors::ToolError;
use crate::schema::read_arguments;

pub(crate) fn ask(context: &Context, arguments: Map<String, Value>) -> Result<Answer, ToolError> {
    let wanted: arguments::Ask = read_arguments(arguments)?;
    let project = context.project()?;
    match (wanted.question, wanted.id) {
        (Some(question), None) => {
            let clock = SystemClock::new();
            let options = QuestionOptions {
                question,
                choices: wanted.choices,
                plan: wanted.plan,
                session: wanted.session,
            };
            let asked = questions::ask(by_agent(&project, &clock), &options);
            let asked = asked.map_err(|error| context.fail(error))?;
            let id = &asked.id;
            let text = format!(
                "asked: it is in the person's inbox as {id}. They answer with `signoff answer {id} …`. \
                 Call `plan_ask` with {{\"id\": \"{id}\"}} to read the answer"
            );
            Ok(Answer::new(text, &asked))
        }
        (None, Some(id)) if wanted.choices.is_empty() && wanted.plan.is_none() => {
            let found =
                questions::find_question(&project, &id).map_err(|error| context.fail(error))?;
            let found = found.ok_or_else(|| {
                let message = format!("no question has the id `{id}`");
                ToolError::new("no-item", &message, &[])
            })?;
            Ok(Answer::new(answer_text(&found), &found))
        }
        _ => {
            let message = "give either a `question`, or the `id` of one that was asked";
            Err(ToolError::new("bad-arguments", message, &[]))
        }
    }
}

fn answer_text(question: &Question) -> String {
    match &question.answer {
        Some(answer) => format!("{} answered: {}", answer.by, answer.text),
        None => "nobody has answered yet; go on with something else and ask again later".to_owned(),
    }
}
