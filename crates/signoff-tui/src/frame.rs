//! What both screens are made of: a title, two panes, tabs, a line for messages and one for keys.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style as CellStyle};

use crate::text::{truncate, wrap};
use crate::{Notice, Style};

/// The most rows that a message takes from the panes.
const MESSAGE_ROWS: usize = 5;

/// What a line means, for its colour. The words say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Dim,
    Good,
    Care,
    Bad,
    Running,
    Selected,
}

/// A line of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PaneLine {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl PaneLine {
    pub(crate) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tone,
        }
    }

    pub(crate) fn plain_line(text: impl Into<String>) -> Self {
        Self::new(Tone::Plain, text)
    }
}

/// Draws into a buffer.
pub(crate) struct Painter<'b> {
    buffer: &'b mut Buffer,
    style: Style,
}

/// The parts of the screen.
pub(crate) struct Parts {
    pub(crate) title: Rect,
    pub(crate) list: Rect,
    pub(crate) detail: Rect,
    pub(crate) tabs: Rect,
    pub(crate) message: Rect,
    pub(crate) keys: Rect,
}

impl Parts {
    /// Side by side; the list gets three tenths, so that at 80 columns the names of all panes fit beside it.
    pub(crate) fn new(area: Rect) -> Self {
        let list = (area.width * 3 / 10).clamp(24, 48).min(area.width);
        let height = area.height.saturating_sub(4);
        let row = |y: u16| Rect::new(area.x, y.min(area.height.saturating_sub(1)), area.width, 1);
        Self {
            title: row(0),
            tabs: Rect::new(list + 1, 1, area.width.saturating_sub(list + 1), 1),
            list: Rect::new(0, 1, list, height + 1),
            detail: Rect::new(list + 1, 2, area.width.saturating_sub(list + 1), height),
            message: row(area.height.saturating_sub(2)),
            keys: row(area.height.saturating_sub(1)),
        }
    }
}

impl<'b> Painter<'b> {
    pub(crate) fn new(buffer: &'b mut Buffer, style: Style) -> Self {
        Self { buffer, style }
    }

    fn cells(&self, tone: Tone) -> CellStyle {
        let plain = CellStyle::default();
        let colour = |colour: Color| {
            if self.style.colour {
                plain.fg(colour)
            } else {
                plain
            }
        };
        match tone {
            Tone::Plain => plain,
            Tone::Strong => plain.add_modifier(Modifier::BOLD),
            Tone::Dim => plain.add_modifier(Modifier::DIM),
            Tone::Good => colour(Color::Green),
            Tone::Care => colour(Color::Yellow),
            Tone::Bad => colour(Color::Red),
            Tone::Running => colour(Color::Blue),
            Tone::Selected => plain.add_modifier(Modifier::REVERSED),
        }
    }

    /// One line, cut to its place. A selected one fills it.
    pub(crate) fn line(&mut self, at: Rect, text: &str, tone: Tone) {
        if at.height == 0 || at.y >= self.buffer.area.height {
            return;
        }
        let cells = self.cells(tone);
        let text = truncate(text, usize::from(at.width));
        self.buffer.set_string(at.x, at.y, &text, cells);
        if tone == Tone::Selected {
            self.buffer.set_style(at, cells);
        }
    }

    /// Lines one below the other, from `scroll` on, as many as there is room for.
    pub(crate) fn lines(&mut self, area: Rect, lines: &[PaneLine], scroll: usize) {
        let shown = lines.iter().skip(scroll).take(usize::from(area.height));
        for (row, line) in (0u16..).zip(shown) {
            let at = Rect::new(area.x, area.y + row, area.width, 1);
            self.line(at, &line.text, line.tone);
        }
    }

    /// The line between the panes.
    pub(crate) fn divider(&mut self, parts: &Parts) {
        let cells = self.cells(Tone::Dim);
        for y in parts.list.y..parts.list.y + parts.list.height {
            if y < self.buffer.area.height {
                self.buffer
                    .set_string(parts.list.x + parts.list.width, y, "│", cells);
            }
        }
    }

    /// The bottom lines: what was said last or is being typed, and the keys.
    pub(crate) fn bottom(
        &mut self,
        parts: &Parts,
        prompt: Option<(&str, &str)>,
        notice: Option<&Notice>,
        keys: &str,
    ) {
        match (prompt, notice) {
            (Some((label, text)), _) => {
                let width = usize::from(parts.message.width);
                let line = format!("{label} {text}▏");
                // The end of what is typed is what one looks at.
                let over = line.chars().count().saturating_sub(width);
                let line: String = line.chars().skip(over).collect();
                self.line(parts.message, &line, Tone::Strong);
            }
            (None, Some(Notice::Done(text))) => self.message(parts, text, Tone::Good),
            (None, Some(Notice::Failed(text))) => self.message(parts, text, Tone::Bad),
            (None, None) => {}
        }
        self.line(parts.keys, keys, Tone::Dim);
    }

    /// A message on the bottom line, and on those above it if it is longer: a reason that is cut off helps nobody.
    fn message(&mut self, parts: &Parts, text: &str, tone: Tone) {
        let width = usize::from(parts.message.width);
        let written = wrap(text, width);
        let above = written.len().min(MESSAGE_ROWS) - 1;
        let first = (parts.message.y).saturating_sub(u16::try_from(above).unwrap_or(0));
        for (row, text) in (first..=parts.message.y).zip(&written) {
            let at = Rect::new(parts.message.x, row, parts.message.width, 1);
            self.line(at, &" ".repeat(width), Tone::Plain);
            self.line(at, text, tone);
        }
    }
}

/// Names of panes in a row, the open one in brackets.
pub(crate) fn tabs(names: &[String], open: usize) -> String {
    let name = |(at, name): (usize, &String)| {
        if at == open {
            format!("[{name}]")
        } else {
            name.clone()
        }
    };
    let names: Vec<String> = names.iter().enumerate().map(name).collect();
    names.join(" ")
}

/// A sentence for a screen on which nothing can be read.
pub(crate) fn too_small(area: Rect) -> Option<&'static str> {
    (area.width < 60 || area.height < 12).then_some("the terminal is too small: 60×12 at least")
}

/// The first row that is shown so that the selected one is visible.
pub(crate) fn first_row(selected: usize, height: usize) -> usize {
    (selected + 1).saturating_sub(height.max(1))
}
