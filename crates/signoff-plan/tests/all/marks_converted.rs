//! What a file says of how far a plan is, on its way from one dialect to another.

use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::{Dialect, parse};
use signoff_plan::source::Source;
use signoff_plan::write::write;

use crate::world::World;

fn read(source: &Source) -> Checked {
    check(&parse(source), &World::default())
}

/// What is lost on the way from one dialect to another, as `step field: why`.
fn lost(text: &str, dialect: Dialect) -> (String, Vec<String>) {
    let written = write(&read(&Source::new("plan", text.into())).plan, dialect);
    let said = |loss: &signoff_plan::write::Loss| {
        let step = loss.step.as_deref().unwrap_or("plan");
        format!("{step} {}: {}", loss.field, loss.why)
    };
    let losses = written.losses.iter().map(said).collect();
    let texts = written.files.into_iter().map(|(_, text)| text);
    (texts.collect(), losses)
}

#[test]
fn marks_are_carried_over_or_said_to_be_lost() {
    let record = "id: p\ntask: x\nstatus: replanning\nsteps:\n\
        - {index: 0, description: a, status: failed}\n\
        - {index: 1, description: b, status: skipped}\n\
        - {index: 2, description: c, status: in_progress}\n\
        - {index: 3, description: d, status: complete}\n\
        - {index: 4, description: e, status: pending}\n";
    let (text, losses) = lost(record, Dialect::Workunit);
    let marks: Vec<_> = text
        .lines()
        .filter(|line| line.contains("status:"))
        .collect();
    assert_eq!(
        marks,
        [
            "status: in-progress",
            "**status:** failed",
            "**status:** skipped"
        ]
    );
    assert!(text.contains("### 4. ✅ d"), "{text}");
    assert_eq!(
        losses,
        [
            "plan owner: the dialect requires one, and the plan names none: `orchestrator` is written",
            "plan status: the dialect has no word for `replanning`; `in-progress` stands in its place",
            "plan title: the dialect requires one, and the plan names none: `x` is written",
            "step-3 status: steps of this dialect are marked `done`, `failed` or `skipped`",
        ]
    );
    let (_, losses) = lost(record, Dialect::Proposal);
    let marks = losses.iter().filter(|loss| loss.contains(" status"));
    assert_eq!(marks.count(), 5, "{losses:?}");
    let (text, _) = lost(record, Dialect::Record);
    for word in ["failed", "skipped", "in_progress", "complete", "replanning"] {
        assert!(text.contains(&format!("status: {word}")), "{text}");
    }
}

#[test]
fn the_status_of_a_plan_has_a_word_in_each_dialect() {
    let proposal = |status: &str| {
        format!(
            "---\nid: PLAN-a\ntitle: T\nstatus: {status}\nversion: 1\ntools_required: []\n---\n## Steps\n1. A\n"
        )
    };
    for (there, here) in [
        ("proposed", "verified"),
        ("executing", "in-progress"),
        ("completed", "done"),
        ("stalled", "stalled"),
    ] {
        let (text, losses) = lost(&proposal(there), Dialect::Workunit);
        assert!(text.contains(&format!("\nstatus: {here}\n")), "{text}");
        assert_eq!(losses.len(), 1, "only the owner: {losses:?}");
        let (text, losses) = lost(&text, Dialect::Proposal);
        assert!(text.contains(&format!("\nstatus: {there}\n")), "{text}");
        assert_eq!(losses, ["plan owner: a proposal has no place for it"]);
    }
    let (_, losses) = lost(&proposal("approved"), Dialect::Record);
    let told = "plan status: the dialect has no word for `approved`; `draft` stands in its place";
    assert!(losses.iter().any(|loss| loss == told), "{losses:?}");
}

#[test]
fn a_check_that_becomes_work_is_said_to() {
    let text = "---\ntype: plan\nstatus: draft\nowner: me\n---\n# T\n\n## Steps\n\n### 1. A\n**contract:** `ls`\n";
    for dialect in [Dialect::Thread, Dialect::Proposal] {
        let (_, losses) = lost(text, dialect);
        let task = losses.iter().find(|loss| loss.starts_with("step-1 task:"));
        assert!(
            task.is_some_and(|task| task.contains("an agent is asked")),
            "{losses:?}"
        );
    }
}
