//! `answer`: a person's word on something in the inbox.

use signoff_api::inbox::{Inbox, Item};
use signoff_engine::Choice;
use signoff_runtime::live::{self, Live};
use signoff_runtime::view::View;

use crate::args::Answer;
use crate::commands::resume::resume;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn answer(session: &mut Session, args: &Answer) -> Result<u8, Failure> {
    session.require_person("answer")?;
    let project = session.project()?;
    let (run, item) = args.item.split_once('/').ok_or_else(|| {
        Failure::new(
            2,
            "bad-item",
            format!("`{}` is not an item of the inbox", args.item),
        )
        .hint("`signoff inbox` shows them, as RUN/NAME")
    })?;
    let choice = Choice::from_name(&args.choice).ok_or_else(|| unknown_choice(&args.choice))?;
    let clock = signoff_runtime::SystemClock::new();
    let answer = live::Answer {
        item: item.to_owned(),
        steps: args.steps.clone(),
        choice,
        note: args.note.clone(),
    };
    Live::answer(&project, run, answer, &clock)?;
    if args.resume {
        return resume(session, Some(run));
    }
    let view = View::load(&project, run)?;
    if session.is_json() {
        session.json(&Inbox::new(
            view.run
                .items()
                .map(|item| Item::new(&view.run, item))
                .collect(),
        ));
    } else {
        session.out.answer(format!(
            "recorded: {}; `signoff resume {run}` goes on",
            choice.name()
        ));
    }
    Ok(0)
}

fn unknown_choice(word: &str) -> Failure {
    let names: Vec<&str> = Choice::ALL.iter().map(|choice| choice.name()).collect();
    let failure = Failure::new(2, "bad-choice", format!("`{word}` is no answer"));
    match names
        .iter()
        .min_by_key(|name| strsim::damerau_levenshtein(name, word))
    {
        Some(near) if strsim::damerau_levenshtein(near, word) <= 2 => {
            failure.hint(format!("did you mean `{near}`?"))
        }
        _ => failure.hint(format!(
            "answers are {}; `signoff inbox` shows which fit",
            names.join(", ")
        )),
    }
}
