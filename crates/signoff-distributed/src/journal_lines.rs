//! What is to be known of a journal's lines without understanding the events in them.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::ClusterError;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Line {
    pub(crate) seq: i64,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) hash: String,
    step: Option<String>,
    attempt: Option<u32>,
    blob: Option<String>,
}

/// A version of its plan that a run carries out from an event on: what it began with, or went on under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanVersion {
    pub(crate) plan: String,
    pub(crate) path: String,
    pub(crate) digest: String,
    pub(crate) terms: String,
    /// Its file in the run's directory, unless that is the one that the run began with.
    pub(crate) snapshot: Option<String>,
}

/// What the events say that name a version. A later one has no name where the plan keeps its own.
#[derive(Debug, Deserialize)]
struct VersionEvent {
    plan: Option<String>,
    path: Option<String>,
    digest: String,
    terms: String,
    snapshot: Option<String>,
}

/// Where a run's tree began.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct TreeEvent {
    pub(crate) tree: StartOfTree,
}

/// The commits that a run's tree began with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct StartOfTree {
    pub(crate) start: String,
}

/// The commit of an event that moved the head.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct HeadEvent {
    commit: String,
}

impl Line {
    pub(crate) fn parse(text: &str) -> Result<Self, ClusterError> {
        serde_json::from_str(text).map_err(|why| {
            ClusterError::Untrusted(format!("a line of the journal cannot be read: {why}"))
        })
    }

    /// Does it begin something that a machine does for a step? Then an order is named by its number.
    fn starts_work(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "work_item" | "call_started" | "baseline_started" | "contract_started"
        )
    }

    /// The attempt that it hands a prompt to.
    pub(crate) fn prompted_attempt(&self) -> Option<(&str, u32)> {
        let is_prompt = self.kind == "work_item";
        self.step.as_deref().zip(self.attempt).filter(|_| is_prompt)
    }

    /// Does it name a commit that other machines may need?
    pub(crate) fn names_commit(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "candidate_built" | "merged" | "tree_prepared" | "checkout_joined"
        )
    }
}

/// How far a journal is: its head, and what began last for each step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JournalState {
    pub(crate) seq: i64,
    pub(crate) hash: String,
    begun: BTreeMap<String, i64>,
}

impl JournalState {
    /// Takes note of the next line. `blobs` is where large events are.
    pub(crate) fn take_line(&mut self, line: &Line, blobs: &Path) -> Result<(), ClusterError> {
        if line.starts_work() {
            let step = match &line.step {
                Some(step) => step.clone(),
                None => step_in_blob(line, blobs)?,
            };
            self.begun.insert(step, line.seq);
        }
        self.seq = line.seq;
        self.hash.clone_from(&line.hash);
        Ok(())
    }

    /// The number of the event that began what is under way for a step.
    pub(crate) fn start_of_work(&self, step: &str) -> Option<i64> {
        self.begun.get(step).copied()
    }
}

fn step_in_blob(line: &Line, blobs: &Path) -> Result<String, ClusterError> {
    #[derive(Deserialize)]
    struct StepOf {
        step: String,
    }
    let found: StepOf = read_blob(line, blobs)?;
    Ok(found.step)
}

fn read_blob<T: DeserializeOwned>(line: &Line, blobs: &Path) -> Result<T, ClusterError> {
    let failed = |why: String| ClusterError::Machine {
        what: "a large event of the journal cannot be read",
        why,
    };
    let blob = line.blob.as_ref();
    let blob =
        blob.ok_or_else(|| failed(format!("event {} lacks what belongs to it", line.seq)))?;
    let bytes = std::fs::read(blobs.join(blob)).map_err(|why| failed(why.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|why| failed(why.to_string()))
}

/// The versions of its plan that a run has carried out, oldest first.
pub(crate) fn plan_versions(text: &str, blobs: &Path) -> Result<Vec<PlanVersion>, ClusterError> {
    let mut versions: Vec<PlanVersion> = Vec::new();
    for text in text.lines() {
        let line = Line::parse(text)?;
        if !matches!(line.kind.as_str(), "run_started" | "plan_replanned") {
            continue;
        }
        let found: VersionEvent = match serde_json::from_str(text) {
            Ok(found) => found,
            Err(_) => read_blob(&line, blobs)?,
        };
        let before = versions.last();
        let (plan, path) = match (found.plan, found.path, before) {
            (Some(plan), Some(path), _) => (plan, path),
            (_, _, Some(before)) => (before.plan.clone(), before.path.clone()),
            _ => {
                let why = "the journal begins with a plan without a name".to_owned();
                return Err(ClusterError::Untrusted(why));
            }
        };
        versions.push(PlanVersion {
            plan,
            path,
            digest: found.digest,
            terms: found.terms,
            snapshot: found.snapshot,
        });
    }
    Ok(versions)
}

/// The last commit that became the head of a run's branch, as far as these lines say.
pub(crate) fn head_commit<'l>(lines: impl Iterator<Item = &'l str>) -> Option<String> {
    let mut head = None;
    for text in lines {
        let Ok(line) = Line::parse(text) else {
            continue;
        };
        if matches!(line.kind.as_str(), "merged" | "checkout_joined")
            && let Ok(event) = serde_json::from_str::<HeadEvent>(text)
        {
            head = Some(event.commit);
        }
        if line.kind == "tree_prepared"
            && let Ok(event) = serde_json::from_str::<TreeEvent>(text)
        {
            head = Some(event.tree.start);
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_named_by_what_began_it() {
        let mut state = JournalState::default();
        let none = Path::new("/nonexistent");
        for text in [
            r#"{"v":1,"seq":3,"type":"work_item","step":"a","prev":"x","hash":"h3"}"#,
            r#"{"v":1,"seq":4,"type":"process_started","step":"a","prev":"x","hash":"h4"}"#,
        ] {
            state.take_line(&Line::parse(text).unwrap(), none).unwrap();
        }
        assert_eq!((state.start_of_work("a"), state.seq), (Some(3), 4));
        assert_eq!(state.hash, "h4");
        assert_eq!(state.start_of_work("b"), None);
    }

    #[test]
    fn an_event_whose_step_is_unknown_is_refused() {
        let mut state = JournalState::default();
        let text = r#"{"seq":3,"type":"work_item","blob":"ab","prev":"x","hash":"h3"}"#;
        let noted = state.take_line(&Line::parse(text).unwrap(), Path::new("/nonexistent"));
        assert!(noted.is_err());
        assert_eq!((state.start_of_work("a"), state.seq), (None, 0));
    }

    #[test]
    fn an_attempt_has_its_prompt_when_its_line_is_read() {
        let attempt = |text: &str| {
            let line = Line::parse(text).unwrap();
            line.prompted_attempt()
                .map(|(step, at)| (step.to_owned(), at))
        };
        let item = r#"{"seq":3,"type":"work_item","step":"a","attempt":2,"hash":"h"}"#;
        assert_eq!(attempt(item), Some(("a".to_owned(), 2)));
        let other = r#"{"seq":3,"type":"attempt_started","step":"a","attempt":2,"hash":"h"}"#;
        assert_eq!(attempt(other), None);
    }

    #[test]
    fn a_later_version_may_have_another_name() {
        let lines = [
            r#"{"seq":1,"type":"run_started","plan":"p","path":"p.md","digest":"d1","terms":"t1","hash":"h"}"#,
            r#"{"seq":2,"type":"plan_replanned","digest":"d2","terms":"t2","snapshot":"plan-2.md","hash":"h"}"#,
            r#"{"seq":3,"type":"plan_replanned","digest":"d3","terms":"t3","snapshot":"plan-3.md","plan":"q","path":"q.md","hash":"h"}"#,
        ];
        let found = plan_versions(&lines.join("\n"), Path::new("/nonexistent")).unwrap();
        let said: Vec<_> = found
            .iter()
            .map(|version| {
                (
                    version.plan.as_str(),
                    version.path.as_str(),
                    version.digest.as_str(),
                    version.snapshot.as_deref(),
                )
            })
            .collect();
        let expected = [
            ("p", "p.md", "d1", None),
            ("p", "p.md", "d2", Some("plan-2.md")),
            ("q", "q.md", "d3", Some("plan-3.md")),
        ];
        assert_eq!(said, expected);
        let nameless = plan_versions(lines[1], Path::new("/nonexistent"));
        assert!(nameless.is_err());
    }

    #[test]
    fn the_head_is_what_was_merged_last() {
        let lines = [
            r#"{"seq":2,"type":"tree_prepared","tree":{"start":"s"},"hash":"h"}"#,
            r#"{"seq":3,"type":"merged","step":"a","commit":"m","hash":"h"}"#,
            r#"{"seq":4,"type":"merge_started","step":"b","commit":"n","hash":"h"}"#,
        ];
        assert_eq!(head_commit(lines.into_iter()).as_deref(), Some("m"));
    }
}
