//! What is refused before a run, by dialect.

use signoff_engine::unsupported;
use signoff_plan::dialect::Dialect;

use crate::world::{plan_text, signed};

/// What is refused of a plan with a scope, a hint and instructions.
fn refused(dialect: Dialect) -> Vec<String> {
    let step = "**target:** c\n**task:**\nDo it.\n\n**tool_hint:** read_file: read\n**instructions:** How.\n";
    let text = plan_text(&[step]).replace("**Budget:** 1h", "**Tools:** read_file");
    let found = unsupported(signed(&text).plan(), dialect);
    found.into_iter().map(|one| one.what).collect()
}

#[test]
fn what_a_dialect_tells_its_agents_is_not_ignored() {
    let (hint, instructions) = ("`tool_hint`", "`instructions`");
    assert_eq!(refused(Dialect::Workunit), [instructions, hint]);
    assert_eq!(refused(Dialect::Thread), [instructions, hint]);
    assert_eq!(refused(Dialect::Record), [hint]);
    assert_eq!(refused(Dialect::Proposal), [instructions]);
}
