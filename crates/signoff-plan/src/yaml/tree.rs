//! From parser events to the tree.

use std::collections::{BTreeMap, BTreeSet};

use granit_parser::{Event, Parser, ScalarStyle};

use super::anchors::AnchoredValues;
use crate::node::{Entry, Node, NodeKind, Problem};
use crate::source::{Span, Spanned, text_up_to};

/// How deep collections may nest.
pub(super) const DEPTH: usize = 64;

/// Reads one YAML document whose first byte stands at `offset` in the file.
///
/// `None` = there is nothing, or it could not be read at all.
pub(crate) fn parse(text: &str, offset: usize) -> (Option<Node>, Vec<Problem>) {
    run(text, offset, None)
}

/// The same, but the items of the list that the first level has under `key` are handed over as they come:
/// a large plan is mostly these, and its tree would be larger than what is made of it.
pub(crate) fn parse_items<'a>(
    text: &'a str,
    offset: usize,
    key: &'a str,
    each: &'a mut dyn FnMut(Node),
) -> (Option<Node>, Vec<Problem>) {
    run(text, offset, Some((key, each)))
}

/// A key, and who takes the items of its list.
type Items<'a> = (&'a str, &'a mut dyn FnMut(Node));

fn run<'a>(text: &'a str, offset: usize, items: Option<Items<'a>>) -> (Option<Node>, Vec<Problem>) {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_comments: false,
        disallow_directives: true,
        flow_nesting_limit: DEPTH,
        block_nesting_limit: DEPTH,
    };
    let mut builder = Builder {
        text,
        offset,
        stack: Vec::new(),
        root: None,
        documents: 0,
        problems: Vec::new(),
        repeated: BTreeMap::new(),
        items,
        anchors: AnchoredValues::default(),
    };
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(0);
                let (span, message) = syntax_error(text, at, &error.info());
                builder.problem(span, message);
                if let Some(problem) = builder.problems.last_mut() {
                    problem.last = true;
                }
                break;
            }
        }
    }
    builder.finish(text.len())
}

/// Where the parser stumbled and why, in our words where its own say little.
fn syntax_error(text: &str, at: usize, info: &str) -> (Span, String) {
    let at = text.floor_char_boundary(at);
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    let span = Span::new(at, at + next.map_or(0, char::len_utf8));
    if info.contains("recursion limit") {
        return (span, format!("values are nested more than {DEPTH} deep"));
    }
    if info.contains("tab")
        && let Some(tab) = indenting_tab(text, at)
    {
        let why = "a tab stands in the indentation, which YAML does not allow: write spaces";
        return (Span::new(tab, tab + 1), why.to_owned());
    }
    (span, info.to_owned())
}

/// The tab that indents the line of a span, or the line after it.
fn indenting_tab(text: &str, at: usize) -> Option<usize> {
    let start = text.get(..at)?.rfind('\n').map_or(0, |end| end + 1);
    let mut from = start;
    for line in text.get(start..)?.split_inclusive('\n').take(2) {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line.get(..indent).and_then(|indent| indent.find('\t')) {
            return Some(from + tab);
        }
        from += line.len();
    }
    None
}

struct Builder<'a> {
    text: &'a str,
    offset: usize,
    stack: Vec<OpenCollection>,
    root: Option<Node>,
    documents: usize,
    problems: Vec<Problem>,
    /// What is refused wherever it stands: where it was reported first, and how often it occurred again.
    repeated: BTreeMap<&'static str, (usize, usize)>,
    items: Option<Items<'a>>,
    anchors: AnchoredValues,
}

/// A collection whose end has not come yet.
enum OpenCollection {
    Sequence {
        start: usize,
        anchor: usize,
        items: Vec<Node>,
    },
    Mapping {
        start: usize,
        anchor: usize,
        entries: Vec<Entry>,
        /// The keys so far, once they are many.
        names: BTreeSet<String>,
        key: Option<PendingKey>,
    },
}

/// A key whose value has not come yet.
struct PendingKey {
    name: Spanned<String>,
    /// The first value of a duplicate key is kept.
    dropped: bool,
}

impl Builder<'_> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the parser's events are non-exhaustive; the rest is no data"
    )]
    fn event(&mut self, event: Event<'_>, span: granit_parser::Span) {
        let span = Span::new(
            span.start.byte_offset().unwrap_or(0),
            span.end.byte_offset().unwrap_or(0),
        );
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents == 2 {
                    self.problem(span, "there is more than one document");
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                let mut node = scalar(&text, style, span.shift(self.offset));
                self.anchors.remember(anchor, &mut node);
                self.node(node);
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                self.stack.push(OpenCollection::Sequence {
                    start: span.start,
                    anchor,
                    items: Vec::new(),
                });
            }
            Event::MappingStart(_, anchor, tag) => {
                self.refuse_tag(tag.is_some(), span);
                self.stack.push(OpenCollection::Mapping {
                    start: span.start,
                    anchor,
                    entries: Vec::new(),
                    names: BTreeSet::new(),
                    key: None,
                });
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span.end),
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::UnresolvedAlias(_) => self.alias(0, span),
            _ => {}
        }
    }

    /// What an alias stands for, at the place of the alias.
    fn alias(&mut self, anchor: usize, span: Span) {
        let at = span.shift(self.offset);
        let node = match self.anchors.expand(anchor, at, self.stack.len()) {
            Ok(node) => node,
            Err(why) => {
                self.refuse(span, why);
                Node::new(at, NodeKind::Null)
            }
        };
        self.node(node);
    }

    fn refuse_tag(&mut self, tag: bool, span: Span) {
        if tag {
            let span = self.before(span, '!');
            self.refuse(span, "tags are not read here");
        }
    }

    /// The word that begins with a sign and stands right before a value, else the value.
    fn before(&self, value: Span, sign: char) -> Span {
        let mut text = text_up_to(self.text, value.start);
        // An anchor and a tag may both be there, in any order.
        for _ in 0..2 {
            text = text.trim_ascii_end();
            // Only these part words in YAML: other white space may be in a name, and is longer than a byte.
            let start = text.rfind([' ', '\t', '\r', '\n']).map_or(0, |at| at + 1);
            let (rest, word) = text.split_at(start);
            if word.starts_with(sign) {
                return Span::new(start, start + word.len());
            }
            text = rest;
        }
        value
    }

    /// Refuses something that may occur in many places; it is reported once.
    fn refuse(&mut self, span: Span, message: &'static str) {
        match self.repeated.get_mut(message) {
            Some((_, more)) => *more += 1,
            None => {
                self.repeated.insert(message, (self.problems.len(), 0));
                self.problem(span, message);
            }
        }
    }

    fn problem(&mut self, span: Span, message: impl Into<String>) {
        self.problems.push(Problem {
            span: span.shift(self.offset),
            message: message.into(),
            last: false,
        });
    }

    fn close(&mut self, end: usize) {
        let (start, anchor, kind) = match self.stack.pop() {
            Some(OpenCollection::Sequence {
                start,
                anchor,
                items,
            }) => (start, anchor, NodeKind::Sequence(items)),
            Some(OpenCollection::Mapping {
                start,
                anchor,
                entries,
                ..
            }) => (start, anchor, NodeKind::Mapping(entries)),
            None => return,
        };
        let mut node = Node::new(Span::new(start, end).shift(self.offset), kind);
        self.anchors.remember(anchor, &mut node);
        self.node(node);
    }

    /// Puts a finished node where it belongs.
    fn node(&mut self, node: Node) {
        if let Some((wanted, each)) = &mut self.items
            && let [
                OpenCollection::Mapping { key: Some(key), .. },
                OpenCollection::Sequence { .. },
            ] = self.stack.as_slice()
            && !key.dropped
            && key.name.value == *wanted
            && self.documents <= 1
        {
            return each(node);
        }
        match self.stack.last_mut() {
            None => {
                if self.documents <= 1 {
                    self.root.get_or_insert(node);
                }
            }
            Some(OpenCollection::Sequence { items, .. }) => items.push(node),
            Some(OpenCollection::Mapping {
                entries,
                names,
                key,
                ..
            }) => match key.take() {
                None => {
                    let (new, problem) = key_of(node, entries, names);
                    *key = Some(new);
                    self.problems.extend(problem);
                }
                Some(PendingKey { dropped: true, .. }) => {}
                Some(PendingKey { name, .. }) => entries.push(Entry {
                    key: name,
                    value: node,
                }),
            },
        }
    }

    /// Closes what a broken document left open, so that what was read is not lost.
    fn finish(mut self, end: usize) -> (Option<Node>, Vec<Problem>) {
        while !self.stack.is_empty() {
            self.close(end);
        }
        for (at, more) in self.repeated.into_values().filter(|(_, more)| *more > 0) {
            if let Some(problem) = self.problems.get_mut(at) {
                problem.message = format!("{} (and {more} more)", problem.message);
            }
        }
        (self.root, self.problems)
    }
}

fn scalar(text: &str, style: ScalarStyle, span: Span) -> Node {
    let plain = style == ScalarStyle::Plain;
    let kind = if plain && (span.is_empty() || text == "~") {
        NodeKind::Null
    } else {
        NodeKind::Scalar {
            text: text.to_owned(),
            plain,
        }
    };
    Node::new(span, kind)
}

/// Up to so many keys are looked through; most mappings have no more.
const FEW: usize = 32;

/// Whether a mapping has this key already.
fn is_repeated(name: &str, entries: &[Entry], names: &mut BTreeSet<String>) -> bool {
    if entries.len() < FEW {
        return entries.iter().any(|entry| entry.key.value == name);
    }
    if names.is_empty() {
        names.extend(entries.iter().map(|entry| entry.key.value.clone()));
    }
    !names.insert(name.to_owned())
}

fn is_plain(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Scalar { plain: true, .. })
}

fn key_of(
    node: Node,
    entries: &[Entry],
    names: &mut BTreeSet<String>,
) -> (PendingKey, Option<Problem>) {
    let span = node.span;
    let text = node.text();
    let message = match &text {
        None => Some("a key must be text".to_owned()),
        Some(name) if name.value == "<<" && is_plain(&node) => {
            Some("merge keys (`<<`) are not read here; write the fields again".to_owned())
        }
        Some(name) if is_repeated(&name.value, entries, names) => {
            Some(format!("`{}` is given twice", name.value))
        }
        Some(_) => None,
    };
    let key = PendingKey {
        dropped: message.is_some(),
        name: text.unwrap_or_default(),
    };
    (
        key,
        message.map(|message| Problem {
            span,
            message,
            last: false,
        }),
    )
}

#[cfg(test)]
mod tests;
