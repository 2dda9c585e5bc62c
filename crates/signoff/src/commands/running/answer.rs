//! `answer`: a person answers an inbox item.

use signoff_api::inbox::Inbox;
use signoff_api::question::Question;
use signoff_api::request::RequestKind;
use signoff_engine::{Choice, Event, InboxItem as EngineItem, InboxKind};
use signoff_plan::model::Work;
use signoff_plan::tools::paths_outside;
use signoff_runtime::live::RunOptions;
use signoff_runtime::planning::is_planning;
use signoff_runtime::project::Project;
use signoff_runtime::questions;
use signoff_runtime::runs::control::{RequestOutcome, ask};
use signoff_runtime::runs::names::question_named;
use signoff_runtime::runs::remote::is_remote;
use signoff_runtime::runs::view::{RunView, each_event};

use crate::args::Answer;
use crate::commands::running::control::step_named;
use crate::commands::running::resume::resume;
use crate::commands::share;
use crate::commands::sign::by_person;
use crate::failure::Failure;
use crate::report::run::event_text;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::sanitize;

pub(crate) fn answer(session: &mut Session, args: &Answer) -> Result<u8, Failure> {
    session.require_person("answer")?;
    let project = session.project()?;
    if let Some(question) = questions::find_question(&project, &args.item)? {
        return answer_question(session, &project, &question, args);
    }
    let run = question_named(&project, &args.item)?.run;
    let run = run.as_str();
    let AnswerRequest { choice, kind } = answer_request(&project, args)?;
    let clock = signoff_runtime::SystemClock::new();
    let done = ask(&project, run, kind, &clock)?;
    if args.resume && done != RequestOutcome::There {
        let resumed = resume(session, Some(run), &RunOptions::default());
        return resumed.map_err(|failure| recorded_but_not_resumed(failure, choice));
    }
    if args.resume && is_remote(&project, run) {
        return share::follow(session, &project, run);
    }
    let view = RunView::load(&project, run)?;
    if session.is_json() {
        session.json(&Inbox::new(
            view.inbox_items(),
            view.files_to_settle().into_iter().collect(),
        ));
    } else {
        let next = match done {
            RequestOutcome::There => "the run continues".to_owned(),
            RequestOutcome::Here | RequestOutcome::Idle if choice == Choice::Revise => format!(
                "edit the plan, sign it with `signoff approve {}`, then type `signoff resume {run}`",
                sanitize(&shell_word(&view.key))
            ),
            RequestOutcome::Here | RequestOutcome::Idle => {
                format!("`signoff resume {run}` continues the run")
            }
        };
        session
            .out
            .answer(format!("recorded: {}; {next}", choice.name()));
    }
    Ok(0)
}

/// What an answer asks of a run.
pub(super) struct AnswerRequest {
    choice: Choice,
    pub(super) kind: RequestKind,
}

/// What was typed, as a request; checked against the item that is open.
pub(super) fn answer_request(project: &Project, args: &Answer) -> Result<AnswerRequest, Failure> {
    let named = question_named(project, &args.item)?;
    let (run, item) = (named.run.as_str(), named.item.as_str());
    let view = RunView::load(project, run)?;
    let open = view.run.items().find(|open| open.id == item);
    let open = open.ok_or_else(|| closed_item(project, run, item))?;
    let (choice, note) = parse_answer(args, open)?;
    let work = view.run.step(open.step).map(|(step, _)| &step.work);
    let tool = match work {
        Some(Work::Tool { tool, .. }) => Some(tool.as_str()),
        _ => None,
    };
    let note = match (&args.args, tool) {
        (Some(args), Some(tool)) => Some(call_arguments(project, args, choice, tool)?),
        (Some(_), None) => return Err(no_call()),
        (None, _) => note,
    };
    Ok(AnswerRequest {
        choice,
        kind: RequestKind::Answer {
            item: item.to_owned(),
            steps: if args.steps.is_empty() {
                named.step.iter().cloned().collect()
            } else {
                // What names no step is refused with those that it could be.
                let full =
                    |name: &String| step_named(&view.run, name).map_or(name.clone(), str::to_owned);
                args.steps.iter().map(full).collect()
            },
            choice,
            note,
        },
    })
}

/// Answers a question that no run asks.
fn answer_question(
    session: &mut Session,
    project: &Project,
    question: &Question,
    args: &Answer,
) -> Result<u8, Failure> {
    let typed = args.reply.as_deref().or(args.choice.as_deref());
    let typed = typed.expect("clap requires a choice or a reply");
    // A choice that is not offered and stands for any text says it in its note.
    let is_reply = typed == "reply" && !question.choices.iter().any(|one| one == typed);
    let has_needless_note = args.note.is_some() && !is_reply;
    if args.resume || args.args.is_some() || !args.steps.is_empty() || has_needless_note {
        let message = format!("no run asks `{}`: it takes only an answer", question.id);
        let hint = format!("`signoff answer {} TEXT`", question.id);
        return Err(Failure::new(2, "usage", message).hint(hint));
    }
    let text = match &args.note {
        Some(note) if is_reply => note,
        _ => typed,
    };
    let text = require_text(text)?;
    let clock = signoff_runtime::SystemClock::new();
    let answered = questions::answer(by_person(project, &clock), &question.id, &text)?;
    if session.is_json() {
        session.json(&answered);
    } else {
        session.out.answer(read_by(question));
    }
    Ok(0)
}

/// Who goes on with the answer.
fn read_by(question: &Question) -> String {
    match question.session.as_deref() {
        Some(id) if is_planning(id) => {
            format!("recorded; next: `signoff plan --continue {id}` once all are answered")
        }
        Some(_) | None => "recorded; the agent reads it when it asks for the answer".to_owned(),
    }
}

/// The arguments of a call, which are the note of an answer that lets it happen.
fn call_arguments(
    project: &Project,
    text: &str,
    choice: Choice,
    tool: &str,
) -> Result<String, Failure> {
    if !matches!(choice, Choice::Approve | Choice::Retry) {
        return Err(no_call());
    }
    let read: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(text);
    let args = read.map_err(|why| {
        let message = format!("the arguments must be a JSON object: {why}");
        let example =
            "for example `--args '{\"path\": \"a.txt\"}'`: all of them, not only those that change";
        Failure::new(2, "bad-arguments", message).hint(example)
    })?;
    if let [first, ..] = paths_outside(tool, &args.into(), &project.workspace())[..] {
        let message = format!("`{first}` is outside the workspace, and `{tool}` would refuse it");
        let hint = "name a path relative to the workspace";
        return Err(Failure::new(2, "bad-arguments", message).hint(hint));
    }
    Ok(text.to_owned())
}

fn no_call() -> Failure {
    let message = "`--args` goes with `approve` and `retry` of a step that calls a tool";
    Failure::new(2, "no-call", message)
}

/// The failure for an item that is not open: it was answered, or its step no longer needs an answer.
fn closed_item(project: &Project, run: &str, item: &str) -> Failure {
    let (mut asked, mut answer) = (false, None);
    let read = each_event(project, run, |event| match event {
        Event::InboxOpened { item: of, .. } => asked |= of == item,
        Event::InboxAnswered {
            item: of,
            choice,
            note,
            by,
            ..
        } if of == item => {
            let said = event_text::answer(*choice, note.as_deref());
            answer = Some(format!("{by} answered it with {said}"));
        }
        _ => {}
    });
    if let Err(error) = read {
        return error.into();
    }
    let waits = format!("no open item is named `{run}/{item}`");
    let failure = match answer {
        Some(answer) => Failure::new(5, "answered", format!("{waits} any more: {answer}")),
        None if asked => {
            let why = "its step continued or ended without an answer";
            Failure::new(5, "answered", format!("{waits} any more: {why}"))
        }
        None => Failure::new(5, "refused", waits),
    };
    failure.hint("`signoff inbox` shows what waits, and the choices")
}

/// The failure for an answer that was recorded although the run could not continue.
fn recorded_but_not_resumed(failure: Failure, choice: Choice) -> Failure {
    let message = format!(
        "the answer `{}` is recorded, but the run cannot continue: {}",
        choice.name(),
        failure.message
    );
    Failure { message, ..failure }
}

/// The choice and the note that the arguments stand for. For a question the word is the answer itself, unless it
/// names a choice of the question.
fn parse_answer(args: &Answer, open: &EngineItem) -> Result<(Choice, Option<String>), Failure> {
    if let Some(text) = &args.reply {
        return Ok((Choice::Reply, Some(require_text(text)?)));
    }
    let word = args.choice.as_deref();
    let word = word.expect("clap requires a choice or a reply");
    let named = Choice::from_name(word);
    if open.kind != InboxKind::Question {
        let choice = named.ok_or_else(|| unknown_choice(word))?;
        return Ok((choice, args.note.clone()));
    }
    let offered = open.options.iter().any(|option| option == word);
    match named.filter(|choice| !offered && open.choices.contains(choice)) {
        Some(Choice::Reply) => {
            let note = args.note.as_deref().unwrap_or_default();
            Ok((Choice::Reply, Some(require_text(note)?)))
        }
        Some(choice) => Ok((choice, args.note.clone())),
        None => Ok((Choice::Reply, Some(require_text(word)?))),
    }
}

/// Refuses an empty answer.
fn require_text(text: &str) -> Result<String, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::new(2, "empty-reply", "the answer is empty")
            .hint("type it: `--reply \"TEXT\"`; `skip` skips the question"));
    }
    Ok(text.to_owned())
}

fn unknown_choice(word: &str) -> Failure {
    let names: Vec<&str> = Choice::ALL.iter().map(|choice| choice.name()).collect();
    let failure = Failure::new(2, "bad-choice", format!("`{word}` is not an answer"));
    match names
        .iter()
        .min_by_key(|name| strsim::damerau_levenshtein(name, word))
    {
        Some(near) if strsim::damerau_levenshtein(near, word) <= 2 => {
            failure.hint(format!("did you mean `{near}`?"))
        }
        _ => failure.hint(format!(
            "the answers are {}; `signoff inbox` shows which ones fit",
            names.join(", ")
        )),
    }
}
