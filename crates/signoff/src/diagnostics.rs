//! Diagnostics for people: the text with a caret under it, as rustc shows it.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::source::{Source, Span};

/// One diagnostic with the lines it is about.
pub(crate) fn render(diagnostic: &Diagnostic, source: &Source) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let window = Window::around(diagnostic, source);
    let snippet = Snippet::source(&window.text)
        .line_start(window.first_line)
        .path(source.name())
        .annotation(
            AnnotationKind::Primary
                .span(window.place(diagnostic.span))
                .label(diagnostic.label.as_deref()),
        )
        .annotations(diagnostic.related.iter().map(|(span, note)| {
            AnnotationKind::Context
                .span(window.place(*span))
                .label(note.as_str())
        }));
    let mut main = level
        .primary_title(harmless_lines(&diagnostic.message))
        .id(diagnostic.code.as_str())
        .element(snippet);
    let mut report = Vec::new();
    if let (Some(help), None) = (&diagnostic.help, &diagnostic.fix) {
        main = main.element(Level::HELP.message(help.as_str()));
    }
    report.push(main);
    if let Some(fix) = &diagnostic.fix {
        let title = diagnostic.help.as_deref().unwrap_or("this would solve it");
        let patch = Snippet::source(&window.text)
            .line_start(window.first_line)
            .path(source.name())
            .patch(Patch::new(window.place(fix.span), fix.text.as_str()));
        report.push(Group::with_title(Level::HELP.secondary_title(title)).element(patch));
    }
    // The terminal strips the styles where they are not wanted.
    Renderer::styled()
        .decor_style(DecorStyle::Ascii)
        .render(&report)
}

/// `file:line:column: severity[code]: message`
pub(crate) fn concise(diagnostic: &Diagnostic, source: &Source) -> String {
    let (line, column) = source.line_column(diagnostic.span.start);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let code = diagnostic.code.as_str();
    format!(
        "{}:{line}:{column}: {severity}[{code}]: {}",
        source.name(),
        harmless_lines(&diagnostic.message)
    )
}

/// The lines a diagnostic speaks of: rendering the whole of a large plan for each of its problems
/// would take time that grows with the square of its size.
struct Window {
    text: String,
    start: usize,
    first_line: usize,
}

impl Window {
    fn around(diagnostic: &Diagnostic, source: &Source) -> Self {
        let text = source.text();
        let mut spans: Vec<Span> = vec![diagnostic.span];
        spans.extend(diagnostic.related.iter().map(|(span, _)| *span));
        spans.extend(diagnostic.fix.iter().map(|fix| fix.span));
        let from = spans
            .iter()
            .map(|span| span.start)
            .min()
            .unwrap_or(0)
            .min(text.len());
        let to = spans
            .iter()
            .map(|span| span.end)
            .max()
            .unwrap_or(0)
            .clamp(from, text.len());
        let from = boundary(text, from);
        let to = boundary(text, to);
        let start = text[..from].rfind('\n').map_or(0, |at| at + 1);
        let end = text[to..].find('\n').map_or(text.len(), |at| to + at);
        let (first_line, _) = source.line_column(start);
        Self {
            text: same_length_harmless(&text[start..end]),
            start,
            first_line,
        }
    }

    /// A span inside the window, on character boundaries: the renderer accepts nothing else.
    fn place(&self, span: Span) -> std::ops::Range<usize> {
        let clamp = |offset: usize| {
            boundary(
                &self.text,
                offset.saturating_sub(self.start).min(self.text.len()),
            )
        };
        let start = clamp(span.start);
        start..clamp(span.end).max(start)
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Replaces what a terminal would act on, byte for byte, so that every span stays where it is.
fn same_length_harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            let filler = if c == '\r' { " " } else { "?" };
            safe.extend(std::iter::repeat_n(filler, c.len_utf8()));
        } else {
            safe.push(c);
        }
    }
    safe
}

fn harmless_lines(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}
