//! Asks the person at the terminal while the run waits, instead of through the inbox.

mod input;
mod typed_answer;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;

use signoff_engine::{Choice, InboxItem, InboxKind, Input, Refusal, Run};
use signoff_plan::model::Work;
use signoff_runtime::drive::{Person, PersonAnswer};
use signoff_runtime::project::Project;
use signoff_runtime::runs::questions::question_with_patches;
use signoff_runtime::runs::worktrees::RunWorktrees;
use signoff_store::signatures::Proof;

use self::input::{TerminalInput, discard_typed, read_line};
use self::typed_answer::{TypedAnswer, answer_words, parse_answer};
use crate::report::question::question_lines;
use crate::report::run::screen::Screen;
use crate::session::Session;
use crate::style::{CARE, DIM, paint, sanitize};
use crate::terminal::Terminal;

/// The person at the terminal, if one is there.
pub(crate) fn person_at_terminal(
    session: &Session,
    project: &Project,
    worktrees: RunWorktrees,
) -> Option<TerminalPerson> {
    may_ask(session).then(|| TerminalPerson {
        out: session.out.duplicate(),
        screen: None,
        project: project.clone(),
        worktrees,
        later: BTreeSet::new(),
    })
}

/// Is there a person at the terminal who wants to be asked?
pub(crate) fn may_ask(session: &Session) -> bool {
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let asks = terminal && !session.is_json() && session.proof != Some(Proof::Policy);
    // An agent may have a terminal too.
    asks && session.require_person("answer").is_ok()
}

/// Asks a question before anything has started; every answer except yes means no.
pub(crate) fn yes_or_no(session: &mut Session, question: &str) -> bool {
    discard_typed();
    session.out.prompt(question);
    match read_line(&mut || false) {
        TerminalInput::Typed(text) => matches!(text.to_lowercase().as_str(), "y" | "yes"),
        TerminalInput::End | TerminalInput::Interrupted => {
            session.out.say("");
            false
        }
    }
}

/// Asks for one line; `None` if nothing was typed or the person has stopped.
pub(crate) fn typed_line(
    session: &mut Session,
    question: &str,
    is_stopped: &mut dyn FnMut() -> bool,
) -> Option<String> {
    discard_typed();
    session.out.say(question);
    session.out.prompt("answer> ");
    match read_line(is_stopped) {
        TerminalInput::Typed(text) => Some(text).filter(|text| !text.is_empty()),
        TerminalInput::End | TerminalInput::Interrupted => {
            session.out.say("");
            None
        }
    }
}

/// A person at the terminal.
pub(crate) struct TerminalPerson {
    out: Terminal,
    /// Live lines, which are hidden while a question is open.
    screen: Option<Screen>,
    project: Project,
    /// Where the run's worktrees are.
    worktrees: RunWorktrees,
    /// Items that the person postponed.
    later: BTreeSet<String>,
}

/// Why there is no answer.
enum NoAnswer {
    Later,
    /// An event made the question obsolete.
    Interrupted,
}

impl Person for TerminalPerson {
    fn answer(
        &mut self,
        run: &Run,
        item: &InboxItem,
        has_news: &mut dyn FnMut() -> bool,
    ) -> PersonAnswer {
        if self.later.contains(&item.id) {
            return PersonAnswer::Later;
        }
        let screen = self.screen.clone();
        let _suspended = screen.as_ref().map(Screen::suspend);
        match self.ask_until_answered(run, item, has_news) {
            Ok(input) => PersonAnswer::Answer(Box::new(input)),
            Err(NoAnswer::Interrupted) => {
                self.out.say("");
                PersonAnswer::Nothing
            }
            Err(NoAnswer::Later) => {
                self.later.insert(item.id.clone());
                PersonAnswer::Later
            }
        }
    }

    fn note_refusal(&mut self, refusal: &Refusal) {
        self.explain(&refusal.to_string());
    }

    fn is_present(&self) -> bool {
        true
    }
}

impl TerminalPerson {
    /// Sets the live lines to hide during questions.
    pub(crate) fn with_screen(self, screen: Option<Screen>) -> Self {
        Self { screen, ..self }
    }

    fn ask_until_answered(
        &mut self,
        run: &Run,
        item: &InboxItem,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Input, NoAnswer> {
        discard_typed();
        self.out.say("");
        let question = question_with_patches(&self.project, run, item, &self.worktrees);
        for line in question_lines(&question) {
            self.out.say(line);
        }
        let words = sanitize(&answer_words(item));
        self.out.say(paint(DIM, format!("  {words}; empty: later")));
        let (choice, text) = loop {
            let typed = self.read_text("answer", has_news)?;
            match parse_answer(item, &typed.ok_or(NoAnswer::Later)?) {
                TypedAnswer::Choice(choice) => break (choice, None),
                TypedAnswer::Reply(text) => break (Choice::Reply, Some(text)),
                TypedAnswer::Unclear(why) => self.explain(&why),
            }
        };
        let steps = self.steps(run, item, choice, has_news)?;
        let note = match text {
            Some(text) => Some(text),
            None => self.ask_note(run, item, choice, has_news)?,
        };
        Ok(Input::Answer {
            item: item.id.clone(),
            steps,
            choice,
            note,
            by: self.project.process.person.clone(),
        })
    }

    /// The steps that the answer is about; an empty list means all of them.
    fn steps(
        &mut self,
        run: &Run,
        item: &InboxItem,
        choice: Choice,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<String>, NoAnswer> {
        let about = item.steps_concerned().iter().filter_map(|&at| run.step(at));
        let ids: Vec<&str> = about.map(|(step, _)| step.id.as_str()).collect();
        if ids.len() < 2 || choice == Choice::Abort {
            return Ok(Vec::new());
        }
        self.out.say(paint(
            DIM,
            sanitize(&format!("  of {}; empty: all", ids.join(" "))),
        ));
        loop {
            let typed = self.read_text("which", has_news)?.unwrap_or_default();
            let named: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
            match named.iter().find(|id| !ids.contains(&id.as_str())) {
                None => return Ok(named),
                Some(unknown) => self.explain(&format!("the question is not about `{unknown}`")),
            }
        }
    }

    /// The note that belongs to a choice.
    fn ask_note(
        &mut self,
        run: &Run,
        item: &InboxItem,
        choice: Choice,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, NoAnswer> {
        let step = run.step(item.step).map(|(step, _)| &step.work);
        let is_call = matches!(step, Some(Work::Tool { .. }));
        let what = match choice {
            Choice::Retry if item.kind == InboxKind::Approval => return Ok(None),
            Choice::Retry if is_call => "other arguments, as JSON; empty: as before",
            Choice::Retry => "advice for the next attempt; empty: none",
            Choice::Refuse => "the reason; empty: none",
            Choice::Revise | Choice::Replan => "what should change; empty: no comment",
            Choice::Happened => "its result, as JSON or text; empty: none",
            Choice::Approve if is_call && item.kind == InboxKind::Approval => {
                "other arguments, as JSON; empty: those shown"
            }
            _ => return Ok(None),
        };
        self.out.say(paint(DIM, format!("  {what}")));
        loop {
            let typed = self.read_text(choice.name(), has_news)?;
            let read = match &typed {
                Some(text) if choice == Choice::Approve || is_call && choice == Choice::Retry => {
                    arguments(text)
                }
                _ => Ok(()),
            };
            match read {
                Ok(()) => return Ok(typed),
                Err(why) => self.explain(&why),
            }
        }
    }

    /// Reads a line; `None` if it is empty.
    fn read_text(
        &mut self,
        what: &str,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, NoAnswer> {
        self.out.prompt(format!("{what}> "));
        match read_line(has_news) {
            TerminalInput::Typed(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            TerminalInput::End => {
                self.out.say("");
                Err(NoAnswer::Later)
            }
            TerminalInput::Interrupted => Err(NoAnswer::Interrupted),
        }
    }

    fn explain(&mut self, why: &str) {
        let why = sanitize(why);
        self.out.say(format!("  {} {why}", paint(CARE, "no:")));
    }
}

/// Checks that the text is a JSON object.
fn arguments(text: &str) -> Result<(), String> {
    let read: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(text);
    read.map(drop)
        .map_err(|error| format!("the arguments must be a JSON object: {error}"))
}
