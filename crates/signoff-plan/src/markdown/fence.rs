//! Fenced blocks and comments.

use std::borrow::Cow;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::source::{CommandText, Span, Spanned, first_line, text_from};

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    /// From the opening fence to the end of the closing one.
    pub(crate) span: Span,
    /// First word after the opening fence.
    pub(crate) language: Option<Spanned<String>>,
    /// The text inside, without the indentation of a list around it, with LF line ends.
    pub(crate) content: CommandText,
    /// Whether there is a closing fence.
    pub(crate) closed: bool,
}

/// What [`blocks`] finds.
#[derive(Debug, Default)]
pub(super) struct MarkdownBlocks {
    pub(super) fences: Vec<Fence>,
    pub(super) comments: Vec<Span>,
    pub(super) open_comments: Vec<Span>,
}

/// Finds the fenced blocks and comments of a body that begins at `offset` in the file.
pub(super) fn blocks(body: &str, offset: usize) -> MarkdownBlocks {
    let mut found = MarkdownBlocks::default();
    let mut inside: Option<Fence> = None;
    let plain = PlainBody::of(body);
    for (event, range) in Parser::new_ext(&plain.text, Options::empty()).into_offset_iter() {
        let local = Span::new(range.start, range.end);
        if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) = &event {
            inside = Some(fence_from_opening(
                body,
                local,
                &plain.original_text(info),
                offset,
            ));
        } else if matches!(event, Event::End(TagEnd::CodeBlock)) {
            found.fences.extend(inside.take());
        } else if let (Event::Text(text), Some(fence)) = (&event, inside.as_mut()) {
            // A lone carriage return ends a line too; a shell must never be handed one.
            fence.content.push(
                &plain.original_text(text).replace('\r', "\n"),
                local.shift(offset),
            );
            // A last line that is part of the text closes nothing, however it looks: it is indented.
            let rest = text_from(body, local.end);
            let end = fence.span.end.saturating_sub(offset + local.end);
            fence.closed &= rest.get(..end).is_some_and(|rest| !rest.trim().is_empty());
        } else if matches!(event, Event::Start(Tag::HtmlBlock)) {
            comment(body, local, offset, &mut found);
        }
    }
    found
}

/// A body that is as long and has no HTML but comments. A task may begin a line with `<?php` or `<pre>`: for markdown all
/// that follows is HTML then, up to an end that may never come, and for a plan it is the rest of the plan.
struct PlainBody<'a> {
    text: Cow<'a, str>,
    /// What stands for `<`.
    mark: Option<char>,
}

impl<'a> PlainBody<'a> {
    fn of(body: &'a str) -> Self {
        let is_html = |at: usize| !text_from(body, at).starts_with("<!--");
        let has_html = body.match_indices('<').any(|(at, _)| is_html(at));
        // Whoever uses all of them has markdown's view of HTML.
        let mut marks = ('\u{1}'..='\u{8}').chain('\u{e}'..='\u{1f}');
        let mark = marks.find(|mark| has_html && !body.contains(*mark));
        let Some(mark) = mark else {
            return Self {
                text: body.into(),
                mark: None,
            };
        };
        let plain = |(at, c)| if c == '<' && is_html(at) { mark } else { c };
        Self {
            text: body.char_indices().map(plain).collect(),
            mark: Some(mark),
        }
    }

    /// A part of it, as it was written.
    fn original_text(&self, part: &str) -> String {
        match self.mark {
            Some(mark) => part.replace(mark, "<"),
            None => part.to_owned(),
        }
    }
}

fn fence_from_opening(body: &str, local: Span, info: &str, offset: usize) -> Fence {
    let text = local.slice(body);
    Fence {
        span: Span::new(local.start, local.start + text.trim_end().len()).shift(offset),
        language: language(text, info, local.start + offset),
        content: CommandText::default(),
        closed: is_closed(text),
    }
}

fn language(block: &str, info: &str, start: usize) -> Option<Spanned<String>> {
    let word = info.split_whitespace().next()?;
    let line = first_line(block);
    let at = start + line.find(word).unwrap_or(0);
    Some(Spanned::new(
        word.to_owned(),
        Span::new(at, at + word.len()),
    ))
}

/// Whether the last line of a block is a fence that closes its first one.
fn is_closed(block: &str) -> bool {
    let mut lines = block.trim_end().lines();
    let Some(opening) = lines.next() else {
        return false;
    };
    let Some(mark) = opening.chars().next() else {
        return false;
    };
    let length = opening.len() - opening.trim_start_matches(mark).len();
    // Quote marks may stand before a closing fence inside a quotation.
    lines.next_back().is_some_and(|last| {
        let last = last.trim_matches([' ', '\t', '>', '\r']);
        last.len() >= length && last.chars().all(|c| c == mark)
    })
}

fn comment(body: &str, local: Span, offset: usize, found: &mut MarkdownBlocks) {
    let text = local.slice(body);
    if !text.trim_start().starts_with("<!--") {
        return;
    }
    found.comments.push(local.shift(offset));
    if !text.contains("-->") {
        let start = local.start + offset;
        found
            .open_comments
            .push(Span::new(start, start + "<!--".len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, content: &str, language: Option<&str>, closed: bool) {
        let blocks = blocks(body, 0);
        let fence = blocks.fences.first().expect("a fence");
        assert_eq!(fence.content.text, content);
        let found = fence.language.as_ref();
        assert_eq!(found.map(|word| word.value.as_str()), language);
        assert_eq!(found.map(|word| word.span.slice(body)), language);
        assert_eq!(fence.closed, closed);
    }

    #[test]
    fn content_is_what_the_shell_would_get() {
        check("```sh\na\n  b\n```\n", "a\n  b\n", Some("sh"), true);
        check("```\r\na\r\n\r\nb\r\n```\r\n", "a\n\nb\n", None, true);
        check(
            "- x\n  ~~~ bash title\n  a\n    b\n  ~~~\n",
            "a\n  b\n",
            Some("bash"),
            true,
        );
        check("> ```sh\n> a\n> ```\n", "a\n", Some("sh"), true);
        check("```sh\n```", "", Some("sh"), true);
        check("```\na\rb\n```", "a\nb\n", None, true);
    }

    #[test]
    fn html_hides_no_fence() {
        for html in ["<?php", "<pre>", "<script>", "<![CDATA[", "<div>\n", "a <?"] {
            let body = format!("{html}\n\n```s<h\n<b> \u{1} <?\n```\n<!-- c -->\n<!-- d");
            check(&body, "<b> \u{1} <?\n", Some("s<h"), true);
            let blocks = blocks(&body, 0);
            let found = (blocks.comments.len(), blocks.open_comments.len());
            assert_eq!(found, (2, 1), "{html}");
        }
        let every: String = ('\0'..' ').collect();
        blocks(&format!("<?\n{every}\n```\na\n```\n"), 0);
    }

    #[test]
    fn a_missing_closing_fence_is_noticed() {
        check("```sh\na\n", "a\n", Some("sh"), false);
        check("````sh\na\n```\n", "a\n```\n", Some("sh"), false);
        check("- x\n  ```\n  a\n\n# b\n", "a\n\n", None, false);
        check("```", "", None, false);
        check("```\n     ```\n", "     ```\n", None, false);
        check("```\na\n   ```\n", "a\n", None, true);
    }

    #[test]
    fn offsets_of_the_content_lead_back() {
        let body = "- x\n  ```\r\n  ab\r\n    cd\r\n  ```\r\n";
        let blocks = blocks(body, 0);
        let content = &blocks.fences[0].content;
        let at = content.text.find("cd").expect("cd");
        assert_eq!(content.source_span(Span::new(at, at + 2)).slice(body), "cd");
    }
}
