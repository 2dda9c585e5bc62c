//! Colours and safe text. `Terminal` strips the colours if they are not wanted.

use std::fmt;

use anstyle::{AnsiColor, Style};
pub(crate) use signoff_page::words::sanitize::{escape_command, escape_file_name, sanitize};

pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const CARE: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const TITLE: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// Text in a style.
pub(crate) fn paint<T: fmt::Display>(style: Style, text: T) -> impl fmt::Display {
    Painted { style, text }
}

struct Painted<T> {
    style: Style,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}",
            self.style.render(),
            self.text,
            self.style.render_reset()
        )
    }
}
