//! The frame.

use ratatui_core::buffer::Buffer;
use signoff_api::plan::{Step, Work};

use super::Review;
use crate::Style;
use crate::frame::{Painter, PaneLine, Parts, Tone, first_row, tabs, too_small};
use crate::text::{single_line, truncate};

const KEYS: &str =
    "a sign  r reject  c comment  e edit  J/K move  x skip  tab pane  ? keys  q quit";

const HELP: &str = "j k ↑ ↓ g G   select a step
1 … 6, tab    open a pane; space, PgUp: scroll it
J K, alt+↑↓   move the step
x             leave the step out (`when: false`)
c  C          comment on the step, on the plan
d             resolve a comment
e             edit the text in $EDITOR
R             read the plan again
a             sign, with what `approve` asks
S             start, in a process of its own
r             reject, with feedback
q, esc        leave";

impl Review {
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
        let rows = self.step_rows(usize::from(parts.list.width));
        let first = first_row(self.selected, usize::from(parts.list.height));
        painter.lines(parts.list, &rows, first);
        let open = super::ReviewPane::ALL
            .iter()
            .position(|pane| *pane == self.pane);
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
        let last = lines.len().saturating_sub(usize::from(parts.detail.height));
        painter.lines(parts.detail, &lines, self.scroll.min(last));
        let prompt = self
            .prompt
            .as_ref()
            .map(|prompt| (prompt.label.as_str(), prompt.text.as_str()));
        painter.bottom(&parts, prompt, self.notice.as_ref(), KEYS);
    }

    fn title(&self) -> String {
        let plan = &self.data.plan;
        let version = plan
            .version
            .map(|version| format!(" · v{version}"))
            .unwrap_or_default();
        let differs = match &self.data.difference {
            Some(lines) if !lines.is_empty() => " · differs from signed",
            _ => "",
        };
        let title = single_line(plan.title.as_deref().unwrap_or("(no title)"));
        format!(
            " {title} · {}{version}{differs} · {}",
            plan.status,
            single_line(&self.data.file)
        )
    }

    fn step_rows(&self, width: usize) -> Vec<PaneLine> {
        let row = |(at, step): (usize, &Step)| {
            let flags = self.flags(step);
            let room = width.saturating_sub(flags.chars().count() + 1);
            let head = format!(
                " {:>2} {} {}",
                step.number,
                step_sign(step),
                single_line(&step.title)
            );
            let head = truncate(&head, room);
            let pad = room.saturating_sub(unicode_width::UnicodeWidthStr::width(head.as_str()));
            let text = format!("{head}{}{flags}", " ".repeat(pad));
            let tone = if at == self.selected {
                Tone::Selected
            } else if step.when.as_deref() == Some("false") {
                Tone::Dim
            } else {
                Tone::Plain
            };
            PaneLine::new(tone, text)
        };
        self.data.plan.steps.iter().enumerate().map(row).collect()
    }

    /// What one should look at: problems, comments, and that it asks.
    fn flags(&self, step: &Step) -> String {
        let mut flags = String::new();
        let of_step = |id: Option<&str>| id == Some(step.id.as_str());
        if self
            .data
            .problems
            .iter()
            .any(|problem| of_step(problem.step.as_deref()))
        {
            flags.push('!');
        }
        if self
            .open_comments()
            .any(|comment| of_step(comment.step.as_deref()))
        {
            flags.push('"');
        }
        if step.approval || !step.asks.is_empty() {
            flags.push('?');
        }
        flags
    }
}

/// What kind of work it is, or what became of it.
fn step_sign(step: &Step) -> char {
    match step.status.as_str() {
        "completed" | "done" => '✓',
        "running" | "verifying" => '●',
        "failed" => '✗',
        "skipped" => '–',
        _ if step.when.as_deref() == Some("false") => '–',
        _ => match step.work {
            Work::Agent { .. } => '○',
            Work::Tool { .. } => '◇',
            Work::Ask { .. } => '?',
            Work::Check => '□',
        },
    }
}
