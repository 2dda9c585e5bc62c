//! What is refused before a run, by what agents are told.

use signoff_engine::unsupported;

use crate::world::{plan_text, signed};

/// What is refused of a plan with a scope, a hint and instructions.
fn refused(briefing: &str) -> Vec<String> {
    let step = "**target:** c\n**task:**\nDo it.\n\n**tool_hint:** read_file: read\n**instructions:** How.\n";
    let text = plan_text(&[step]).replace("**Budget:** 1h", "**Tools:** read_file");
    let text = text.replacen(
        "type: plan\n",
        &format!("type: plan\nbriefing: {briefing}\n"),
        1,
    );
    let found = unsupported(signed(&text).plan());
    found.into_iter().map(|one| one.what).collect()
}

#[test]
fn what_agents_are_told_is_not_ignored() {
    let (hint, instructions) = ("`tool_hint`", "`instructions`");
    assert_eq!(refused("task"), [instructions, hint]);
    assert_eq!(refused("thread"), [instructions, hint]);
    assert_eq!(refused("record"), [hint]);
    assert_eq!(refused("proposal"), [instructions]);
}
