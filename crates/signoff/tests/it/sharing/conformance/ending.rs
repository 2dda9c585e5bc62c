//! How a case ended: what must be the same whatever the run rests on, and whatever happened on the way.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use signoff_testkit::Project;

/// The end of a run, as `signoff status` shows it, and what it left.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ending {
    /// Its state.
    status: Value,
    /// Of each step: its state, the grade of its evidence, and the facts behind it.
    steps: BTreeMap<String, Value>,
    /// Every file of the project after landing, by the hash of its content, but those of the plan.
    files: String,
    /// What the plan's files say about the run.
    marks: BTreeMap<String, String>,
}

/// What only happens where nobody was killed: how often each step was tried, and what was journaled of it, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    attempts: BTreeMap<String, Value>,
    /// Without those of processes, which are of the machine that has them.
    events: BTreeMap<String, Vec<String>>,
}

/// Facts that say on which machine, and when: each run has its own. What a commit consists of is in the fact `tree`.
const OF_RUN: [&str; 2] = ["judged_on", "commit"];

/// The next version of a plan that a planner wrote.
const NEXT: &str = "plan-v2.md";

impl Ending {
    pub(super) fn of(project: &Project, plan: &[(String, String)]) -> Self {
        let shown = project.json(["status"]);
        let steps = shown["steps"].as_array().cloned().unwrap_or_default();
        // What a person does in the checkout, such as signing another version, comes into the run's tree where that is.
        let is_replanned = project.path().join(NEXT).exists();
        let joined = is_replanned.then_some("tree");
        let end = |step: &Value| {
            let mut facts = step["facts"].clone();
            if let Some(facts) = facts.as_object_mut() {
                for name in OF_RUN.into_iter().chain(joined) {
                    facts.remove(name);
                }
            }
            let kept =
                json!({"status": step["status"], "evidence": step["evidence"], "facts": facts});
            (text(step, "id"), kept)
        };
        if shown["status"] == "completed" || shown["status"] == "partial" {
            project.signoff(["land"]);
        }
        let of_plan: Vec<&str> = plan
            .iter()
            .filter(|(path, _)| is_of_plan(path))
            .map(|(path, _)| path.as_str())
            .collect();
        let others = of_plan.iter().map(|path| format!("':!{path}'"));
        let others = others.collect::<Vec<_>>().join(" ");
        let files = format!(
            "git add -A ':!.signoff' && git ls-files -s ':!.signoff' ':!.pi/plans/sessions' ':!{NEXT}' {others}"
        );
        let files = project.bash(&files, &project.path());
        let run = shown["run"].as_str().unwrap_or_default();
        let next = is_replanned.then_some(NEXT);
        let said = |path: &&str| {
            let text = without_times(&project.read(path)).replace(run, "RUN");
            ((*path).to_owned(), settled(path, text))
        };
        Self {
            status: shown["status"].clone(),
            steps: steps.iter().map(end).collect(),
            files: files.assert_success().stdout.clone(),
            marks: of_plan.iter().chain(&next).map(said).collect(),
        }
    }
}

impl Course {
    pub(super) fn of(project: &Project) -> Self {
        let shown = project.json(["status"]);
        let steps = shown["steps"].as_array().cloned().unwrap_or_default();
        let mut events: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for event in journal(project) {
            let is_of_machine = event["type"] == "process_started";
            if let Some(step) = event["step"].as_str().filter(|_| !is_of_machine) {
                let kinds = events.entry(step.to_owned()).or_default();
                kinds.push(text(&event, "type"));
            }
        }
        Self {
            attempts: steps
                .iter()
                .map(|step| (text(step, "id"), step["attempts"].clone()))
                .collect(),
            events,
        }
    }
}

/// Does this file belong to a plan?
fn is_of_plan(path: &str) -> bool {
    let ends = |end: &str| path.ends_with(end);
    ends("plan.md") || ends("plan.json") || ends(".yaml") || path.starts_with(".pi/plans/PLAN")
}

/// Where a new field of a record stands, and whether it has quotes, depends on what is written with it, and so on how fast the
/// run is.
fn settled(path: &str, text: String) -> String {
    if path.rsplit('.').next() != Some("yaml") {
        return text;
    }
    let mut lines: Vec<String> = text.lines().map(|line| line.replace('"', "")).collect();
    lines.sort();
    lines.join("\n")
}

/// Each time as `TIME`, each duration as `MS`.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_time = rest.get(..24).is_some_and(|part| {
            part.starts_with("20") && part.ends_with('Z') && part.as_bytes()[10] == b'T'
        });
        if is_time {
            out.push_str("TIME");
            rest = &rest[24..];
        } else if let Some(after) = rest.strip_prefix("\"duration\": ") {
            out.push_str("\"duration\": MS");
            rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// Whatever happened: nothing completes twice, nothing is merged twice, and every attempt has one end.
#[track_caller]
pub(super) fn assert_once(project: &Project, what: &str) {
    let mut seen = BTreeSet::new();
    for event in journal(project) {
        let kind = text(&event, "type");
        if ["step_completed", "merged", "work_finished"].contains(&kind.as_str()) {
            let attempt = match kind.as_str() {
                "step_completed" => Value::Null,
                _ => event["attempt"].clone(),
            };
            let once = (kind, text(&event, "step"), attempt.to_string());
            assert!(seen.insert(once.clone()), "{what}: twice: {once:?}");
        }
    }
}

fn journal(project: &Project) -> Vec<Value> {
    let log = project.signoff(["log", "--format", "json"]);
    log.assert_success().json_lines()
}

fn text(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}
