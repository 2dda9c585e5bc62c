//! What is wrong with a plan, where, and what to do about it.
//!
//! Wording lives with each check in [`crate::check`]; rendering is the caller's.

mod code;

use std::fmt;

pub use self::code::Code;
use crate::source::{Span, Spanned};
use crate::spelling::Dialect;
use crate::visible;

/// One problem of a plan. The message stands alone; everything else helps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which check it is.
    pub code: Code,
    /// Whether it stops signing.
    pub severity: Severity,
    /// One line: lower case, names in back-ticks.
    pub message: String,
    /// Where to put the caret.
    pub span: Span,
    /// A few words for beside the caret.
    pub label: Option<String>,
    /// Other places that belong to the problem, each with a few words.
    pub related: Vec<(Span, String)>,
    /// Id of the step it is about.
    pub step: Option<String>,
    /// The next move.
    pub help: Option<String>,
    /// An edit that would solve it.
    pub fix: Option<Fix>,
    /// What would have to be given for it not to be there.
    pub(crate) lack: Option<MissingFieldScope>,
    /// Whether the rest of the file was not read, so that missing parts cannot be reported.
    pub(crate) cuts_off: bool,
}

/// Fields, by their native names, of which one is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingFieldScope {
    /// In the step that the problem is about, or in the plan if it is about none.
    Here(&'static [&'static str]),
    /// In the plan or in whatever step.
    Anywhere(&'static [&'static str]),
}

impl Diagnostic {
    /// A problem with the severity its code has in this dialect.
    pub fn new(code: Code, dialect: Dialect, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(dialect),
            message: one_line(&message.into()),
            span,
            label: None,
            related: Vec::new(),
            step: None,
            help: None,
            fix: None,
            lack: None,
            cuts_off: false,
        }
    }

    /// Adds a few words for beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds another place that belongs to the problem.
    #[must_use]
    pub fn with_related(mut self, span: Span, note: impl Into<String>) -> Self {
        self.related.push((span, note.into()));
        self
    }

    /// Names the step it is about.
    #[must_use]
    pub fn step(mut self, id: impl Into<String>) -> Self {
        self.step = Some(id.into());
        self
    }

    /// Adds the next move.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(one_line(&help.into()));
        self
    }

    /// Adds an edit that would solve it.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(Fix {
            span,
            text: text.into(),
        });
        self
    }

    /// Says that one of these fields, by their native names, is not given: where its name is misspelt,
    /// that says it all.
    #[must_use]
    pub(crate) fn with_missing_field(mut self, lack: MissingFieldScope) -> Self {
        self.lack = Some(lack);
        self
    }

    /// Says that what stands behind it was not read.
    #[must_use]
    pub(crate) fn cutting_off(mut self, rest: bool) -> Self {
        self.cuts_off = rest;
        self
    }

    /// Suggests a name for a part of a value: the caret goes there, unless the value is written in some
    /// other way than it is read.
    #[must_use]
    pub(crate) fn suggest_in(mut self, value: &Spanned<String>, part: Span, name: &str) -> Self {
        if value.value.len() == value.span.len() {
            self.span = part.shift(value.span.start);
            return self.suggest(Some(name));
        }
        self.help(format!("did you mean `{name}`?"))
    }

    /// Adds "did you mean" with its edit, if there is a name to suggest.
    #[must_use]
    pub fn suggest(self, suggestion: Option<&str>) -> Self {
        match suggestion {
            Some(name) => {
                let span = self.span;
                self.help(format!("did you mean `{name}`?")).fix(span, name)
            }
            None => self,
        }
    }
}

/// Text that quotes a plan, fit for one line of a terminal: plans may hold escape sequences, characters
/// that turn a text around, and values of any length.
fn one_line(text: &str) -> String {
    const LENGTH: usize = 400;
    let start: String = text
        .chars()
        .take(LENGTH)
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    let mut clean = visible::escape_text(&start).into_owned();
    if start.len() < text.len() {
        clean.push('…');
    }
    clean
}

/// Replaces a span by a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// What is replaced; empty = insert before it.
    pub span: Span,
    /// What is written there.
    pub text: String,
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Stops signing.
    Error,
    /// Worth a look; does not stop signing.
    Warning,
    /// Good to know; nothing is wrong.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Puts problems into the order a reader meets them, the same every time, each once.
pub(crate) fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (a.span, a.severity, a.code)
            .cmp(&(b.span, b.severity, b.code))
            .then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_clean_line() {
        let message = format!("`a\n\t\u{202e}\u{1b}[31m{}`", "x".repeat(500));
        let problem = Diagnostic::new(Code::BadId, Dialect::Workunit, Span::at(0), message);
        assert!(problem.message.starts_with("`a  \\u{202e}\\u{1b}[31mxxx"));
        assert!(problem.message.ends_with("x…"));
    }

    #[test]
    fn problems_are_sorted_by_position_and_said_once() {
        let at = |code, start| Diagnostic::new(code, Dialect::Workunit, Span::at(start), "x");
        let mut list = vec![
            at(Code::NoSteps, 9),
            at(Code::BadId, 3),
            at(Code::NoSteps, 9),
            at(Code::BadExpect, 9),
        ];
        sort(&mut list);
        let codes: Vec<_> = list.iter().map(|problem| problem.code.as_str()).collect();
        assert_eq!(codes, ["bad-id", "bad-expect", "no-steps"]);
    }
}
