//! What anchors name and aliases stand for.

use std::collections::BTreeMap;

use super::tree::DEPTH;
use crate::node::{Node, NodeKind};
use crate::source::Span;

/// How many values all aliases of a file may stand for: a few lines of aliases of aliases stand for more than
/// any memory holds.
const MOST_VALUES: usize = 10_000;

/// The anchored values so far, by the parser's number for the anchor.
#[derive(Default)]
pub(super) struct AnchoredValues {
    values: BTreeMap<usize, Anchored>,
    /// Values that aliases have stood for.
    expanded: usize,
}

struct Anchored {
    value: Node,
    size: usize,
    depth: usize,
}

impl AnchoredValues {
    /// Remembers a value that has an anchor; 0 is none.
    pub(super) fn remember(&mut self, anchor: usize, node: &mut Node) {
        if anchor == 0 {
            return;
        }
        visit(node, &mut |node| node.shared = true);
        let mut size = 0;
        visit(node, &mut |_| size += 1);
        let anchored = Anchored {
            value: node.clone(),
            size,
            depth: depth(node),
        };
        self.values.insert(anchor, anchored);
    }

    /// What an alias stands for, with every place that of the alias; or why it is not read.
    pub(super) fn expand(
        &mut self,
        anchor: usize,
        at: Span,
        inside: usize,
    ) -> Result<Node, &'static str> {
        // A value that is not finished has not been kept: an alias inside of what it stands for.
        let Some(anchored) = self.values.get(&anchor) else {
            return Err("an alias stands for nothing: no value before it has its anchor");
        };
        let expanded = self.expanded.saturating_add(anchored.size);
        if expanded > MOST_VALUES {
            return Err("aliases stand for more than 10,000 values; write fewer");
        }
        if inside + anchored.depth > DEPTH {
            return Err("with what an alias stands for, values are nested more than 64 deep");
        }
        self.expanded = expanded;
        let mut node = anchored.value.clone();
        visit(&mut node, &mut |node| {
            node.span = at;
            if let NodeKind::Mapping(entries) = &mut node.kind {
                for entry in entries {
                    entry.key.span = at;
                }
            }
        });
        Ok(node)
    }
}

/// Each value, with those inside.
fn visit(node: &mut Node, each: &mut dyn FnMut(&mut Node)) {
    each(node);
    match &mut node.kind {
        NodeKind::Null | NodeKind::Scalar { .. } => {}
        NodeKind::Sequence(items) => items.iter_mut().for_each(|item| visit(item, each)),
        NodeKind::Mapping(entries) => entries
            .iter_mut()
            .for_each(|entry| visit(&mut entry.value, each)),
    }
}

fn depth(node: &Node) -> usize {
    let inside = match &node.kind {
        NodeKind::Null | NodeKind::Scalar { .. } => return 0,
        NodeKind::Sequence(items) => items.iter().map(depth).max(),
        NodeKind::Mapping(entries) => entries.iter().map(|entry| depth(&entry.value)).max(),
    };
    inside.unwrap_or(0) + 1
}
