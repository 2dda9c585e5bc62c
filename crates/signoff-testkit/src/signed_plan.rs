//! Signed plans without a store.

use std::fmt::Write as _;

use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::parse;
use signoff_plan::digest::Digest;
use signoff_plan::signed::{Signature, SignedPlan};
use signoff_plan::source::Source;

/// Signs a plan whose surroundings have everything.
pub fn signed_plan(text: &str) -> SignedPlan {
    signed_source(&Source::new("plan.md", text.as_bytes().to_vec()))
}

/// The same of a file or a directory.
pub fn signed_source(source: &Source) -> SignedPlan {
    let checked = check(&parse(source), &PermissiveWorkspace);
    let (problems, text) = (&checked.diagnostics, source.text());
    assert_eq!(checked.errors(), 0, "{problems:#?}\n{text}");
    let plan = checked.accept().expect("there are no errors");
    let terms = Digest::of_bytes(b"terms");
    let signature = Signature {
        project: None,
        plan: "plan.md".to_owned(),
        digest: plan.digest(),
        terms,
        by: "tester".to_owned(),
        at: "2026-01-01T00:00:00.000Z".to_owned(),
        proof: "any".to_owned(),
        note: None,
    };
    SignedPlan::new(plan, &terms, &signature).expect("signed with its own digests")
}

/// A plan of these step bodies.
pub fn plan_text(steps: &[&str]) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Title\n\n**Budget:** 1h\n\n## Steps\n"
            .to_owned();
    for (at, body) in steps.iter().enumerate() {
        write!(text, "\n### {}. Step\n\n{body}\n", at + 1).expect("a string takes everything");
    }
    text
}

/// The body of a step with an agent and a contract.
pub const AGENT: &str =
    "**target:** coder\n**task:**\nDo it.\n\n**contract:**\n```shell\ntest -f out\n```\n";
/// The body of a step with an agent and no contract.
pub const UNVERIFIED: &str = "**target:** coder\n**task:**\nDo it.\n";
/// The body of a step that is a contract alone.
pub const CHECK: &str = "**contract:**\n```shell\ntest -f out\n```\n";
