//! Diagnostics for people: the text with a caret under it, as rustc shows it.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet};
use signoff_plan::diagnostic::{Diagnostic, Severity};
use signoff_plan::source::{Source, Span};
use signoff_plan::visible::hidden_reason;

use crate::style::{HINT, paint};

/// One diagnostic with the lines it is about.
pub(crate) fn render(diagnostic: &Diagnostic, source: &Source) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let windows = windows(diagnostic, source);
    let mut main = level
        .primary_title(sanitize_lines(&diagnostic.message))
        .id(diagnostic.code.as_str())
        .elements(Vec::<Element<'_>>::new());
    for window in &windows {
        main = main.elements(window.elements(diagnostic));
    }
    if let (Some(help), None) = (&diagnostic.help, &diagnostic.fix) {
        main = main.element(Level::HELP.message(help.as_str()));
    }
    let mut report = vec![main];
    let window = diagnostic
        .fix
        .as_ref()
        .map(|fix| Window::for_span(fix.span, source));
    if let (Some(fix), Some(window)) = (&diagnostic.fix, &window) {
        let title = diagnostic.help.as_deref().unwrap_or("this would solve it");
        let patch = Snippet::source(window.text.as_str())
            .line_start(window.first_line)
            .path(window.name.as_str())
            .patch(Patch::new(window.range(fix.span), fix.text.as_str()));
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
    format!(
        "{}:{line}:{column}: {}[{}]: {}",
        source.name_at(diagnostic.span.start),
        diagnostic.severity,
        diagnostic.code,
        sanitize_lines(&diagnostic.message)
    )
}

/// The same for somebody who is about to sign or run the plan, with what to do about it.
pub(crate) fn for_signer(diagnostic: &Diagnostic, source: &Source) -> String {
    let problem = concise(diagnostic, source);
    match &diagnostic.help {
        Some(help) => format!("{problem}\n  {} {}", paint(HINT, "→"), sanitize_lines(help)),
        None => problem,
    }
}

/// Positions further apart than this are shown in two windows.
const APART: usize = 4096;

/// Longer lines are cut.
const LONGEST: usize = 2048;

/// The lines of one file that a diagnostic is about. Rendering a whole large plan for each of its problems would take
/// quadratic time.
struct Window<'a> {
    source: &'a Source,
    annotations: Vec<Annotation<'a>>,
    name: String,
    text: String,
    start: usize,
    first_line: usize,
    /// The text begins inside its line, so the renderer cannot count columns.
    cut: bool,
}

/// The windows of a diagnostic: near positions share one, positions in different files do not; the one with the caret
/// comes first.
fn windows<'a>(diagnostic: &'a Diagnostic, source: &'a Source) -> Vec<Window<'a>> {
    let caret = Annotation {
        span: diagnostic.span,
        label: diagnostic.label.as_deref(),
        kind: AnnotationKind::Primary,
    };
    let related = diagnostic.related.iter();
    let mut annotations: Vec<Annotation<'_>> = related
        .map(|(span, note)| Annotation {
            span: *span,
            label: Some(note.as_str()),
            kind: AnnotationKind::Context,
        })
        .chain([caret])
        .collect();
    annotations.sort_by_key(|one| one.span);
    let mut groups: Vec<(Span, Vec<Annotation<'_>>)> = Vec::new();
    for annotation in annotations {
        let span = annotation.span;
        match groups.last_mut() {
            Some((whole, group))
                if span.start <= whole.end.saturating_add(APART)
                    && file_at(source, span.start) == file_at(source, whole.start) =>
            {
                *whole = whole.to(span);
                group.push(annotation);
            }
            _ => groups.push((span, vec![annotation])),
        }
    }
    let has_caret =
        |group: &[Annotation<'_>]| group.iter().any(|one| one.kind == AnnotationKind::Primary);
    groups.sort_by_key(|(_, group)| !has_caret(group));
    groups
        .into_iter()
        .map(|(span, annotations)| Window {
            annotations,
            ..Window::for_span(span, source)
        })
        .collect()
}

/// A span with its label; the primary one has the caret.
struct Annotation<'a> {
    span: Span,
    label: Option<&'a str>,
    kind: AnnotationKind,
}

/// The bytes of the file that an offset stands in.
fn file_at(source: &Source, offset: usize) -> Span {
    let parts = source.parts();
    let after = parts.partition_point(|part| part.span.start <= offset);
    parts
        .get(after.saturating_sub(1))
        .map_or(Span::new(0, source.bytes().len()), |part| part.span)
}

impl<'a> Window<'a> {
    fn for_span(span: Span, source: &'a Source) -> Self {
        let text = source.text();
        let file = file_at(source, span.start);
        let end = char_boundary(text, file.end);
        let mut begin = char_boundary(text, file.start);
        if text[begin..].starts_with('\u{feff}') {
            begin = char_boundary(text, begin + '\u{feff}'.len_utf8());
        }
        let begin = begin.min(end);
        let from = char_boundary(text, span.start.clamp(begin, end));
        let to = char_boundary(text, span.end.clamp(from, end));
        let mut start = text[begin..from]
            .rfind('\n')
            .map_or(begin, |at| begin + at + 1);
        let mut stop = text[to..end].find('\n').map_or(end, |at| to + at);
        let cut = from - start > LONGEST;
        if cut {
            start = char_boundary(text, from - LONGEST / 16).max(start);
        }
        stop = char_boundary(text, stop.min(to + LONGEST)).max(to);
        let (first_line, _) = source.line_column(start);
        Self {
            source,
            annotations: Vec::new(),
            name: source.name_at(span.start),
            text: sanitize_keeping_spans(&text[start..stop]),
            start,
            first_line,
            cut,
        }
    }

    /// The text with its annotations.
    fn elements(&self, diagnostic: &Diagnostic) -> Vec<Element<'_>> {
        let mut elements: Vec<Element<'_>> = Vec::new();
        let mut snippet = Snippet::source(self.text.as_str()).line_start(self.first_line);
        if self.cut {
            let (line, column) = self.source.line_column(diagnostic.span.start);
            let origin = Origin::path(self.name.as_str())
                .line(line)
                .char_column(column);
            elements.push(origin.into());
        } else {
            snippet = snippet.path(self.name.as_str());
        }
        for Annotation { span, label, kind } in &self.annotations {
            snippet = snippet.annotation(kind.span(self.range(*span)).label(*label));
        }
        elements.push(snippet.into());
        elements
    }

    /// A span inside the window, on character boundaries: the renderer accepts nothing else.
    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let clamp = |offset: usize| {
            char_boundary(
                &self.text,
                offset.saturating_sub(self.start).min(self.text.len()),
            )
        };
        let start = clamp(span.start);
        start..clamp(span.end).max(start)
    }
}

fn char_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Replaces what a terminal would act on, byte for byte, so that every span stays where it is.
fn sanitize_keeping_spans(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\r' {
            safe.push(' ');
        } else if hidden_reason(c).is_some() {
            let filler = if c.len_utf8() == 3 { "\u{fffd}" } else { "?" };
            let count = c.len_utf8() / filler.len();
            safe.extend(std::iter::repeat_n(filler, count));
        } else {
            safe.push(c);
        }
    }
    safe
}

fn sanitize_lines(text: &str) -> String {
    signoff_plan::visible::escape_text(text).into_owned()
}
