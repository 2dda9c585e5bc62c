//! Events as lines under headings. The start of a step is a heading; a line about another step names that step.

use signoff_engine::{Event, RecordedEvent, Run};

use crate::report::columns::truncate;
use crate::report::run::event_text::{event_text, is_over};
use crate::report::step_name::name_of;
use crate::style::{DIM, paint};

/// Columns of a step's name at the beginning of a line.
const NAMED: usize = 32;

/// Prints the events of one run as lines.
#[derive(Debug, Default)]
pub(crate) struct EventLines {
    /// The step whose heading stands above the next line.
    heading: Option<String>,
}

impl EventLines {
    /// The line for an event; most events have none. It names its step where it stands under another
    /// one's heading, or another is under way too.
    pub(crate) fn line(&mut self, run: &Run, recorded: &RecordedEvent) -> Option<String> {
        let event = &recorded.event;
        let text = event_text(run, recorded)?;
        if let Event::StepStarted { .. } | Event::RunResumed { .. } = event {
            self.heading = event.step().map(str::to_owned);
            return Some(text);
        }
        let under_another = |id: &&str| self.heading.as_deref() != Some(*id);
        let among_others = |id: &&str| run.active_steps().any(|(step, _)| step.id != *id);
        // A line about another step separates the heading from the lines that follow.
        let comes_between = event.step().is_some_and(|id| under_another(&id));
        let unclear = |id: &&str| under_another(id) || among_others(id);
        let line = match unnamed_step(run, event).filter(unclear) {
            Some(id) => {
                let name = truncate(&name_of(run, id), NAMED);
                format!("  {} {}", paint(DIM, name + ":"), text.trim_start())
            }
            None => text,
        };
        if comes_between {
            self.heading = None;
        }
        Some(line)
    }
}

/// The step of an event, if the event's text does not name it.
fn unnamed_step<'e>(run: &Run, event: &'e Event) -> Option<&'e str> {
    match event {
        Event::StepStarted { .. }
        | Event::StepFailed { .. }
        | Event::StepSkipped { .. }
        | Event::StepBlocked { .. }
        | Event::StepRetried { .. }
        | Event::ReplanRequested { .. }
        | Event::ReplanDropped { .. }
        | Event::InboxOpened { .. }
        | Event::InboxAnswered { .. } => None,
        Event::ContractFinished { step, .. } if is_over(run, step) => None,
        event => event.step(),
    }
}

#[cfg(test)]
mod tests {
    use signoff_engine::{EvidenceFacts, Grade, apply};

    use super::*;
    use crate::report::run::sample::{CHECK, completed, run, started};

    #[test]
    fn a_line_names_its_step_under_the_heading_of_another() {
        let free = format!("**depends_on:** none\n{CHECK}");
        let mut run = run(&[("A", &free), ("B", &free)]);
        let mut lines = EventLines::default();
        let done = |step| completed(step, Grade::Held, EvidenceFacts::default());
        let mut shown = Vec::new();
        let events = [
            started("step-1"),
            started("step-2"),
            done("step-1"),
            // Nothing else is under way any more, but what is said of the first stands between.
            done("step-2"),
            started("step-1"),
            done("step-1"),
        ];
        for (seq, event) in (1..).zip(events) {
            let recorded = RecordedEvent {
                seq,
                at: seq * 1000,
                event,
            };
            apply(&mut run, &recorded);
            let line = lines.line(&run, &recorded).unwrap_or_default();
            shown.push(anstream::adapter::strip_str(&line).to_string());
        }
        let expected = [
            "▸ 1. A",
            "▸ 2. B",
            "  1. A: done: held",
            "  2. B: done: held",
            "▸ 1. A",
            "  done: held",
        ];
        assert_eq!(shown, expected);
    }
}
