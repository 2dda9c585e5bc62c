//! Words, lines and texts of several lines.

use proptest::prelude::*;

/// A name that can be an id, a role, a tool or a topic.
pub(crate) fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z][a-z0-9]{0,5}", "[a-z]{1,4}[_-][a-z0-9]{1,4}"].prop_filter(
        "a word of the language",
        |word| {
            !matches!(
                word.as_str(),
                "none" | "no" | "true" | "false" | "yes" | "null"
            )
        },
    )
}

const PLAIN: [&str; 12] = [
    "build", "the", "thing", "quickly", "and", "well", "src/a.rs", "42", "ok", "run", "it", "again",
];

/// What means something somewhere.
const HARD: [&str; 30] = [
    "**contract:**",
    "**Note:** x",
    "`code`",
    "``",
    "```",
    "# x",
    "✅",
    "<!-- c -->",
    "<!--",
    "-->",
    "a, b",
    "\"q\"",
    "it's",
    "k: v",
    "{x}",
    "[1]",
    "- x",
    "1. x",
    "*x*",
    "é",
    "步",
    "#L3",
    "→",
    "(tool: op)",
    "%",
    "@a",
    "|",
    ">",
    "\\n",
    "\t",
];

/// One line of text, nothing but text at both ends.
pub(crate) fn line(hard: bool) -> impl Strategy<Value = String> {
    let plain = prop::sample::select(PLAIN.to_vec());
    let piece = if hard {
        prop_oneof![3 => plain, 1 => prop::sample::select(HARD.to_vec())].boxed()
    } else {
        plain.boxed()
    };
    let pieces = prop::collection::vec(piece, 1..5);
    pieces.prop_map(|pieces| {
        let text = pieces.join(" ");
        let text = text.trim();
        if text.is_empty() {
            "x".to_owned()
        } else {
            text.to_owned()
        }
    })
}

const LINES: [&str; 24] = [
    "",
    "",
    "    indented",
    "- item",
    "  - item",
    "## Usage",
    "### 2. Deploy",
    "# Title",
    "```",
    "````sh",
    "~~~",
    "**task:** y",
    "**status:** done",
    "---",
    "<!-- c -->",
    "<!--",
    "-->",
    "## Steps",
    "\ttab",
    "> quote",
    "1. one",
    "key: value",
    "trailing  ",
    "## Rejection (v1)",
];

/// Several lines, the first and the last with text.
pub(crate) fn block(hard: bool) -> impl Strategy<Value = String> {
    let inner = if hard {
        prop_oneof![2 => line(true), 1 => prop::sample::select(LINES.to_vec()).prop_map(str::to_owned)]
            .boxed()
    } else {
        line(false).boxed()
    };
    let lines = (inner.clone(), prop::collection::vec(inner, 0..4));
    prop_oneof![
        2 => line(hard),
        1 => lines.prop_map(|(first, rest)| {
            let all = std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n");
            let text = all.trim();
            if text.is_empty() { "x".to_owned() } else { text.to_owned() }
        }),
    ]
}
