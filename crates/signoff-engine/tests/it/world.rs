//! A world for the engine: a signed plan, a list of what will happen, no processes.

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde_json::json;
use signoff_engine::{
    AcceptAt, Action, Bounds, CallEnd, Candidate, Changes, ContractCache, Event, Input, Isolation,
    Observation, OnGreenBaseline, PauseReason, ProcessEnd, RecordedEvent, Run, RunTree, Settings,
    ToolCall, WorkInput, WorkItem, WorkKind, WorkPayload, apply, decide, due, resolved_arguments,
};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::parse;
use signoff_plan::digest::Digest;
use signoff_plan::model::Work;
use signoff_plan::signed::{Signature, SignedPlan};
use signoff_plan::source::Source;

/// Signs a plan whose surroundings have everything.
pub(crate) fn signed(text: &str) -> SignedPlan {
    let source = Source::new("plan.md", text.as_bytes().to_vec());
    let checked = check(&parse(&source), &PermissiveWorkspace);
    assert_eq!(checked.errors(), 0, "{:#?}\n{text}", checked.diagnostics);
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
pub(crate) fn plan_text(steps: &[&str]) -> String {
    let mut text =
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Title\n\n**Budget:** 1h\n\n## Steps\n"
            .to_owned();
    for (at, body) in steps.iter().enumerate() {
        write!(text, "\n### {}. Step\n\n{body}\n", at + 1).expect("a string takes everything");
    }
    text
}

pub(crate) const AGENT: &str =
    "**target:** coder\n**task:**\nDo it.\n\n**contract:**\n```shell\ntest -f out\n```\n";
pub(crate) const UNVERIFIED: &str = "**target:** coder\n**task:**\nDo it.\n";
pub(crate) const CHECK: &str = "**contract:**\n```shell\ntest -f out\n```\n";

pub(crate) fn saw(ended: ProcessEnd) -> Observation {
    Observation {
        ended,
        stdout: String::new(),
        stderr: "why".to_owned(),
        cut: false,
        duration_ms: 1,
        wrote: Vec::new(),
        tests: None,
        tree: None,
        changes: Some(Box::new(Changes {
            files: Some(vec!["work".to_owned()]),
            ..Changes::default()
        })),
        room: None,
        warm: false,
        ignored_work: false,
        void: None,
        left_out: Vec::new(),
    }
}

/// What the next baselines, agents and contracts come to; when the list is empty, contracts are red
/// before the work and green after it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fate {
    pub(crate) baselines: VecDeque<ProcessEnd>,
    pub(crate) agents: VecDeque<ProcessEnd>,
    pub(crate) contracts: VecDeque<ProcessEnd>,
    pub(crate) calls: VecDeque<CallEnd>,
    /// Calls cannot be made twice.
    pub(crate) careful: bool,
    /// Whether the next candidates conflict with what was merged before.
    pub(crate) conflicts: VecDeque<bool>,
    /// Whether the next candidates change nothing.
    pub(crate) unchanged: VecDeque<bool>,
}

/// One commit of the run's branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) step: String,
    pub(crate) attempt: u32,
    pub(crate) id: String,
}

/// The commit that the run's branch begins with.
pub(crate) const START: &str = "c0";

pub(crate) struct World {
    pub(crate) run: Run,
    pub(crate) events: Vec<RecordedEvent>,
    pub(crate) now: u64,
    pub(crate) fate: Fate,
    pub(crate) bounds: Bounds,
    /// The run's branch, which outlives the harness.
    pub(crate) branch: Vec<Commit>,
}

impl World {
    /// A world in which a person is asked at each step that has no contract.
    pub(crate) fn new(text: &str, fate: Fate) -> Self {
        Self::accepting(AcceptAt::Step, text, fate)
    }

    pub(crate) fn accepting(accept: AcceptAt, text: &str, fate: Fate) -> Self {
        Self::with(accept, 1, text, fate)
    }

    pub(crate) fn with(accept: AcceptAt, jobs: usize, text: &str, fate: Fate) -> Self {
        let place = (Isolation::Shared, ContractCache::Cold);
        Self::on(place, accept, jobs, text, fate)
    }

    /// A world in which every agent has a worktree of its own.
    pub(crate) fn in_worktrees(accept: AcceptAt, jobs: usize, text: &str, fate: Fate) -> Self {
        Self::in_rooms(ContractCache::Cold, accept, jobs, text, fate)
    }

    /// The same, in which contracts may find what earlier ones built.
    pub(crate) fn in_rooms(
        cache: ContractCache,
        accept: AcceptAt,
        jobs: usize,
        text: &str,
        fate: Fate,
    ) -> Self {
        let place = (Isolation::Worktree, cache);
        let mut world = Self::on(place, accept, jobs, text, fate);
        world.record(Input::TreePrepared {
            tree: RunTree {
                base: None,
                start: START.to_owned(),
                branch: Some("b".to_owned()),
                checkout: None,
                private: false,
                layers: true,
            },
        });
        world
    }

    fn on(
        (isolation, cache): (Isolation, ContractCache),
        accept: AcceptAt,
        jobs: usize,
        text: &str,
        fate: Fate,
    ) -> Self {
        let mut world = Self {
            run: Run::new(signed(text)),
            events: Vec::new(),
            now: 1000,
            fate,
            bounds: Bounds::default(),
            branch: Vec::new(),
        };
        world.record(Input::Start {
            run: "run".to_owned(),
            plan: "plan.md".to_owned(),
            path: "plan.md".to_owned(),
            digest: "d".to_owned(),
            terms: "t".to_owned(),
            settings: Settings {
                backoff: 1000,
                baseline: true,
                green: OnGreenBaseline::Run,
                accept,
                jobs,
                sandbox: "none".to_owned(),
                isolation,
                land: signoff_engine::LandAt::End,
                cache,
            },
        });
        world
    }

    pub(crate) fn record(&mut self, input: Input) {
        self.now += 1;
        for event in decide(&self.run, self.now, input).expect("the input fits") {
            let recorded = RecordedEvent {
                seq: self.events.len() as u64 + 1,
                at: self.now,
                event,
            };
            apply(&mut self.run, &recorded);
            self.events.push(recorded);
        }
    }

    /// The same plan's world with only so many of its events written, just before a crash; the branch
    /// as far as they tell of it.
    pub(crate) fn cut(&self, events: usize, fate: Fate) -> Self {
        let events = self.events[..events].to_vec();
        let told: Vec<&str> = (events.iter())
            .filter_map(|recorded| match &recorded.event {
                Event::Merged { commit, .. } => Some(commit.as_str()),
                _ => None,
            })
            .collect();
        let mut branch = self.branch.clone();
        branch.retain(|commit| told.contains(&commit.id.as_str()));
        Self {
            run: Run::new(self.run.signed().clone()),
            events,
            now: self.now,
            fate,
            bounds: Bounds::default(),
            branch,
        }
    }

    /// The harness dies and comes back with what it had written.
    pub(crate) fn crash(&mut self) {
        let mut run = Run::new(self.run.signed().clone());
        for recorded in &self.events {
            apply(&mut run, recorded);
        }
        self.crash_under(run);
    }

    /// The same, where what it had written was read already.
    pub(crate) fn crash_under(&mut self, run: Run) {
        self.run = run;
        if self.run.outcome().is_none() {
            self.record(Input::Resume {
                by: "tester".to_owned(),
            });
        }
    }

    /// Performs one action, up to (not including) its last report if `cut`.
    pub(crate) fn step(&mut self, cut: bool) -> bool {
        let Some(action) = due(&self.run, self.now, &self.bounds).into_iter().next() else {
            return false;
        };
        self.perform(action, cut);
        true
    }

    pub(crate) fn perform(&mut self, action: Action, cut: bool) {
        let warm = self.run.reuses_builds(&action);
        match action {
            Action::LandFiles => {
                let commit = self.run.head().expect("a head").to_owned();
                self.record(Input::FilesLanded {
                    commit,
                    files: Vec::new(),
                    held: Vec::new(),
                });
            }
            Action::Baseline { step } => {
                self.record(Input::BaselineBegins { step });
                if !cut {
                    let ended = self
                        .fate
                        .baselines
                        .pop_front()
                        .unwrap_or(ProcessEnd::Exited(1));
                    self.record(Input::BaselineEnded {
                        step,
                        observed: Observation { warm, ..saw(ended) },
                    });
                }
            }
            Action::Dispatch { step, attempt } => {
                self.record(Input::WorkBegins {
                    base: None,
                    step,
                    attempt,
                    item: item(),
                });
                if !cut {
                    let ended = self
                        .fate
                        .agents
                        .pop_front()
                        .unwrap_or(ProcessEnd::Exited(0));
                    self.record(Input::WorkEnded {
                        step,
                        attempt,
                        ended,
                        text: "all tests pass".to_owned(),
                        changes: Changes::default(),
                    });
                }
            }
            Action::Evaluate { step, attempt, .. } => {
                self.record(Input::EvaluationBegins { step, attempt });
                if !cut {
                    let ended = self
                        .fate
                        .contracts
                        .pop_front()
                        .unwrap_or(ProcessEnd::Exited(0));
                    self.record(Input::EvaluationEnded {
                        step,
                        attempt,
                        observed: Observation { warm, ..saw(ended) },
                    });
                }
            }
            Action::Call { step, attempt } => {
                let args = resolved_arguments(&self.run, step).expect("a tool step");
                let args = match args {
                    Ok(args) => args,
                    Err(why) => {
                        let problems = vec![why];
                        return self.record(Input::CallImpossible { step, problems });
                    }
                };
                let definition = self.run.definition(step).expect("a step");
                let looks =
                    matches!(&definition.work, Work::Tool { tool, .. } if tool == "read_file");
                let call = ToolCall {
                    tool: "tool".to_owned(),
                    args: args.clone(),
                    repeatable: !self.fate.careful,
                    changes_tree: !(looks && self.run.in_worktrees()),
                };
                self.record(Input::CallBegins {
                    step,
                    attempt,
                    call,
                });
                if !cut {
                    let done = CallEnd::Done(json!({"got": args, "list": [1, 2]}));
                    let end = self.fate.calls.pop_front().unwrap_or(done);
                    self.record(Input::CallEnded { step, attempt, end });
                }
            }
            Action::Candidate { step, attempt } => {
                self.record(Input::CandidateBegins { step, attempt });
                if !cut {
                    self.build(step, attempt);
                }
            }
            Action::Merge { step, attempt } => {
                self.record(Input::MergeBegins { step, attempt });
                if !cut {
                    self.merge(step, attempt);
                }
            }
            Action::Recheck { step, .. } => {
                let attempt = self.run.step(step).expect("a step").1.attempts;
                self.record(Input::EvaluationBegins { step, attempt });
                if !cut {
                    let ended = self
                        .fate
                        .contracts
                        .pop_front()
                        .unwrap_or(ProcessEnd::Exited(0));
                    self.record(Input::EvaluationEnded {
                        step,
                        attempt,
                        observed: saw(ended),
                    });
                }
            }
            Action::Gather { step } => self.record(Input::Gather { step }),
            Action::Gate { step } => self.record(Input::Gate { step }),
            Action::AskForAcceptance => self.record(Input::AskForAcceptance),
            Action::AskForBudget { step } => self.record(Input::OverBudget { step }),
            Action::Wait { until } => self.now = until,
            Action::Finish => self.record(Input::Finish),
        }
    }

    pub(crate) fn build(&mut self, step: usize, attempt: u32) {
        let onto = self.run.head().expect("a tree").to_owned();
        let (_, state) = self.run.step(step).expect("a step");
        let known = state.activation.base.is_some() || !self.run.has_own_tree(step);
        assert!(known, "nobody knows what its worktree began with");
        if self.fate.conflicts.pop_front().unwrap_or(false) {
            return self.record(Input::Conflicted {
                step,
                attempt,
                onto,
                files: vec!["a".to_owned()],
                text: "<<<<".to_owned(),
            });
        }
        let unchanged = self.fate.unchanged.pop_front().unwrap_or(false);
        let commit = format!("{onto}>{step}.{attempt}");
        let candidate = Candidate {
            tree: format!("tree of {commit}"),
            commit: if unchanged { onto.clone() } else { commit },
            onto,
            files: if unchanged {
                Vec::new()
            } else {
                vec!["a".to_owned()]
            },
            details: Box::default(),
        };
        self.record(Input::CandidateBuilt {
            step,
            attempt,
            candidate,
        });
    }

    /// The branch moves, and nobody has told it yet; after a crash it may have moved already.
    pub(crate) fn move_branch(&mut self, step: usize, attempt: u32) -> Candidate {
        let (definition, state) = self.run.step(step).expect("a step");
        let candidate = state.attempt.candidate.clone().expect("a candidate");
        let merged = Commit {
            step: definition.id.clone(),
            attempt,
            id: candidate.commit.clone(),
        };
        let head = self.branch.last().map_or(START, |commit| &commit.id);
        if candidate.commit != candidate.onto && !self.branch.contains(&merged) {
            assert_eq!(head, candidate.onto, "it is not built on the head");
            self.branch.push(merged);
        }
        candidate
    }

    pub(crate) fn merge(&mut self, step: usize, attempt: u32) {
        let Candidate { commit, tree, .. } = self.move_branch(step, attempt);
        self.record(Input::Merged {
            step,
            attempt,
            commit,
            tree,
        });
    }

    /// Nothing new is to start.
    pub(crate) fn pause(&mut self) {
        self.record(Input::Pause {
            reason: PauseReason::Requested,
            by: "tester".to_owned(),
        });
    }

    pub(crate) fn play(&mut self) {
        while self.step(false) {}
    }

    /// Types of the events, in order, of one step or of all.
    pub(crate) fn story(&self) -> Vec<String> {
        self.events
            .iter()
            .map(|recorded| name(&recorded.event))
            .collect()
    }
}

fn item() -> WorkItem {
    WorkItem {
        agent_id: "coder".to_owned(),
        kind: WorkKind::Code,
        input: WorkInput {
            prompt: "Do it.".to_owned(),
            prompt_sha256: "sha".to_owned(),
        },
        payload: WorkPayload {
            subscriptions: Vec::new(),
            plan_id: "plan.md".to_owned(),
            step: 1,
        },
    }
}

/// `StepCompleted { .. }` as `StepCompleted step-1`.
pub(crate) fn name(event: &Event) -> String {
    let text = format!("{event:?}");
    let kind = text.split([' ', '{']).next().unwrap_or_default().to_owned();
    match event.step() {
        Some(step) => format!("{kind} {step}"),
        None => kind,
    }
}
