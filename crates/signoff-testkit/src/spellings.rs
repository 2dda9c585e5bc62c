//! Plans in every dialect, and what each becomes in the others.

use signoff_plan::dialect::Dialect;
use signoff_plan::signed::SignedPlan;
use signoff_plan::source::Source;
use signoff_plan::write::write;

use crate::signed_plan::{plan_text, signed_plan, signed_source};

/// Failure policies as they are written; the first one is none.
pub const POLICIES: [&str; 7] = [
    "",
    "retry(1)",
    "retry(2)",
    "retry(3)",
    "abort",
    "retry(2), then recover",
    "retry(2, transient), then skip",
];

/// Plans of a call in the two dialects that have them.
pub fn calls(policy: &str) -> [String; 2] {
    let (label, member) = if policy.is_empty() {
        (String::new(), String::new())
    } else {
        (
            format!("**on_fail:** {policy}\n"),
            format!(", \"onFail\": \"{policy}\""),
        )
    };
    let call = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";
    [
        plan_text(&[&format!("{call}{label}")]),
        format!(
            "{{\"title\": \"Read\", \"steps\": [{{\"id\": \"step-1\", \"description\": \"Step\", \
             \"tool\": \"read_file\", \"args\": {{\"path\": \"a\"}}{member}}}]}}"
        ),
    ]
}

/// Plans whose first call nobody needs, in the two dialects that have calls, with a call that does not wait for it.
pub fn plans_with_uncritical_call() -> [String; 2] {
    let call = "**tool:** read_file\n**args:**\n```json\n{\"path\": \"a\"}\n```\n";
    let step = |id: &str, more: &str| {
        format!(
            "{{\"id\": \"{id}\", \"description\": \"Step\", \"tool\": \"read_file\", \"args\": {{\"path\": \"a\"}}{more}}}"
        )
    };
    [
        plan_text(&[
            &format!("{call}**critical:** no\n"),
            &format!("{call}**depends_on:** none\n"),
        ]),
        format!(
            "{{\"title\": \"Read\", \"steps\": [{}, {}]}}",
            step("step-1", ", \"critical\": false"),
            step("step-2", "")
        ),
    ]
}

/// Plans that ask, that are held to a scope, and whose steps wait for each other in ways of their own.
pub fn plans_with_gates() -> [String; 4] {
    let steps = |scope: &str, first: &str, second: &str| {
        format!(
            "{{\"title\": \"Write\", {scope}\"steps\": [{{\"id\": \"one\", \"description\": \"One\", \"tool\": \"write_file\", \
             \"args\": {{\"path\": \"a\", \"content\": \"$two.content\"}}{first}}}, {{\"id\": \"two\", \"description\": \"Two\", \
             \"tool\": \"read_file\", \"args\": {{\"path\": \"b\"}}{second}}}]}}"
        )
    };
    [
        steps("", ", \"approval\": true", ""),
        steps("\"tools\": [\"write_file\", \"read_*\"], ", "", ""),
        steps("", ", \"order\": 1", ", \"order\": 0, \"approval\": true"),
        steps("", ", \"tools\": [\"write_file\"]", ", \"dependsOn\": []"),
    ]
}

/// Plans of agents: one of each dialect that is one file, with everything that it tells them.
pub fn briefed_plans() -> [String; 3] {
    [
        "id: deploy\ntitle: Deploy\ntask: Deploy it\nstatus: draft\nversion: 1\n\
         metadata: {constraints: [No new dependency]}\nsteps:\n\
         - {index: 0, title: Build, description: Build it, instructions: With care, contract: make}\n\
         - {index: 1, title: Ship, description: Ship it, approval: true, dependsOn: []}\n"
            .to_owned(),
        "---\nid: PLAN-a1b2c3d4\ntitle: Remind\nstatus: proposed\nversion: 1\ntools_required:\n  - mail\n---\n\n\
         ## Steps\n1. Look it up (mail: search → inbox)\n2. Send it\n   - on_fail: retry(1), then abort\n\n\
         ## Context\nIt is overdue.\n\n## Risks\n- Sent twice\n"
            .to_owned(),
        plan_text(&["**target:** c\n**task:** Do it.\n", "**task:** And this.\n**depends_on:** none\n"])
            .replace("**Budget:** 1h", "**Constraints:**\n- small\n\n**Context:** Why."),
    ]
}

/// The plan, and what it becomes in each dialect that holds it without errors.
pub fn conversions(text: &str) -> Vec<SignedPlan> {
    let original = signed_plan(text);
    let mut plans = Vec::new();
    for dialect in Dialect::ALL {
        let written = write(original.plan(), *dialect);
        if written.losses.iter().all(|loss| !loss.is_relevant()) {
            let files = written.files.into_iter();
            let files: Vec<_> = files
                .map(|(name, text)| (name, text.into_bytes()))
                .collect();
            let source = match files.as_slice() {
                [(name, text)] if name.is_empty() => Source::new("plan", text.clone()),
                _ => Source::directory("plan", files),
            };
            plans.push(signed_source(&source));
        }
    }
    plans.push(original);
    plans
}
