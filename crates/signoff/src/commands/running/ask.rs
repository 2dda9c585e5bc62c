//! Asks the person at the terminal, while the run waits, what else the inbox would.

mod line;
mod meant;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;

use signoff_engine::{Choice, Input, Item, ItemKind, Refusal, Run};
use signoff_plan::model::Work;
use signoff_runtime::drive::{Person, Said};
use signoff_runtime::whereabouts::Whereabouts;
use signoff_store::signatures::Proof;

use self::line::{Line, forget_typed, next_line};
use self::meant::{Meant, meant, offered};
use crate::commands::running::inbox::repair_in;
use crate::report::run::screen::Screen;
use crate::session::Session;
use crate::style::{CARE, DIM, harmless, paint};
use crate::terminal::Terminal;

/// The person at the terminal, if one is there.
pub(crate) fn at_terminal(
    session: &Session,
    by: &str,
    whereabouts: Whereabouts,
) -> Option<AtTerminal> {
    may_ask(session).then(|| AtTerminal {
        out: session.out.another(),
        screen: None,
        by: by.to_owned(),
        whereabouts,
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

/// Asks the person at the terminal before anything has begun; everything but a yes is a no.
pub(crate) fn yes_or_no(session: &mut Session, question: &str) -> bool {
    forget_typed();
    session.out.prompt(question);
    match next_line(&mut || false) {
        Line::Typed(text) => matches!(text.to_lowercase().as_str(), "y" | "yes"),
        Line::End | Line::News => {
            session.out.say("");
            false
        }
    }
}

/// A person at the terminal.
pub(crate) struct AtTerminal {
    out: Terminal,
    /// Live lines, which go while a question is there.
    screen: Option<Screen>,
    by: String,
    /// Where the run's worktrees are.
    whereabouts: Whereabouts,
    /// Items that they do not want to be asked about again.
    later: BTreeSet<String>,
}

/// Nobody typed an answer.
enum Unsaid {
    Later,
    /// Something else happened.
    Disturbed,
}

impl Person for AtTerminal {
    fn answer(&mut self, run: &Run, item: &Item, has_news: &mut dyn FnMut() -> bool) -> Said {
        if self.later.contains(&item.id) {
            return Said::Later;
        }
        let screen = self.screen.clone();
        let _suspended = screen.as_ref().map(Screen::suspend);
        match self.dialogue(run, item, has_news) {
            Ok(input) => Said::Answer(Box::new(input)),
            Err(Unsaid::Disturbed) => {
                self.out.say("");
                Said::Nothing
            }
            Err(Unsaid::Later) => {
                self.later.insert(item.id.clone());
                Said::Later
            }
        }
    }

    fn refused(&mut self, refusal: &Refusal) {
        self.explain(&refusal.to_string());
    }

    fn is_there(&self) -> bool {
        true
    }
}

impl AtTerminal {
    /// The same person where lines are drawn.
    pub(crate) fn above(self, screen: Option<Screen>) -> Self {
        Self { screen, ..self }
    }

    fn dialogue(
        &mut self,
        run: &Run,
        item: &Item,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Input, Unsaid> {
        forget_typed();
        self.out.say("");
        let question = harmless(&item.question);
        self.out.say(format!("{} {question}", paint(CARE, "?")));
        if let Some(place) = self.whereabouts.of_item(run, item) {
            self.out.say(repair_in(&place.to_string_lossy()));
        }
        let offered = harmless(&offered(item));
        self.out
            .say(paint(DIM, format!("  {offered}; nothing: later")));
        let (choice, text) = loop {
            let typed = self.typed("answer", has_news)?;
            match meant(item, &typed.ok_or(Unsaid::Later)?) {
                Meant::Choice(choice) => break (choice, None),
                Meant::Reply(text) => break (Choice::Reply, Some(text)),
                Meant::Unclear(why) => self.explain(&why),
            }
        };
        let steps = self.steps(run, item, choice, has_news)?;
        let note = match text {
            Some(text) => Some(text),
            None => self.note(run, item, choice, has_news)?,
        };
        Ok(Input::Answer {
            item: item.id.clone(),
            steps,
            choice,
            note,
            by: self.by.clone(),
        })
    }

    /// Which of several steps it is about; none named = all.
    fn steps(
        &mut self,
        run: &Run,
        item: &Item,
        choice: Choice,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<String>, Unsaid> {
        let about = item.about().iter().filter_map(|&at| run.step(at));
        let ids: Vec<&str> = about.map(|(step, _)| step.id.as_str()).collect();
        if ids.len() < 2 || choice == Choice::Abort {
            return Ok(Vec::new());
        }
        self.out.say(paint(
            DIM,
            harmless(&format!("  of {}; nothing: all", ids.join(" "))),
        ));
        loop {
            let typed = self.typed("which", has_news)?.unwrap_or_default();
            let named: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
            match named.iter().find(|id| !ids.contains(&id.as_str())) {
                None => return Ok(named),
                Some(unknown) => self.explain(&format!("it is not about `{unknown}`")),
            }
        }
    }

    /// What belongs to a choice besides its word.
    fn note(
        &mut self,
        run: &Run,
        item: &Item,
        choice: Choice,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, Unsaid> {
        let step = run.step(item.step).map(|(step, _)| &step.work);
        let is_call = matches!(step, Some(Work::Tool { .. }));
        let what = match choice {
            Choice::Retry => "advice for the next attempt; nothing: none",
            Choice::Refuse => "why; nothing: no reason",
            Choice::Revise => "what should become of it; nothing: nothing said",
            Choice::Happened => "its result, as JSON or text; nothing: none",
            Choice::Approve if is_call && item.kind == ItemKind::Approval => {
                "other arguments, as JSON; nothing: those shown"
            }
            _ => return Ok(None),
        };
        self.out.say(paint(DIM, format!("  {what}")));
        loop {
            let typed = self.typed(choice.name(), has_news)?;
            let read = match &typed {
                Some(text) if choice == Choice::Approve => arguments(text),
                _ => Ok(()),
            };
            match read {
                Ok(()) => return Ok(typed),
                Err(why) => self.explain(&why),
            }
        }
    }

    /// What was typed, if anything was.
    fn typed(
        &mut self,
        what: &str,
        has_news: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, Unsaid> {
        self.out.prompt(format!("{what}> "));
        match next_line(has_news) {
            Line::Typed(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            Line::End => {
                self.out.say("");
                Err(Unsaid::Later)
            }
            Line::News => Err(Unsaid::Disturbed),
        }
    }

    fn explain(&mut self, why: &str) {
        let why = harmless(why);
        self.out.say(format!("  {} {why}", paint(CARE, "no:")));
    }
}

/// Arguments of a call are the fields of an object.
fn arguments(text: &str) -> Result<(), String> {
    let read: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(text);
    read.map(drop)
        .map_err(|error| format!("the arguments are a JSON object: {error}"))
}
