//! Comments inside a value, which an edit of the value must not take away.

use super::{Node, NodeKind};
use crate::source::Span;

impl Node {
    /// Whether a comment stands inside, which is not where the mark of a block of text is; `source` is the text that places count from.
    pub(crate) fn has_comment(&self, source: &str) -> bool {
        let mut gaps = CommentScan {
            source,
            at: self.span.start,
            comment: false,
        };
        gaps.node(self);
        gaps.up_to(self.span.end);
        gaps.comment
    }
}

/// What stands between the texts of a value: in a text `#` does not begin a comment.
struct CommentScan<'a> {
    source: &'a str,
    at: usize,
    comment: bool,
}

impl CommentScan<'_> {
    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Null | NodeKind::Scalar { .. } => self.text(node.span),
            NodeKind::Sequence(items) => items.iter().for_each(|item| self.node(item)),
            NodeKind::Mapping(entries) => {
                for entry in entries {
                    self.text(entry.key.span);
                    self.node(&entry.value);
                }
            }
        }
    }

    fn text(&mut self, span: Span) {
        self.up_to(span.start);
        self.at = self.at.max(span.end);
    }

    fn up_to(&mut self, end: usize) {
        self.comment |= Span::new(self.at, end).slice(self.source).contains('#');
    }
}

#[cfg(test)]
mod tests {
    use crate::yaml::parse;

    #[track_caller]
    fn check(value: &str, expected: bool) {
        let text = format!("a: {value}\nb: 1 # not in it\n");
        let (root, problems) = parse(&text, 0);
        assert_eq!(problems, []);
        let root = root.expect("a mapping");
        let entry = &root.entries().expect("entries")[0];
        assert_eq!(entry.value.has_comment(&text), expected, "{text}");
    }

    #[test]
    fn in_text_it_is_no_comment() {
        check("x#y", false);
        check("'#'", false);
        check("{\"#\": ['## b', c#d], e: \"#\"}", false);
        check("|\n  # x\n  y", false);
        check("|\n  | # x\n", false);
        check("\n- |\n  # x\n- '#'", false);
        check("", false);
    }

    #[test]
    fn between_texts_and_behind_a_block_mark_it_is_one() {
        check("[ # why\n  x]", true);
        check("[x, # why\n  y]", true);
        check("[x # why\n  ]", true);
        check("{x: # why\n  1}", true);
        check("\n  x: 1 # why\n  y: 2", true);
        check("\n- |\n  x\n# why\n- y", true);
        check("\n- | # why\n  x", true);
    }
}
