//! Plans as keys and values, in YAML or JSON: what `record` and `toolplan` have in common.

mod budget;
mod contract;
mod fields;
mod values;

pub(super) use self::values::whole;
use super::Dialect;
use crate::check::{frontmatter_invalid, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::{Draft, Spanned};
use crate::json::{self, Comments};
use crate::node::{Entry, Node, NodeKind, Problem};
use crate::source::{Source, Span, text_from};
#[cfg(test)]
use crate::spelling::members;
use crate::suggest::nearest;
use crate::yaml;

/// What a text is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
        }
    }
}

/// A text as a tree, with everything that could not be read.
pub(crate) struct Tree {
    pub(crate) format: Format,
    pub(crate) root: Option<Node>,
    pub(crate) problems: Vec<Problem>,
}

/// Reads the text of a dialect into a tree.
pub(crate) fn tree(source: &Source, dialect: Dialect) -> Tree {
    let start = source.byte_order_mark_len();
    let text = text_from(source.text(), start);
    let comments = match dialect {
        Dialect::Toolplan => Comments::Tolerated,
        Dialect::Workunit | Dialect::Thread | Dialect::Proposal | Dialect::Record => {
            Comments::Refused
        }
    };
    let braced = is_braced(text);
    let as_json = |comments| {
        let (root, problems) = json::parse(text, start, comments);
        let format = Format::Json;
        Tree {
            format,
            root,
            problems,
        }
    };
    let as_yaml = || {
        let (root, problems) = yaml::parse(text, start);
        let format = Format::Yaml;
        Tree {
            format,
            root,
            problems,
        }
    };
    if dialect == Dialect::Toolplan {
        return as_json(comments);
    }
    if !braced {
        return as_yaml();
    }
    let read = as_json(comments);
    if read.problems.is_empty() {
        return read;
    }
    // Braces also begin YAML in flow style; if it is neither, it was most likely meant to be JSON.
    let other = as_yaml();
    if other.problems.is_empty() {
        other
    } else {
        read
    }
}

/// The same, but `each` gets the items of `steps` one by one. Of a toolplan the tree is without them then: all of them
/// at once are larger than the plan.
pub(crate) fn tree_by_steps(
    source: &Source,
    dialect: Dialect,
    each: &mut dyn FnMut(Format, &Node),
) -> Tree {
    if dialect == Dialect::Toolplan {
        let start = source.byte_order_mark_len();
        let text = text_from(source.text(), start);
        let mut each = |node: Node| each(Format::Json, &node);
        let comments = Comments::Tolerated;
        let (root, problems) = json::parse_items(text, start, comments, "steps", &mut each);
        let format = Format::Json;
        return Tree {
            format,
            root,
            problems,
        };
    }
    let tree = tree(source, dialect);
    let entries = tree.root.as_ref().and_then(Node::entries);
    let steps = entries.and_then(|entries| entries.iter().find(|entry| entry.key.value == "steps"));
    if let Some(NodeKind::Sequence(items)) = steps.map(|entry| &entry.value.kind) {
        for item in items {
            each(tree.format, item);
        }
    }
    tree
}

/// Whether a text begins as JSON does.
pub(super) fn is_braced(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{')
}

/// Reads a plan from its tree: each field of the whole by `field`.
pub(super) fn read_tree(
    source: &Source,
    tree: Tree,
    draft: &mut Draft,
    mut field: impl FnMut(&mut ObjectReader<'_>, Entry, &mut Draft),
) {
    let Tree {
        format,
        root,
        problems,
    } = tree;
    for problem in &problems {
        let found = frontmatter_invalid::data(draft.dialect, format.name(), problem);
        draft.problems.push(found);
    }
    draft.anchors.header = Span::at(source.byte_order_mark_len());
    let Some(root) = root else {
        if problems.is_empty() {
            let found = frontmatter_invalid::no_object(
                draft.dialect,
                draft.anchors.header,
                "an empty file",
            );
            draft.problems.push(found);
        }
        return;
    };
    let what = if root.is_nothing() {
        "`null`"
    } else {
        root.describe()
    };
    let NodeKind::Mapping(entries) = root.kind else {
        let found = frontmatter_invalid::no_object(draft.dialect, root.span, what);
        draft.problems.push(found);
        return;
    };
    draft.anchors.insert_status = Some(root.span.end);
    if let Some(first) = entries.first() {
        draft.anchors.header = first.key.span;
    }
    let mut reader = ObjectReader::new(source, draft.dialect, format);
    for entry in entries {
        field(&mut reader, entry, draft);
    }
    draft.problems.append(&mut reader.problems);
}

/// Reads values and reports those that cannot be what they should.
pub(super) struct ObjectReader<'a> {
    pub(super) dialect: Dialect,
    pub(super) format: Format,
    /// The text that places count from.
    pub(super) source: &'a str,
    pub(super) problems: Vec<Diagnostic>,
}

/// Names that people use for a field, and what it is called here.
const SYNONYMS: [(&str, &str); 16] = [
    ("agent", "suggestedAgent"),
    ("target", "suggestedAgent"),
    ("role", "suggestedAgent"),
    ("accept", "acceptanceCriteria"),
    ("acceptance", "acceptanceCriteria"),
    ("previous", "previousPlanId"),
    ("dependencies", "dependsOn"),
    ("depends", "dependsOn"),
    ("needs", "dependsOn"),
    ("after", "dependsOn"),
    ("condition", "when"),
    ("if", "when"),
    ("loop", "forEach"),
    ("arguments", "args"),
    ("question", "ask"),
    ("input", "args"),
];

impl<'a> ObjectReader<'a> {
    pub(super) fn new(source: &'a Source, dialect: Dialect, format: Format) -> Self {
        Self {
            dialect,
            format,
            source: source.text(),
            problems: Vec::new(),
        }
    }

    /// Reports a key that means nothing here.
    pub(super) fn unknown(&mut self, key: &Spanned<String>, owner: &str, known: &[&'static str]) {
        let names = || known.iter().copied();
        let synonym = SYNONYMS.iter().find(|(name, _)| *name == key.value);
        let synonym = synonym.map(|(_, name)| *name);
        let synonym = synonym.filter(|name| names().any(|known| known == *name));
        let suggestion = synonym.or_else(|| nearest(&key.value, names()));
        let found = unknown_field::member(self.dialect, key, owner, suggestion);
        self.problems.push(found);
    }
}

/// Every name, by what it is a field of.
#[cfg(test)]
pub(super) fn names(dialect: Dialect) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut names = vec![
        ("plan", members(dialect.plan_keys(), None)),
        ("metadata", members(dialect.plan_keys(), Some("metadata"))),
        ("step", members(dialect.step_keys(), None)),
        ("contract", members(dialect.step_keys(), Some("contract"))),
        ("ask", members(dialect.step_keys(), Some("ask"))),
        ("budget", budget::FIELDS.to_vec()),
    ];
    names.retain(|(_, names)| !names.is_empty());
    names
}
