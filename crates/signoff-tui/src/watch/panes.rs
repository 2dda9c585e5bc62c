//! The lines of each pane.

use signoff_api::inbox::Item;
use signoff_api::run::RunStep;

use super::{Watch, WatchPane};
use crate::frame::{PaneLine, Tone};
use crate::text::{clock_time, lines, single_line, wrap};

impl Watch {
    pub(super) fn pane_names(&self) -> Vec<String> {
        let run = &self.data.run;
        let waiting = run.inbox.len() + usize::from(!run.held.is_empty());
        let inbox = match waiting {
            0 => "5 inbox".to_owned(),
            waiting => format!("5 inbox {waiting}"),
        };
        let names = ["1 step", "2 transcript", "3 contract", "4 graph"];
        names
            .into_iter()
            .map(str::to_owned)
            .chain([inbox])
            .collect()
    }

    pub(super) fn pane_lines(&self, width: usize) -> Vec<PaneLine> {
        let written = match self.pane {
            WatchPane::Step => self
                .step()
                .map(|step| self.step_lines(step))
                .unwrap_or_default(),
            WatchPane::Transcript => text_lines(
                &self.data.transcript,
                "no agent has said anything in this step",
            ),
            WatchPane::Contract => {
                text_lines(&self.data.contract, "the contract of this step has not run")
            }
            WatchPane::Graph => {
                return self
                    .data
                    .graph
                    .iter()
                    .map(|text| PaneLine::plain_line(single_line(text)))
                    .collect();
            }
            WatchPane::Inbox => self.inbox_lines(),
        };
        let wrapped = |written: PaneLine| {
            let parts = wrap(&written.text, width);
            parts
                .into_iter()
                .map(move |part| PaneLine::new(written.tone, part))
        };
        written.into_iter().flat_map(wrapped).collect()
    }

    fn step_lines(&self, step: &RunStep) -> Vec<PaneLine> {
        let mut out = vec![PaneLine::new(Tone::Strong, single_line(&step.title))];
        let mut put = |name: &str, text: Option<String>| {
            let text = text.filter(|text| !text.is_empty());
            out.extend(
                text.map(|text| PaneLine::plain_line(format!("{name}  {}", single_line(&text)))),
            );
        };
        put("status  ", Some(step.status.clone()));
        put("why     ", step.reason.clone());
        put("attempts", Some(step.attempts.to_string()));
        put("agent   ", step.agent.clone());
        put("model   ", step.model.clone());
        put(
            "evidence",
            step.evidence
                .map(|grade| format!("{grade:?}").to_lowercase()),
        );
        put("began   ", step.started_at.as_deref().map(clock_time));
        put("ended   ", step.ended_at.as_deref().map(clock_time));
        put("commit  ", step.commit.clone());
        let tail = self.data.transcript.iter().rev().take(8).rev();
        let tail: Vec<PaneLine> = tail
            .map(|text| PaneLine::new(Tone::Dim, single_line(text)))
            .collect();
        if !tail.is_empty() {
            out.push(PaneLine::plain_line(""));
            out.extend(tail);
        }
        out
    }

    fn inbox_lines(&self) -> Vec<PaneLine> {
        let run = &self.data.run;
        if run.inbox.is_empty() && run.held.is_empty() {
            return vec![PaneLine::new(Tone::Good, "nothing waits on you")];
        }
        let items = run.inbox.iter().enumerate();
        items
            .flat_map(|(at, item)| item_lines(item, at == self.item))
            .chain(held_lines(&run.held))
            .collect()
    }
}

/// Files that the person and the run both changed.
fn held_lines(held: &[String]) -> Vec<PaneLine> {
    if held.is_empty() {
        return Vec::new();
    }
    let files = held
        .iter()
        .map(|file| PaneLine::plain_line(single_line(file)));
    [PaneLine::new(Tone::Strong, "! held back")]
        .into_iter()
        .chain(files)
        .chain([PaneLine::new(
            Tone::Care,
            "  L  takes the run's version, or keeps yours",
        )])
        .collect()
}

fn item_lines(item: &Item, selected: bool) -> Vec<PaneLine> {
    let tone = if selected {
        Tone::Selected
    } else {
        Tone::Strong
    };
    let mut out = vec![PaneLine::new(
        tone,
        format!("? {}", single_line(&item.step)),
    )];
    out.extend(lines(&item.question).into_iter().map(PaneLine::plain_line));
    for choice in &item.choices {
        let meaning = item
            .meanings
            .get(choice)
            .map(String::as_str)
            .unwrap_or_default();
        out.push(PaneLine::new(
            Tone::Care,
            format!(
                "  {}  {}",
                single_line(choice),
                single_line(&on_the_screen(meaning))
            ),
        ));
    }
    out.push(PaneLine::plain_line(""));
    out
}

/// A meaning without the options of the command line: here a note is typed after the choice.
fn on_the_screen(meaning: &str) -> String {
    let typed = meaning.replace("`--note TEXT`", "what you type after it");
    typed
        .split("; `--args")
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn text_lines(all: &[String], none: &str) -> Vec<PaneLine> {
    if all.is_empty() {
        return vec![PaneLine::new(Tone::Dim, none)];
    }
    all.iter()
        .map(|text| PaneLine::plain_line(single_line(text)))
        .collect()
}
