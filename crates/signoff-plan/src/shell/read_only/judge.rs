//! Goes through a text and judges every command in it.

use super::argument::CheckedArgument;
use super::programs::{all_programs, reaches_out};
use super::refusal::{Effect, NotReadOnly, Refusal};
use super::{conditions, program, redirects, variables};
use crate::shell::syntax::{
    Assignment, Command, CommandKind, CommandList, Pipeline, SimpleCommand, Word,
};

/// Judges the commands of a text.
pub(super) struct Judge<'t> {
    pub(super) text: &'t str,
}

type Judged = Result<(), NotReadOnly>;

impl<'t> Judge<'t> {
    pub(super) fn scripts(&self, scripts: &[CommandList<'_>]) -> Judged {
        for item in scripts.iter().flat_map(|script| &script.items) {
            if item.background {
                let part = item.span.slice(self.text).to_owned();
                let reason = Refusal::Effect("&".to_owned(), Effect::StaysBehind);
                return Err(NotReadOnly {
                    command: part,
                    reason,
                });
            }
            self.pipeline(&item.first)?;
            for (_, pipeline) in &item.rest {
                self.pipeline(pipeline)?;
            }
        }
        Ok(())
    }

    fn pipeline(&self, pipeline: &Pipeline<'_>) -> Judged {
        pipeline
            .parts
            .iter()
            .try_for_each(|part| self.command(part))
    }

    fn command(&self, command: &Command<'_>) -> Judged {
        let named = |reason| NotReadOnly {
            command: command.span.slice(self.text).to_owned(),
            reason,
        };
        for redirect in &command.redirects {
            self.words(std::slice::from_ref(&redirect.target))?;
            redirects::judge(redirect, self.text).map_err(named)?;
        }
        match &command.kind {
            CommandKind::Simple(simple) => {
                self.words(&simple.words)?;
                for assignment in &simple.assignments {
                    self.words(&assignment.values)?;
                }
                self.simple(simple).map_err(named)
            }
            CommandKind::Group(script) => self.scripts(std::slice::from_ref(script)),
            CommandKind::Branch(parts, words) => {
                self.words(words)?;
                self.scripts(parts)
            }
            CommandKind::Loop(parts, words, variable) => {
                if let Some(variable) = variable {
                    variables::may_be_set(variable.text().unwrap_or_default()).map_err(named)?;
                }
                self.words(words)?;
                self.scripts(parts)
            }
            CommandKind::Test(operands) => {
                self.words(operands)?;
                let source = command.span.slice(self.text);
                conditions::double_brackets(&self.arguments(operands), source).map_err(named)
            }
            CommandKind::Arithmetic(scripts) => self.scripts(scripts),
            CommandKind::Function(name, _) => {
                let name = name.clone().into_owned();
                Err(named(Refusal::Effect(name, Effect::ChangesShell)))
            }
        }
    }

    /// What is run to fill words in.
    fn words(&self, words: &[Word<'_>]) -> Judged {
        words
            .iter()
            .try_for_each(|word| self.scripts(&word.scripts))
    }

    fn arguments<'w>(&self, words: &'w [Word<'_>]) -> Vec<CheckedArgument<'w>>
    where
        't: 'w,
    {
        words
            .iter()
            .map(|word| CheckedArgument::new(word, self.text))
            .collect()
    }

    fn simple(&self, simple: &SimpleCommand<'_>) -> Result<(), Refusal> {
        for assignment in &simple.assignments {
            self.assignment(assignment, simple.words.is_empty())?;
        }
        command_line(&self.arguments(&simple.words))
    }

    fn assignment(&self, assignment: &Assignment<'_>, alone: bool) -> Result<(), Refusal> {
        let values = self.arguments(&assignment.values);
        match values.as_slice() {
            [] => variables::assignment(assignment.name, Some(""), alone),
            [value] => variables::assignment(assignment.name, value.text, alone),
            _ => Err(Refusal::Effect(
                assignment.name.to_owned(),
                Effect::ChangesShell,
            )),
        }
    }
}

/// Judges a program's name and its arguments.
pub(super) fn command_line(words: &[CheckedArgument<'_>]) -> Result<(), Refusal> {
    let Some((name, arguments)) = words.split_first() else {
        return Ok(());
    };
    let Some(text) = name.text else {
        return Err(Refusal::Unforeseeable(name.raw.to_owned()));
    };
    let system = ["/bin/", "/usr/bin/"];
    let name = system.iter().find_map(|folder| text.strip_prefix(folder));
    let name = name.unwrap_or(text);
    if let Some(unknown) = arguments.iter().find(|word| word.text.is_none())
        && reaches_out(name)
    {
        return Err(Refusal::Unforeseeable(unknown.raw.to_owned()));
    }
    match program::find(all_programs(), name) {
        Some(program) => program.rule.judge(name, arguments),
        None => Err(Refusal::UnknownProgram(text.to_owned())),
    }
}
