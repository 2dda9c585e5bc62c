//! `kill -9` again and again, over everything: processes that work, that drive, that do both, and the database, while plans of
//! agents, a call that must not be repeated, a check and an approval are carried out. What happened is counted outside.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use signoff_testkit::{Dice, Ledger, PATIENCE, Reply, Running, Script};

use super::fleet::Fleet;
use crate::support::{agent, plan, soak};

/// Steps whose agents leave a file, in two chains side by side.
const AGENTS: usize = 8;

/// And a call, and a check.
const STEPS: usize = AGENTS + 2;

/// How long an agent takes, so that there is something to kill.
const WORK_MS: u64 = 150;

/// How long the next agent is waited for, before somebody is killed all the same.
const LULL: Duration = Duration::from_secs(10);

fn mixed() -> Option<Fleet> {
    let mut script = Script::new().ledger("LEDGER");
    let mut bodies = Vec::new();
    for number in 1..=AGENTS {
        let task = format!("Make part {number}.");
        let file = format!("part{number}");
        let works = Reply::when([task.clone()]).pause_ms(WORK_MS);
        script = script.reply(works.write(&file, "x\n").say("done"));
        let before = match number {
            1 | 2 => "none".to_owned(),
            _ => (number - 2).to_string(),
        };
        let approval = if number == AGENTS {
            "**approval:** required\n"
        } else {
            ""
        };
        bodies.push(format!(
            "**depends_on:** {before}\n{}{approval}",
            agent(&task, &file)
        ));
    }
    // Outside of everything that a run could take back.
    let command = json!({"command": "echo called >> CALLS"});
    bodies.push(format!(
        "**depends_on:** 1\n**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{command}\n```\n"
    ));
    bodies.push(
        "**depends_on:** 7, 8\n**contract:**\n```shell\ntest -s part7 && test -s part8\n```\n"
            .to_owned(),
    );
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let fleet = Fleet::unsigned(&script)?;
    let calls = fleet.project.outside("calls").display().to_string();
    fleet.sign(&plan(&bodies).replace("CALLS", &calls));
    Some(fleet)
}

/// How long a run may take to end by itself. The long form runs for hours beside other work.
fn patience() -> Duration {
    if soak() { 10 * PATIENCE } else { PATIENCE }
}

/// A process that takes part, and how it is started again.
struct Part {
    words: &'static [&'static str],
    running: Option<Running>,
}

const PARTS: [&[&str]; 3] = [
    &["orchestrator", "--lease", "2"],
    &["worker", "--lease", "2", "--roles", "coder,tools"],
    &[
        "worker",
        "--lease",
        "2",
        "--roles",
        "coder,tools",
        "--orchestrate",
    ],
];

/// How often each was killed.
#[derive(Debug, Default)]
struct Kills {
    database: usize,
    parts: [usize; PARTS.len()],
}

struct Chaos {
    fleet: Fleet,
    parts: Vec<Part>,
    dice: Dice,
    kills: Kills,
    /// Runs that have ended.
    ended: usize,
    /// The command that had a run go on last.
    resuming: Option<Running>,
}

impl Chaos {
    fn killed(&self) -> usize {
        self.kills.database + self.kills.parts.iter().sum::<usize>()
    }

    /// Waits until one more agent has begun, most times: where processes are killed as soon as they are up, nothing is
    /// under way.
    fn wait_for_work(&mut self, run: &str) {
        let started = |fleet: &Fleet| Ledger::read(fleet.project.outside("ledger")).pids().len();
        let (before, begun) = (started(&self.fleet), std::time::Instant::now());
        let is_likely = self.dice.roll(3) != 0;
        while is_likely && started(&self.fleet) == before && begun.elapsed() < LULL {
            if ["waiting", "completed"].contains(&self.fleet.state(run).as_str()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn kill_somebody(&mut self, run: &str) {
        self.wait_for_work(run);
        std::thread::sleep(Duration::from_millis(self.dice.roll(2 * WORK_MS)));
        let which = usize::try_from(self.dice.roll(10)).expect("small");
        if which == 9 {
            self.kills.database += 1;
            self.fleet.postgres.kill();
            self.fleet.postgres.come_up();
        } else if let Some(part) = self.parts.get_mut(which % PARTS.len())
            && let Some(running) = part.running.take()
        {
            self.kills.parts[which % PARTS.len()] += 1;
            running.kill();
        }
        self.revive();
    }

    /// Starts again what has ended.
    fn revive(&mut self) {
        for part in &mut self.parts {
            // One that lost its lease has ended by itself. Nobody waits until it is up: it may be killed before.
            if !part.running.as_mut().is_some_and(Running::is_running) {
                part.running = Some(self.fleet.project.spawn(part.words));
            }
        }
    }

    /// The calls that were made, in all runs.
    fn calls(&self) -> usize {
        let text = std::fs::read_to_string(self.fleet.project.outside("calls"));
        text.unwrap_or_default().lines().count()
    }

    /// Answers what is open, as somebody does who looks first.
    fn attend(&self) {
        let inbox = self.fleet.project.signoff(["inbox", "--format", "json"]);
        if inbox.code != Some(0) {
            return;
        }
        for item in inbox.json()["items"].as_array().into_iter().flatten() {
            let id = item["id"].as_str().unwrap_or_default();
            let (word, note) = match item["kind"].as_str() {
                Some("approval") => ("approve", None),
                Some("unknown_call") if self.calls() > self.ended => {
                    ("happened", Some("{\"exit_code\": 0}"))
                }
                // Cut off again and again, or before it was called.
                _ => ("retry", None),
            };
            let mut words = vec!["answer", id, word];
            words.extend(note.into_iter().flat_map(|note| ["--note", note]));
            // Whoever was to hear it may have been killed: it is asked again.
            self.fleet.project.signoff(words);
        }
    }

    /// Does what a person does about a run that stands still.
    fn look_after(&mut self, run: &str) {
        let state = self.fleet.state(run);
        if state.starts_with("waiting") {
            self.attend();
        }
        if state.starts_with("paused") {
            // Whoever was to take it up may be killed: it is asked again. The run goes on whoever looks at it.
            self.resuming = Some(self.fleet.project.spawn(["resume", run]));
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Goes on without kills until the run has ended, and checks from outside that everything happened once.
    fn settle(&mut self, run: &str) {
        let begun = std::time::Instant::now();
        loop {
            let state = self.fleet.state(run);
            if state == "completed" {
                break;
            }
            assert!(begun.elapsed() < patience(), "{run} is {state}");
            self.revive();
            self.look_after(run);
            std::thread::sleep(Duration::from_millis(50));
        }
        self.ended += 1;
        self.check(run);
    }

    fn check(&self, run: &str) {
        let project = &self.fleet.project;
        let events = project.signoff(["log", run, "--format", "json"]);
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for event in events.assert_success().json_lines() {
            let word = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
            *counts.entry((word("type"), word("step"))).or_default() += 1;
        }
        let of = |kind: &str| -> Vec<usize> {
            let found = counts.iter().filter(|((of, _), _)| of == kind);
            found.map(|(_, count)| *count).collect()
        };
        assert_eq!(of("step_completed"), [1; STEPS], "{counts:?}");
        assert!(
            of("merged").into_iter().all(|count| count == 1),
            "{counts:?}"
        );
        // The branch has one commit for each step of an agent, whatever the journal says.
        let commits = project.git(&format!("log --format=%B signoff/{run}"));
        let ledger = Ledger::read(project.outside("ledger"));
        for number in 1..=AGENTS {
            let trailer = format!("Signoff-Attempt: {run}/step-{number}/");
            assert_eq!(
                commits.matches(&trailer).count(),
                1,
                "step {number}: {commits}"
            );
            let step = format!("step-{number}");
            let mut started = ledger.started().into_iter();
            let was_started = started.any(|attempt| attempt.run == run && attempt.step == step);
            assert!(was_started, "{step} of {run}: {ledger}");
        }
        assert_eq!(self.calls(), self.ended, "each call exactly once");
        let left = self.fleet.agents();
        assert!(left.is_empty(), "agents are left: {left:?}");
    }

    /// What was counted outside.
    fn figures(&self) -> Value {
        let ledger = Ledger::read(self.fleet.project.outside("ledger"));
        let mut attempts: BTreeMap<String, usize> = BTreeMap::new();
        for attempt in ledger.started() {
            *attempts.entry(attempt.to_string()).or_default() += 1;
        }
        json!({
            "kills": format!("{:?}", self.kills),
            "runs": self.ended,
            "steps completed": self.ended * STEPS,
            "agents started": ledger.started().len(),
            "attempts": attempts.len(),
            "attempts started twice": attempts.values().filter(|count| **count > 1).count(),
            "calls": self.calls(),
        })
    }
}

#[test]
fn random_kills_lose_nothing_and_do_nothing_twice() {
    let (kills, seed) = if soak() {
        (300, u64::from(std::process::id()))
    } else {
        (20, 7)
    };
    let Some(fleet) = mixed() else {
        return;
    };
    let parts = PARTS.map(|words| Part {
        words,
        running: Some(fleet.process(words)),
    });
    let mut chaos = Chaos {
        fleet,
        parts: parts.into(),
        dice: Dice(seed),
        kills: Kills::default(),
        ended: 0,
        resuming: None,
    };
    while chaos.killed() < kills {
        let run = chaos.fleet.start_again();
        while chaos.killed() < kills && chaos.fleet.state(&run) != "completed" {
            chaos.kill_somebody(&run);
            chaos.look_after(&run);
        }
        chaos.settle(&run);
        println!("{} kills in {} runs", chaos.killed(), chaos.ended);
    }
    println!("seed {seed}: {:#}", chaos.figures());
}
