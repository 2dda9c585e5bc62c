//! The totals of a run, in one line.

use signoff_api::event::step_status;
use signoff_engine::{Grade, Run, StepState, TokenUsage, UsageSums};
pub(crate) use signoff_page::words::halted::{NOTHING, halted_word};

use crate::report::count::count;
use crate::report::run::evidence::grade;
use crate::report::time::short_duration;
use crate::style::sanitize;

/// `3 steps: 2 proved, 1 failed · 4 agents started · 12s · sandbox: none`
pub(crate) fn totals(run: &Run, driven: bool) -> String {
    let steps = run.plan().steps.len();
    let states = (0..steps).filter_map(|at| Some((at, run.step(at)?.1)));
    let (mut found, mut open) = (Vec::new(), Statuses::default());
    for (at, state) in states {
        match state.outcome.evidence {
            Some(_) if run.is_empty_loop(at) => open.count(NOTHING.0),
            Some(_) => found.push(state),
            None if !driven && !run.is_over() && run.halt_reason(at).is_some() => {
                open.count(halted_word(run));
            }
            None => open.count(step_status(run.displayed_status(at, driven))),
        }
    }
    let mut words = vec![grades(found.into_iter()), open.words()];
    words.retain(|word| !word.is_empty());
    let agents = usize::try_from(run.agents_started()).unwrap_or(usize::MAX);
    let used = Some(run.token_usage()).filter(TokenUsage::is_counted);
    let used = used.map_or_else(String::new, |used| format!(" · {used}"));
    format!(
        "{}: {} · {} started{used} · {} · sandbox: {}",
        count(steps, "step"),
        words.join(", "),
        count(agents, "agent"),
        short_duration(run.wall_used()),
        run.settings().sandbox
    )
}

/// What was used by whom: `coder: 14k tokens · $0.09`, where there are several agents; `opus: …` for each model.
pub(crate) fn usage_lines(sums: &UsageSums) -> Vec<String> {
    let line = |(name, used): (&str, &TokenUsage)| format!("{}: {used}", sanitize(name));
    let agents = sums.by_agent.iter().filter(|_| sums.by_agent.len() > 1);
    let agents = agents.map(|(role, used)| line((role, used)));
    let models = sums.by_model.iter();
    let models = models
        .map(|(model, used)| line((model.as_deref().unwrap_or("a model without a name"), used)));
    agents.chain(models).collect()
}

/// `2 proved, 1 held`
pub(crate) fn grades<'a>(states: impl Iterator<Item = &'a StepState>) -> String {
    const ALL: [Grade; 4] = [Grade::Proved, Grade::Held, Grade::Observed, Grade::Accepted];
    let mut counts = [0_usize; ALL.len()];
    for state in states {
        let found = state.outcome.grade();
        for (count, grade) in counts.iter_mut().zip(ALL) {
            *count += usize::from(found == Some(grade));
        }
    }
    let known = counts.iter().zip(ALL).filter(|(count, _)| **count > 0);
    let words: Vec<String> = known
        .map(|(count, known)| format!("{count} {}", grade(known)))
        .collect();
    words.join(", ")
}

/// The number of steps without evidence, by status.
#[derive(Default)]
struct Statuses(std::collections::BTreeMap<&'static str, usize>);

impl Statuses {
    fn count(&mut self, word: &'static str) {
        *self.0.entry(word).or_default() += 1;
    }

    fn words(&self) -> String {
        let words = self.0.iter().map(|(word, count)| format!("{count} {word}"));
        words.collect::<Vec<_>>().join(", ")
    }
}
