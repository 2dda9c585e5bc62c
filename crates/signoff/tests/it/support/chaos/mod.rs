//! The plan with everything in it as a project, a person who looks before answering, and what must
//! hold at its end whatever happened on the way.

#![expect(
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is of tests"
)]

pub(crate) mod plan;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use signoff_testkit::{Ledger, Output, Project};

use self::plan::Size;
use crate::support as common;

pub(crate) struct Chaos {
    pub(crate) project: Project,
    pub(crate) size: Size,
    begun: bool,
}

/// How one go at the run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    Killed,
    Waiting,
    Done,
    /// It never began, or another process drives it.
    Refused,
}

impl Chaos {
    pub(crate) fn new(size: Size) -> Self {
        let project = common::project(&size.script(), "");
        let effects = project.outside("effects");
        let plan = size.plan().replace("EFFECTS", &effects.to_string_lossy());
        project.write("plan.md", &plan);
        project.signoff(["trust"]).assert_success();
        project.signoff(["approve", "plan.md"]).assert_success();
        Self {
            project,
            size,
            begun: false,
        }
    }

    /// After a go that nothing is known of: is there something to resume?
    pub(crate) fn begun_if_there_is_a_run(&mut self) {
        let status = self.project.signoff(["status"]);
        self.begun = status.code == Some(0);
    }

    pub(crate) fn args(&self) -> &'static [&'static str] {
        if self.begun {
            &["resume", "--jobs", "4"]
        } else {
            &["run", "plan.md", "--jobs", "4"]
        }
    }

    /// Runs or resumes, killed at the point where one is given.
    pub(crate) fn go(&mut self, point: Option<&str>) -> Gone {
        let variables = point.map(|point| ("SIGNOFF_FAILPOINT", point));
        let variables: Vec<_> = variables.into_iter().collect();
        let output = self.project.signoff_with(&variables, self.args());
        self.judge(&output, point.unwrap_or("nothing"))
    }

    #[track_caller]
    pub(crate) fn judge(&mut self, output: &Output, what: &str) -> Gone {
        let begun = std::mem::replace(&mut self.begun, true);
        match output.code {
            None => Gone::Killed,
            Some(0) => Gone::Done,
            Some(3) => Gone::Waiting,
            // It died before its first event, or with its last.
            Some(2) if begun => {
                let status = self.project.signoff(["status"]);
                assert_eq!(status.code, Some(2), "{what}: a run is not found: {output}");
                // Shown if the test fails later: whatever else this code stands for is a fault.
                eprintln!("{what}: nothing to resume: {output}\n{status}");
                self.begun = false;
                Gone::Refused
            }
            Some(5) if begun && self.status() == "completed" => Gone::Done,
            _ => panic!("{what}: {output}"),
        }
    }

    pub(crate) fn status(&self) -> Value {
        self.project.json(["status"])["status"].clone()
    }

    /// Answers everything that is open, as somebody does who looks first; killed at the point where
    /// one is given. Says whether it was.
    pub(crate) fn attend(&self, point: Option<&str>) -> bool {
        let inbox = self.project.json(["inbox"]);
        for item in inbox["items"].as_array().into_iter().flatten() {
            let (word, note) = self.answer(item);
            let id = item["id"].as_str().unwrap_or_default();
            let mut args = vec!["answer", id, word];
            args.extend(note.into_iter().flat_map(|note| ["--note", note]));
            let variables = point.map(|point| ("SIGNOFF_FAILPOINT", point));
            let variables: Vec<_> = variables.into_iter().collect();
            let output = self.project.signoff_with(&variables, args);
            if output.code.is_none() {
                return true;
            }
            assert_eq!(output.code, Some(0), "{item:#}\n{output}");
        }
        false
    }

    fn answer(&self, item: &Value) -> (&'static str, Option<&'static str>) {
        let step = item["step"].as_str().unwrap_or_default();
        let question = item["question"].as_str().unwrap_or_default();
        match item["kind"].as_str() {
            Some("question") => ("yes", None),
            Some("unknown_call") if self.took_place(step) => ("happened", Some("{}")),
            Some("unknown_call") => ("retry", None),
            Some("escalation") if question.contains("cut off again and again") => ("retry", None),
            _ => panic!("nobody should be asked this: {item:#}"),
        }
    }

    /// Was the call made? The world knows, whatever the journal says.
    fn took_place(&self, step: &str) -> bool {
        match step.split_once('-') {
            Some(("file" | "copy", _)) => self.project.exists(step),
            _ => self.effects().iter().any(|line| line == step),
        }
    }

    fn effects(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.project.outside("effects"));
        text.unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Goes on, undisturbed, to the end.
    pub(crate) fn finish(&mut self, what: &str) {
        for _ in 0..40 {
            match self.go(None) {
                Gone::Done => {
                    // It may have been killed between its last event and its last mark: going on
                    // brings the marks up to date.
                    self.project.signoff(["resume"]).assert_code(5);
                    return self.check(what);
                }
                Gone::Waiting => assert!(!self.attend(None)),
                Gone::Refused => {}
                Gone::Killed => panic!("{what}: killed by nobody"),
            }
        }
        panic!("{what}: it never ends");
    }

    fn check(&self, what: &str) {
        assert_eq!(self.status(), "completed", "{what}");
        let log = self.project.signoff(["log", "--format", "json"]);
        let events = log.assert_success().json_lines();
        self.check_steps(&events, what);
        check_calls(&events, what);
        let mut effects = self.effects();
        effects.sort();
        let mut noted = self.size.noted();
        noted.sort();
        assert_eq!(effects, noted, "{what}: each call exactly once");
        for (file, text) in self.size.files() {
            assert_eq!(self.project.read(&file), text, "{what}: {file}");
        }
        let text = self.project.read("plan.md");
        assert_eq!(
            text.matches("✅").count(),
            self.size.steps(),
            "{what}\n{text}"
        );
        assert!(text.contains("status: done"), "{what}:\n{text}");
        self.check_nothing_left(what);
    }

    /// Each attempt at most once, one agent at a time, none after the one that completed its step.
    fn check_steps(&self, events: &[Value], what: &str) {
        let ledger = Ledger::read(self.project.outside("ledger"));
        ledger.assert_each_attempt_once().assert_one_at_a_time();
        let mut completed: BTreeMap<&str, u64> = BTreeMap::new();
        for event in events
            .iter()
            .filter(|event| event["type"] == "step_completed")
        {
            let attempts = event["attempts"].as_u64().unwrap_or_default();
            let before = completed.insert(text(event, "step"), attempts);
            assert_eq!(before, None, "{what}: completed twice: {event:#}");
        }
        let items = self.size.sections * 3;
        assert_eq!(
            completed.len(),
            self.size.steps() + items,
            "{what}: {completed:?}"
        );
        for attempt in ledger.started() {
            let last = completed[attempt.step.as_str()];
            assert!(
                u64::from(attempt.number) <= last,
                "{what}: {attempt:?} after {last}\n{ledger}"
            );
        }
    }

    fn check_nothing_left(&self, what: &str) {
        let processes = self.project.processes();
        assert!(processes.is_empty(), "{what}: {processes:#?}");
        let expected: BTreeSet<String> = self
            .size
            .files()
            .into_iter()
            .map(|(file, _)| file)
            .collect();
        let known = [".signoff", "plan.md"];
        for name in names(&self.project.path()) {
            // What an agent had not tidied up when it was cut off is the agent's.
            let of_agent = name.split_once('.').is_some_and(|(_, end)| end == "part");
            let ok = of_agent || known.contains(&name.as_str()) || expected.contains(&name);
            assert!(ok, "{what}: `{name}` was left behind");
        }
        assert_eq!(names(&self.project.temp()), Vec::<String>::new(), "{what}");
        let runs = names(&self.project.path().join(".signoff/runs"));
        assert_eq!(runs.len(), 1, "{what}: {runs:?}");
        let stray = hidden(&self.project.path().join(".signoff"));
        assert_eq!(
            stray,
            Vec::<String>::new(),
            "{what}: hidden files in the store"
        );
    }
}

/// A call that must not be repeated is made again only after a person said so.
fn check_calls(events: &[Value], what: &str) {
    let mut allowed: BTreeMap<&str, i64> = BTreeMap::new();
    let mut attempts = BTreeSet::new();
    for event in events {
        let step = text(event, "step");
        let left = allowed.entry(step).or_insert(1);
        match text(event, "type") {
            "call_started" => {
                let attempt = event["attempt"].as_u64();
                assert!(attempts.insert((step, attempt)), "{what}: {event:#}");
                if event["call"]["repeatable"] == false {
                    *left -= 1;
                    assert!(*left >= 0, "{what}: called again without leave: {event:#}");
                }
            }
            "inbox_answered" if event["choice"] == "retry" => *left += 1,
            _ => {}
        }
    }
}

fn text<'a>(event: &'a Value, name: &str) -> &'a str {
    event[name].as_str().unwrap_or_default()
}

fn names(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Hidden files anywhere below: those that a writer makes first and renames.
fn hidden(dir: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for name in names(dir) {
        let path = dir.join(&name);
        if path.is_dir() {
            found.extend(hidden(&path));
        } else if name.starts_with('.') && name != ".gitignore" {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    found
}
