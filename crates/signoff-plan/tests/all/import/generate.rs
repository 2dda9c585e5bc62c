//! Sources of other tools, with whatever people write into them.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generate::line;

/// What lines of plans begin with.
const STARTS: [&str; 22] = [
    "",
    "",
    "# ",
    "## ",
    "### 1. ",
    "### Step 2: ",
    "## Phase 3: ",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "- [ ] ",
    "- [x] ",
    "- [-] ",
    "- [ ]* ",
    "  - [ ] ",
    "    - ",
    "  ",
    "- [ ] T001 [P] [US1] ",
    "- [ ] 1.1 ",
    "- [ ] 2. ",
    "> ",
];

/// Lines that are more than text.
const WHOLE: [&str; 14] = [
    "",
    "",
    "",
    "---",
    "```",
    "~~~~",
    "<!-- a",
    "-->",
    "**Purpose**: why",
    "**task:** x",
    "  - _Requirements: 1.1_",
    "## Steps",
    "\u{200b}hidden\u{202e}",
    "\u{feff}{{ item }}",
];

pub(super) fn markdown() -> impl Strategy<Value = String> {
    let start = prop::sample::select(STARTS.to_vec());
    let started = (start, line(true)).prop_map(|(start, text)| format!("{start}{text}"));
    let whole = prop::sample::select(WHOLE.to_vec()).prop_map(str::to_owned);
    let one = prop_oneof![4 => started, 1 => whole];
    let ends = prop::sample::select(vec!["\n", "\r\n", "\n\n", "\r"]);
    (prop::collection::vec(one, 0..16), ends).prop_map(|(lines, end)| lines.join(end))
}

/// Text of one or more lines.
fn text() -> impl Strategy<Value = Value> {
    let lines = prop::collection::vec(line(true), 0..4).prop_map(|lines| lines.join("\n"));
    prop_oneof![6 => lines, 1 => "\\PC{0,12}"].prop_map(Value::from)
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text(),
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            inner.prop_map(|value| json!({ "k": value })),
        ]
    })
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (1..6_u32).prop_map(Value::from),
        1 => (1..6_u32).prop_map(|id| Value::from(id.to_string())),
        1 => (1..4_u32, 1..3_u32).prop_map(|(task, id)| Value::from(format!("{task}.{id}"))),
        1 => text(),
    ]
}

fn status() -> impl Strategy<Value = Value> {
    let words = vec![
        "pending",
        "open",
        "done",
        "closed",
        "in-progress",
        "cancelled",
        "deferred",
    ];
    prop_oneof![5 => prop::sample::select(words).prop_map(Value::from), 1 => any_value()]
}

/// Members that any of them may lack or have in another shape.
fn object(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> impl Strategy<Value = Value> {
    let member = |(name, value): (&'static str, BoxedStrategy<Value>)| {
        prop::option::weighted(0.7, prop_oneof![8 => value, 1 => any_value().boxed()])
            .prop_map(move |value| value.map(|value| (name.to_owned(), value)))
    };
    let members: Vec<_> = members.into_iter().map(member).collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
}

fn task(depth: usize) -> BoxedStrategy<Value> {
    let mut members = vec![
        ("id", id().boxed()),
        ("title", text().boxed()),
        ("description", text().boxed()),
        ("details", text().boxed()),
        ("testStrategy", text().boxed()),
        ("status", status().boxed()),
        ("priority", text().boxed()),
        (
            "dependencies",
            prop::collection::vec(id(), 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        ("assignee", any_value().boxed()),
    ];
    if depth > 0 {
        let subtasks = prop::collection::vec(task(depth - 1), 0..3).prop_map(Value::from);
        members.push(("subtasks", subtasks.boxed()));
    }
    object(members).boxed()
}

pub(super) fn task_master() -> impl Strategy<Value = Value> {
    let list = (prop::collection::vec(task(2), 0..4), any_value());
    let list = list
        .prop_map(|(tasks, about)| json!({ "tasks": tasks, "metadata": about }))
        .boxed();
    prop_oneof![
        list.clone(),
        (list.clone(), list)
            .prop_map(|(one, other)| json!({ "master": one, "v2": other, "version": 1 })),
    ]
}

pub(super) fn bead() -> impl Strategy<Value = Value> {
    let kinds = vec!["blocks", "parent-child", "related", "discovered-from"];
    let link = object(vec![
        ("depends_on_id", id().boxed()),
        (
            "type",
            prop::sample::select(kinds).prop_map(Value::from).boxed(),
        ),
        ("created_at", text().boxed()),
    ]);
    object(vec![
        ("id", id().boxed()),
        ("title", text().boxed()),
        ("description", text().boxed()),
        ("design", text().boxed()),
        ("notes", text().boxed()),
        ("acceptance_criteria", text().boxed()),
        ("status", status().boxed()),
        ("priority", id().boxed()),
        ("issue_type", text().boxed()),
        (
            "labels",
            prop::collection::vec(text(), 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        (
            "dependencies",
            prop::collection::vec(link, 0..3)
                .prop_map(Value::from)
                .boxed(),
        ),
        ("created_at", text().boxed()),
    ])
}
