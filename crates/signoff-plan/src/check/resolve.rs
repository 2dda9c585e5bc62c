//! From a draft to the resolved model: names become ids, text becomes values, defaults are filled.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{bad_expect, bad_id, bad_on_fail, bad_value, budget_invalid, unknown_dependency};
use crate::diagnostic::Diagnostic;
use crate::draft::{self, Draft, Spanned};
use crate::model::{Budget, Condition, Contract, Depends, Hint, Plan, Step, Subscription, Work};
use crate::spelling::{Dialect, status, words};
use crate::subscription;

/// A plan, resolved.
pub(crate) struct Resolved {
    pub(crate) plan: Plan,
}

/// Resolves a draft as far as possible and reports what could not be.
pub(crate) fn resolve(draft: &Draft, problems: &mut Vec<Diagnostic>) -> Resolved {
    let ids = step_ids(draft);
    let mut dependencies = unknown_dependency::resolve(draft, &ids, problems).into_iter();
    let mut steps = Vec::with_capacity(draft.steps.len());
    for (index, written) in draft.steps.iter().enumerate() {
        let mut found = Vec::new();
        let id = ids.get(index).cloned().unwrap_or_default();
        let depends_on = dependencies.next().unwrap_or_default();
        let mut reader = Reader {
            dialect: draft.dialect,
            problems: &mut found,
        };
        steps.push(reader.step(written, index, id.clone(), depends_on));
        problems.extend(found.into_iter().map(|problem| problem.step(id.clone())));
    }
    let plan = plan(draft, steps, problems);
    Resolved { plan }
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

fn plan(draft: &Draft, steps: Vec<Step>, problems: &mut Vec<Diagnostic>) -> Plan {
    let mut reader = Reader {
        dialect: draft.dialect,
        problems,
    };
    if let Some(id) = &draft.id {
        reader.problems.extend(bad_id::plan(draft.dialect, id));
    }
    Plan {
        id: given(draft.id.as_ref()),
        title: given(draft.title.as_ref()),
        task: given(draft.task.as_ref()),
        context: given(draft.context.as_ref()),
        status: given(draft.status.as_ref()),
        version: reader.number("version", draft.version.as_ref(), 0),
        owner: given(draft.owner.as_ref()),
        previous: given(draft.previous.as_ref()),
        budget: reader.budget(draft.budget.as_ref()),
        priority: given(draft.priority.as_ref()),
        tools: draft.tools.as_deref().map(values),
        constraints: values(&draft.constraints),
        params: params(&draft.params),
        risks: values(&draft.risks),
        executor_model: given(draft.executor_model.as_ref()),
        record: record(&draft.record),
        steps,
    }
}

struct Reader<'p> {
    dialect: Dialect,
    problems: &'p mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn step(
        &mut self,
        written: &draft::Step,
        index: usize,
        id: String,
        depends_on: Depends,
    ) -> Step {
        Step {
            id,
            number: index + 1,
            title: written.title.value.clone(),
            claimed: is_claimed(&written.marks),
            mark: mark(&written.marks),
            depends_on,
            work: self.work(written),
            contract: written
                .contract
                .as_ref()
                .map(|contract| self.contract(contract)),
            on_fail: bad_on_fail::read(self.dialect, written.on_fail.as_ref(), self.problems),
            subscriptions: self.subscriptions(&written.subscriptions),
            produces: values(&written.produces),
            protects: values(&written.protects),
            tools: written.tools.as_deref().map(values),
            approval: self
                .word("approval", written.approval.as_ref(), &words::APPROVAL)
                .is_some_and(|word| !matches!(word, "no" | "false")),
            when: given(written.when.as_ref()),
            for_each: given(written.for_each.as_ref()),
            max_items: self.number("max_items", written.max_items.as_ref(), 1),
            timeout: self.duration("timeout", written.timeout.as_ref()),
            budget: self.budget(written.budget.as_ref()),
            critical: self.yes_or_no("critical", written.critical.as_ref(), true),
            locks: values(&written.locks),
            isolation: self
                .word("isolation", written.isolation.as_ref(), &words::ISOLATION)
                .map(str::to_owned),
            acceptance: values(&written.acceptance),
            subtasks: values(&written.subtasks),
            instructions: given(written.instructions.as_ref()),
            hint: hint(&written.hint),
            record: record(&written.record),
        }
    }

    fn work(&mut self, written: &draft::Step) -> Work {
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
            role: given(written.target.as_ref()),
            task: given(written.task.as_ref()).unwrap_or_default(),
        }
    }

    fn contract(&mut self, written: &draft::Contract) -> Contract {
        let mut expect = bad_expect::read(self.dialect, &written.expect, self.problems);
        // Conditions on the output do not excuse a failing command.
        if !expect
            .iter()
            .any(|condition| matches!(condition, Condition::ExitCode(_)))
        {
            expect.insert(0, Condition::DEFAULT);
        }
        Contract {
            command: written.command.text.clone(),
            // The configured shell is bash, unless somebody configured another.
            shell: given(written.shell.as_ref()).filter(|shell| !is_default_shell(shell)),
            expect,
            timeout: self.duration("contract_timeout", written.timeout.as_ref()),
            baseline: self.yes_or_no("baseline", written.baseline.as_ref(), true),
            fewer_tests_allowed: self
                .word(
                    "fewer_tests",
                    written.fewer_tests.as_ref(),
                    &words::FEWER_TESTS,
                )
                .is_some_and(|word| word == "allowed"),
            holds_once: self
                .word("holds", written.holds.as_ref(), &words::HOLDS)
                .is_some_and(|word| word == "once"),
        }
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

    fn budget(&mut self, written: Option<&Spanned<String>>) -> Budget {
        budget_invalid::read(self.dialect, written, self.problems)
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
            let found = bad_value::number(self.dialect, field, written, least);
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
            self.problems
                .push(bad_value::duration(self.dialect, field, written));
        }
        if duration.is_some_and(|duration| duration > bad_value::LONGEST) {
            self.problems
                .push(bad_value::too_long(self.dialect, field, written));
        }
        duration
    }

    fn yes_or_no(&mut self, field: &str, written: Option<&Spanned<String>>, default: bool) -> bool {
        match self.word(field, written, &words::YES_OR_NO) {
            Some("yes" | "true") => true,
            Some(_) => false,
            None => default,
        }
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
            self.problems
                .push(bad_value::word(self.dialect, field, written, words));
        }
        word.copied()
    }
}

/// Whether a word for a shell means the configured one.
fn is_default_shell(word: &str) -> bool {
    matches!(word, "bash" | "shell")
}

/// Whether a mark says that the step is done.
pub(crate) fn is_claimed(marks: &draft::Marks) -> bool {
    !marks.ticks.is_empty()
        || marks
            .statuses
            .iter()
            .any(|mark| status::is_done(&mark.word.value))
}

/// What a mark says that does not say that the step is done; the last one, if there are several.
fn mark(marks: &draft::Marks) -> Option<String> {
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

fn hint(written: &draft::Hint) -> Option<Hint> {
    let hint = Hint {
        tool: given(written.tool.as_ref()),
        operation: given(written.operation.as_ref()),
        target: given(written.target.as_ref()),
    };
    (hint != Hint::default()).then_some(hint)
}

fn values(written: &[Spanned<String>]) -> Vec<String> {
    written.iter().map(|item| item.value.clone()).collect()
}

/// The text, unless it is empty.
fn given(written: Option<&Spanned<String>>) -> Option<String> {
    written
        .map(|text| text.value.clone())
        .filter(|text| !text.is_empty())
}
