//! A sample run for tests of reports: a plan, and events as in a journal.

use signoff_engine::{
    AgentOutput, AgentReport, Changes, Event, EvidenceFacts, Grade, Millis, ModelUsage, ProcessEnd,
    RecordedEvent, Run, apply,
};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::parse;
use signoff_plan::digest::Digest;
use signoff_plan::signed::{Signature, SignedPlan};
use signoff_plan::source::Source;

/// A run of a plan of these steps in which nothing has happened yet. Each step is its title and body.
pub(crate) fn run(steps: &[(&str, &str)]) -> Run {
    let head =
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Sample\n\n**Budget:** 1h\n\n## Steps\n";
    let steps = (1..)
        .zip(steps)
        .fold(String::new(), |text, (number, (title, body))| {
            format!("{text}\n### {number}. {title}\n\n{body}\n")
        });
    let source = Source::new("plan.md", format!("{head}{steps}").into_bytes());
    let checked = check(&parse(&source), &PermissiveWorkspace);
    assert_eq!(checked.errors(), 0, "{:#?}", checked.diagnostics);
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
    Run::new(SignedPlan::new(plan, &terms, &signature).expect("signed with its own digests"))
}

/// A step that is nothing but a contract.
pub(crate) const CHECK: &str = "**contract:**\n```shell\ntest -d .\n```\n";

/// A step of an agent.
pub(crate) const AGENT: &str =
    "**target:** coder\n**task:**\nDo it.\n\n**contract:**\n```shell\ntest -s out\n```\n";

/// Applies events, one each second, starting at second 1.
pub(crate) fn apply_events(run: &mut Run, events: impl IntoIterator<Item = Event>) {
    for (seq, event) in (1..).zip(events) {
        let at: Millis = seq * 1000;
        apply(run, &RecordedEvent { seq, at, event });
    }
}

/// A step begins.
pub(crate) fn started(step: &str) -> Event {
    let step = step.to_owned();
    Event::StepStarted { step }
}

/// A step ends well.
pub(crate) fn completed(step: &str, evidence: Grade, facts: EvidenceFacts) -> Event {
    Event::StepCompleted {
        step: step.to_owned(),
        attempts: 1,
        evidence,
        facts,
    }
}

/// An agent's work ends, with what it used.
pub(crate) fn work_finished(
    step: &str,
    ended: ProcessEnd,
    tokens: u64,
    usd_e6: Option<u64>,
) -> Event {
    let usage = ModelUsage {
        model: Some("opus".to_owned()),
        output_tokens: tokens,
        usd_e6,
        ..ModelUsage::default()
    };
    Event::WorkFinished {
        step: step.to_owned(),
        attempt: 1,
        ended,
        output: AgentOutput {
            text: "Done.".to_owned(),
        },
        changes: Changes::default(),
        report: Some(Box::new(AgentReport {
            driver: "claude".to_owned(),
            usage: vec![usage],
            ..AgentReport::default()
        })),
    }
}
