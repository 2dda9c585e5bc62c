//! From a draft to the resolved model: names become ids, text becomes values, defaults are filled.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{bad_expect, bad_id, bad_on_fail, bad_value, budget_invalid, unknown_dependency};
use crate::diagnostic::Diagnostic;
use crate::draft::{self, Draft, Spanned};
use crate::field::{self, FieldSpec, Shape};
use crate::model::{
    Condition, Contract, Depends, Hint, Plan, Step, StepDetails, StepRecord, Subscription, Work,
};
use crate::spelling::{self, Dialect, status};
use crate::subscription;

/// Resolves a draft as far as possible and reports what could not be.
pub(crate) fn resolve(draft: &Draft, problems: &mut Vec<Diagnostic>) -> Plan {
    let mut steps = Vec::with_capacity(draft.steps.len());
    each_step(draft, problems, |step| steps.push(step));
    let mut plan = without_steps(draft, problems);
    plan.steps = steps;
    plan.briefing = plan.effective_briefing().map(str::to_owned);
    plan
}

/// Resolves one step after the other: all of them at once are as large as the draft.
pub(crate) fn each_step(draft: &Draft, problems: &mut Vec<Diagnostic>, mut each: impl FnMut(Step)) {
    let ids = step_ids(draft);
    let dependencies = unknown_dependency::resolve(draft, &ids, problems);
    let written = draft.steps.iter().zip(&ids).zip(dependencies);
    for (index, ((written, id), depends_on)) in written.enumerate() {
        let mut found = Vec::new();
        let mut reader = Resolver {
            dialect: draft.dialect,
            problems: &mut found,
        };
        each(reader.step(written, index, id.clone(), depends_on));
        problems.extend(found.into_iter().map(|problem| problem.step(id.clone())));
    }
}

/// The id of every step: the explicit one, else `step-N`.
pub(crate) fn step_ids(draft: &Draft) -> Vec<String> {
    let ids = draft.steps.iter().enumerate();
    ids.map(|(index, step)| match &step.id {
        Some(id) => id.value.clone(),
        None => format!("step-{}", index + 1),
    })
    .collect()
}

/// Resolves all but the steps. What agents are told is as written: what of it they really are told, the steps decide.
pub(crate) fn without_steps(draft: &Draft, problems: &mut Vec<Diagnostic>) -> Plan {
    let mut reader = Resolver {
        dialect: draft.dialect,
        problems,
    };
    if let Some(id) = &draft.id {
        reader.problems.extend(bad_id::plan(draft.dialect, id));
    }
    let mut plan = Plan {
        params: params(&draft.params),
        record: record(&draft.record),
        ..Plan::default()
    };
    for field in &field::PLAN {
        reader.field(field, draft, &mut plan);
    }
    if plan.briefing.is_none() {
        plan.briefing = Some(draft.dialect.default_briefing().word().to_owned());
    }
    plan
}

struct Resolver<'p> {
    dialect: Dialect,
    problems: &'p mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn step(
        &mut self,
        written: &draft::DraftStep,
        index: usize,
        id: String,
        depends_on: Depends,
    ) -> Step {
        let mut step = Step {
            unexpanded: written.unexpanded.as_ref().map(|token| token.value.clone()),
            title: written.title.value.clone(),
            claimed: is_claimed(&written.marks),
            depends_on,
            work: self.work_of(written),
            contract: written
                .contract
                .as_ref()
                .map(|contract| self.contract(contract)),
            record: step_record(&written.record),
            details: StepDetails {
                mark: last_mark(&written.marks),
                hint: hint(&written.hint),
                ..StepDetails::default()
            }
            .into(),
            ..Step::new(id, index + 1)
        };
        for field in &field::STEP {
            self.field(field, written, &mut step);
        }
        step.on_fail = bad_on_fail::read(
            self.dialect,
            (&step.work, step.critical),
            written.on_fail.as_ref(),
            self.problems,
        );
        step
    }

    /// Makes of a field what it means; one that has code of its own is left alone.
    fn field<D, M>(&mut self, field: &FieldSpec<D, M>, draft: &D, model: &mut M) {
        let name = field.name;
        match &field.shape {
            Shape::Text(slot, _) => slot.set(model, value_of(slot.text(draft))),
            Shape::Choice(slot, words) => {
                let word = self.word(name, slot.text(draft), words);
                slot.set(model, word.map(str::to_owned));
            }
            Shape::Number(slot, least, _) => {
                slot.set(model, self.number(name, slot.text(draft), *least));
            }
            Shape::Duration(slot) => slot.set(model, self.duration(name, slot.text(draft))),
            Shape::Budget(slot) => {
                let limits = budget_invalid::read(self.dialect, slot.text(draft), self.problems);
                slot.set(model, limits);
            }
            Shape::Flag(slot, usual, words) => {
                let word = self.word(name, slot.text(draft), words);
                let yes = word.map(|word| !matches!(word, "no" | "false"));
                slot.set(model, yes.unwrap_or(*usual));
            }
            Shape::Switch(slot, words) => {
                let word = self.word(name, slot.text(draft), words);
                slot.set(model, word.is_some() && word == words.first().copied());
            }
            // Its default depends on the work, and on whether the step is critical.
            Shape::Policy(_) => {}
            Shape::Names(slot) | Shape::Sentences(slot) => {
                slot.set(model, values((slot.written)(draft)));
            }
            Shape::References(slot) => {
                slot.set(model, self.subscriptions((slot.written)(draft)));
            }
            Shape::Scope(slot) => {
                slot.set(model, (slot.written)(draft).as_deref().map(values));
            }
            Shape::Custom(_) => {}
        }
    }

    fn work_of(&mut self, written: &draft::DraftStep) -> Work {
        self.problems
            .extend(bad_value::two_kinds_of_work(self.dialect, written));
        if let Some(tool) = &written.tool {
            let args = written.args.as_ref().map(|args| args.value.clone());
            return Work::Tool {
                tool: tool.value.clone(),
                args: args.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            };
        }
        if let Some(question) = &written.ask {
            return Work::Ask {
                question: question.value.clone(),
                choices: values(&written.choices),
            };
        }
        if written.target.is_none() && written.task.is_none() {
            return Work::Check;
        }
        Work::Agent {
            role: value_of(written.target.as_ref()),
            task: value_of(written.task.as_ref()).unwrap_or_default(),
        }
    }

    fn contract(&mut self, written: &draft::DraftContract) -> Contract {
        let mut expect = bad_expect::read(self.dialect, &written.expect, self.problems);
        // Conditions on the output do not excuse a failing command.
        if !expect
            .iter()
            .any(|condition| matches!(condition, Condition::ExitCode(_)))
        {
            // Most contracts have no other.
            expect.reserve_exact(1);
            expect.insert(0, Condition::DEFAULT);
        }
        let mut contract = Contract {
            // The default shell is bash; the configuration may name another.
            shell: value_of(written.shell.as_ref()).filter(|shell| !is_default_shell(shell)),
            expect,
            ..Contract::new(written.command.text.clone())
        };
        for field in &field::CONTRACT {
            self.field(field, written, &mut contract);
        }
        contract
    }

    fn subscriptions(&mut self, written: &[Spanned<String>]) -> Vec<Subscription> {
        let mut subscriptions = Vec::new();
        for text in written {
            match subscription::parse(&text.value) {
                Some(subscription) => subscriptions.push(subscription),
                None => self
                    .problems
                    .push(bad_value::subscription(self.dialect, text)),
            }
        }
        subscriptions
    }

    fn number(
        &mut self,
        field: &str,
        written: Option<&Spanned<String>>,
        least: u64,
    ) -> Option<u64> {
        let written = written.filter(|text| !text.value.is_empty())?;
        let digits = written.value.bytes().all(|b| b.is_ascii_digit());
        let number = written
            .value
            .parse()
            .ok()
            .filter(|number| digits && *number >= least);
        if number.is_none() {
            let found = bad_value::number(self.dialect, spelling::label(field), written, least);
            self.problems.push(found);
        }
        number
    }

    fn duration(
        &mut self,
        field: &str,
        written: Option<&Spanned<String>>,
    ) -> Option<std::time::Duration> {
        let written = written?;
        let duration = crate::duration::parse(&written.value);
        if duration.is_none() {
            self.problems.push(bad_value::duration(
                self.dialect,
                spelling::label(field),
                written,
            ));
        }
        if duration.is_some_and(|duration| duration > bad_value::LONGEST) {
            self.problems.push(bad_value::too_long(
                self.dialect,
                spelling::label(field),
                written,
            ));
        }
        duration
    }

    /// One of several words.
    fn word<'w>(
        &mut self,
        field: &str,
        written: Option<&Spanned<String>>,
        words: &[&'w str],
    ) -> Option<&'w str> {
        let written = written?;
        let word = words
            .iter()
            .find(|word| word.eq_ignore_ascii_case(&written.value));
        if word.is_none() {
            self.problems.push(bad_value::word(
                self.dialect,
                spelling::label(field),
                written,
                words,
            ));
        }
        word.copied()
    }
}

/// Whether a word for a shell means the configured one.
fn is_default_shell(word: &str) -> bool {
    matches!(word, "bash" | "shell")
}

/// Whether a mark says that the step is done.
pub(crate) fn is_claimed(marks: &draft::StepMarks) -> bool {
    !marks.ticks.is_empty()
        || marks
            .statuses
            .iter()
            .any(|mark| status::is_done(&mark.word.value))
}

/// What a mark says that does not say that the step is done; the last one, if there are several.
fn last_mark(marks: &draft::StepMarks) -> Option<String> {
    let last = marks.statuses.last().filter(|_| !is_claimed(marks))?;
    status::step_status(&last.word.value).map(str::to_owned)
}

fn params(written: &[(Spanned<String>, Value)]) -> BTreeMap<String, Value> {
    let pairs = written.iter();
    pairs
        .map(|(name, value)| (name.value.clone(), value.clone()))
        .collect()
}

fn record(written: &[(&'static str, Spanned<Value>)]) -> BTreeMap<String, Value> {
    let pairs = written.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), value.value.clone()))
        .collect()
}

fn step_record(written: &[(&'static str, Spanned<Value>)]) -> StepRecord {
    let pairs = written.iter();
    pairs
        .map(|(name, value)| (*name, value.value.clone()))
        .collect()
}

fn hint(written: &draft::DraftHint) -> Option<Hint> {
    let hint = Hint {
        tool: value_of(written.tool.as_ref()),
        operation: value_of(written.operation.as_ref()),
        target: value_of(written.target.as_ref()),
    };
    (hint != Hint::default()).then_some(hint)
}

fn values(written: &[Spanned<String>]) -> Vec<String> {
    written.iter().map(|item| item.value.clone()).collect()
}

/// The text, unless it is empty.
fn value_of(written: Option<&Spanned<String>>) -> Option<String> {
    written
        .map(|text| text.value.clone())
        .filter(|text| !text.is_empty())
}
