//! The test's hand on a run and on the checkout: steps wait at gates, and the person acts while they do.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use signoff_testkit::{Output, Project, Running};

use super::{Case, Edit, Files, Moment, perform};
use crate::support::busy_checkout::shell;

/// Where a step waits until the test lets it go on, as its shell says it.
pub(crate) fn gate(project: &Project, name: &str) -> String {
    let at = |kind: &str| {
        project
            .outside(&format!("{kind}-{name}"))
            .display()
            .to_string()
    };
    let (at, go, pipe) = (at("at"), at("go"), at("pipe"));
    format!("touch {at}; test -e {go} || read -r _ < {pipe}")
}

/// What the checkout has, apart from the plan and the stores.
pub(crate) fn checkout(project: &Project) -> Files {
    let mut files = Files::new();
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        for entry in fs::read_dir(project.path().join(&below))
            .expect("it is there")
            .flatten()
        {
            let path = below.join(entry.file_name());
            let name = path.to_string_lossy().into_owned();
            if [".git", ".signoff", "plan.md"].contains(&name.as_str()) {
                continue;
            }
            if entry.path().is_dir() {
                open.push(path);
            } else if let Ok(text) = fs::read_to_string(entry.path()) {
                // A name that the harness has for a moment may be gone by now.
                files.insert(name, text);
            }
        }
    }
    files
}

/// The test's hand on a run: it sees which steps wait at a gate, and opens them.
pub(crate) struct Hand<'a> {
    project: &'a Project,
    case: &'a Case,
    running: Running,
    /// Gates that were opened; each keeps its pipe, so that whoever comes to it finds a line.
    opened: Vec<(Moment, File)>,
}

impl<'a> Hand<'a> {
    /// Starts a run whose steps wait until somebody acts.
    pub(crate) fn start(project: &'a Project, case: &'a Case) -> Self {
        for at in 0..case.steps.len() {
            for gate in [Moment::Work(at), Moment::Judge(at)] {
                let pipe = project.outside(&format!("pipe-{}", Self::name(gate)));
                shell(project, &format!("mkfifo -m 666 {}", pipe.display()));
            }
        }
        Self {
            project,
            case,
            running: project.spawn(["run", "plan.md"]),
            opened: Vec::new(),
        }
    }

    /// Lets the run go on from gate to gate, with what the person does at each, until it is over.
    pub(crate) fn drive(mut self) -> Output {
        while let Some(gate) = self.next_gate() {
            self.act(gate);
            self.open(gate);
        }
        self.running.wait()
    }

    fn name(moment: Moment) -> String {
        match moment {
            Moment::Work(at) => format!("work-{at}"),
            Moment::Judge(at) => format!("judge-{at}"),
            Moment::Done(at) => format!("done-{at}"),
        }
    }

    fn closed_gates(&self) -> Vec<Moment> {
        let order = self
            .case
            .order
            .iter()
            .filter(|at| **at < self.case.steps.len());
        let gates = order.flat_map(|at| [Moment::Judge(*at), Moment::Work(*at)]);
        gates
            .filter(|gate| self.opened.iter().all(|(opened, _)| opened != gate))
            .collect()
    }

    /// The next gate that somebody waits at; none when the run is over.
    fn next_gate(&mut self) -> Option<Moment> {
        let (gates, project) = (self.closed_gates(), self.project);
        let waits = |gate: &&Moment| {
            project
                .outside(&format!("at-{}", Self::name(**gate)))
                .exists()
        };
        let mut found = None;
        self.running.wait_until(|| {
            found = gates.iter().find(waits).copied();
            found.is_some() || gates.is_empty()
        });
        found
    }

    fn open(&mut self, gate: Moment) {
        let at = |kind: &str| {
            self.project
                .outside(&format!("{kind}-{}", Self::name(gate)))
        };
        fs::write(at("go"), "").expect("the folder is ours");
        let mut pipe = OpenOptions::new();
        // Who only writes would wait for somebody who reads.
        let mut pipe = pipe
            .read(true)
            .write(true)
            .open(at("pipe"))
            .expect("a pipe");
        pipe.write_all(b"go\n").expect("it has room");
        self.opened.push((gate, pipe));
        if let Moment::Judge(step) = gate {
            self.wait_for_landing(step);
            self.act(Moment::Done(step));
        }
    }

    /// A person who reads a file before it lands and saves it afterwards takes the run's lines out again: no harness
    /// can tell that from a wish, so nobody does it here.
    fn wait_for_landing(&mut self, step: usize) {
        let (project, by_step) = (self.project, self.case.land == "step");
        let (id, new) = (format!("\"step\":\"s{step}\""), format!("new/{step}"));
        self.running.wait_until(|| {
            let journal = journal(project);
            let has = |kind: &str, what: &str| {
                let kind = format!("\"type\":\"{kind}\"");
                journal
                    .lines()
                    .any(|line| line.contains(&kind) && line.contains(what))
            };
            has("step_completed", &id) && (!by_step || has("files_landed", &new))
        });
        // What lands at the end does so after the last step.
        if !by_step && self.closed_gates().is_empty() {
            self.running.wait_until(|| false);
        }
    }

    /// The person does what they do at this moment.
    fn act(&self, moment: Moment) {
        let edits = self.case.edits.iter().enumerate();
        for (at, (_, edit)) in edits.filter(|(_, (when, _))| *when == moment) {
            act(self.project, self.case, at, *edit);
        }
    }
}

fn act(project: &Project, case: &Case, at: usize, edit: Edit) {
    if edit == Edit::Commit {
        commit(project, case);
        return;
    }
    let before = checkout(project);
    let mut after = before.clone();
    perform(&mut after, at, edit, case);
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        fs::remove_file(project.path().join(name)).expect("it was there");
    }
    for (name, text) in after
        .iter()
        .filter(|(name, text)| before.get(*name) != Some(text))
    {
        project.write(name, text);
    }
}

pub(crate) fn commit(project: &Project, case: &Case) {
    if case.git {
        shell(
            project,
            "git add -A . ':!.signoff' && { git diff --cached --quiet || git commit -qm mine; }",
        );
    }
}

fn journal(project: &Project) -> String {
    let runs = fs::read_dir(project.path().join(".signoff/runs"))
        .into_iter()
        .flatten();
    let journals = runs.flatten().map(|run| run.path().join("journal.jsonl"));
    journals
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect()
}
