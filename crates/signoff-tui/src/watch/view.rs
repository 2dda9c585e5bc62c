//! The frame.

use ratatui_core::buffer::Buffer;
use signoff_api::run::RunStep;

use super::{Watch, WatchPane};
use crate::Style;
use crate::frame::{Painter, PaneLine, Parts, Tone, first_row, tabs, too_small};
use crate::text::single_line;

const KEYS: &str = "p pause  s stop  r resume  t retry  x skip  i inbox  a answer  ? keys  q leave";

/// Of a run that has ended.
const KEYS_OF_ENDED: &str = "L land  U undo  1 … 5 panes  i inbox  a answer  ? keys  q leave";

const HELP: &str = "j k ↑ ↓   select a step, or an item of the inbox
1 … 5     open a pane (tab: the next)
PgUp PgDn scroll; G: back to the end
f         follow the step that is at work
p  s      pause: nothing new starts; stop: agents too
r         resume, in a process of its own
t  x      retry or skip the step
A         abort: the run ends as failed
L         land: its changes come into your checkout
U         undo: they are taken out of it again
i  a      the inbox; answer the selected item
q         leave: the run goes on";

impl Watch {
    /// Draws the screen.
    pub fn draw(&self, buffer: &mut Buffer, style: Style) {
        let area = buffer.area;
        let parts = Parts::new(area);
        let mut painter = Painter::new(buffer, style);
        if let Some(sentence) = too_small(area) {
            painter.line(area, sentence, Tone::Care);
            return;
        }
        painter.line(parts.title, &self.title(), Tone::Strong);
        painter.divider(&parts);
        let first = first_row(self.selected, usize::from(parts.list.height));
        painter.lines(parts.list, &self.step_rows(), first);
        let open = WatchPane::ALL.iter().position(|pane| *pane == self.pane);
        painter.line(
            parts.tabs,
            &tabs(&self.pane_names(), open.unwrap_or(0)),
            Tone::Dim,
        );
        let lines = if self.help {
            HELP.lines().map(PaneLine::plain_line).collect()
        } else {
            self.pane_lines(usize::from(parts.detail.width))
        };
        painter.lines(
            parts.detail,
            &lines,
            self.first_line(&lines, usize::from(parts.detail.height)),
        );
        let prompt = self
            .prompt
            .as_ref()
            .map(|prompt| (prompt.label.as_str(), prompt.text.as_str()));
        let keys = match self.data.run.outcome {
            Some(_) => KEYS_OF_ENDED,
            None => KEYS,
        };
        painter.bottom(&parts, prompt, self.notice.as_ref(), keys);
    }

    /// Streams are read from their end, all else from its beginning.
    fn first_line(&self, lines: &[PaneLine], height: usize) -> usize {
        let last = lines.len().saturating_sub(height);
        match self.pane {
            WatchPane::Transcript | WatchPane::Contract if !self.help => {
                last.saturating_sub(self.back)
            }
            _ => self.back.min(last),
        }
    }

    fn title(&self) -> String {
        let run = &self.data.run;
        let ended =
            |step: &&RunStep| matches!(step.status.as_str(), "completed" | "failed" | "skipped");
        let done = run.steps.iter().filter(ended).count();
        let usd = run.usage.as_ref().and_then(|usage| usage.total.usd);
        let usd = usd.map(|usd| format!(" · ${usd:.2}")).unwrap_or_default();
        let state = match run.paused {
            Some(_) if run.outcome.is_none() => "paused",
            _ => run.status.as_str(),
        };
        let settled = match &run.landed {
            _ if run.undone => " · undone",
            Some(_) => " · landed",
            None => "",
        };
        format!(
            " {} · {state}{settled} · {done}/{}{usd} · {}",
            single_line(&run.title),
            run.steps.len(),
            run.run
        )
    }

    fn step_rows(&self) -> Vec<PaneLine> {
        let row = |(at, step): (usize, &RunStep)| {
            let (sign, tone) = step_sign(step);
            let attempts = if step.attempts > 1 {
                format!(" ×{}", step.attempts)
            } else {
                String::new()
            };
            let text = format!(" {sign} {}{attempts}", single_line(&step.title));
            PaneLine::new(
                if at == self.selected {
                    Tone::Selected
                } else {
                    tone
                },
                text,
            )
        };
        self.data.run.steps.iter().enumerate().map(row).collect()
    }
}

/// What became of a step.
fn step_sign(step: &RunStep) -> (char, Tone) {
    match step.status.as_str() {
        "completed" => ('✓', Tone::Good),
        "running" | "verifying" => ('●', Tone::Running),
        "waiting" => ('?', Tone::Care),
        "failed" => ('✗', Tone::Bad),
        "skipped" => ('–', Tone::Dim),
        "blocked" => ('!', Tone::Care),
        _ => ('○', Tone::Plain),
    }
}
