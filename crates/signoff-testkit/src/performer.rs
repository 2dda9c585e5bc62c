//! Performs a run's actions without processes: a script says what each of them comes to.

use std::collections::VecDeque;

use serde_json::json;
use signoff_engine::{
    Action, AgentReport, CallEnd, Candidate, Changes, FinishedWork, Input, MergeConflict,
    ModelAnswer, ModelUsage, Observation, ProcessEnd, Run, ToolCall, WorkInput, WorkItem, WorkKind,
    WorkPayload, resolved_arguments,
};
use signoff_plan::model::Work;

/// What the next actions come to. Where a list is empty, contracts are red before the work and green after it, and
/// everything else succeeds.
#[derive(Debug, Default, Clone)]
pub struct Outcomes {
    pub baselines: VecDeque<ProcessEnd>,
    pub agents: VecDeque<ProcessEnd>,
    pub contracts: VecDeque<ProcessEnd>,
    /// What the next agents report of themselves; then they report nothing.
    pub reports: VecDeque<AgentReport>,
    pub calls: VecDeque<CallEnd>,
    /// Calls cannot be made twice.
    pub careful: bool,
    /// Whether the next candidates conflict with what was merged before.
    pub conflicts: VecDeque<bool>,
    /// Whether the next candidates change nothing.
    pub unchanged: VecDeque<bool>,
    /// What models answer next; then they answer nothing.
    pub answers: VecDeque<ModelAnswer>,
    /// What each of them uses.
    pub model_usage: Vec<ModelUsage>,
    /// The policy signs the next versions of the plan.
    pub signs_drafts: bool,
}

/// One commit of the run's branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub step: String,
    pub attempt: u32,
    pub id: String,
}

/// The commit that the run's branch begins with.
pub const START: &str = "c0";

/// Performs actions by a script.
#[derive(Debug, Default, Clone)]
pub struct SimulatedPerformer {
    pub outcomes: Outcomes,
    /// The run's branch, which outlives the harness.
    pub branch: Vec<Commit>,
}

/// What is recorded before an action begins.
#[derive(Debug)]
pub enum Beginning {
    /// This; then it is performed.
    Begins(Input),
    /// This, and that is all of it.
    Instead(Input),
}

impl SimulatedPerformer {
    pub fn new(outcomes: Outcomes) -> Self {
        Self {
            outcomes,
            branch: Vec::new(),
        }
    }

    /// What is recorded before the action begins; `None` for a wait.
    pub fn begin(&self, run: &Run, action: &Action) -> Option<Beginning> {
        let begins = match *action {
            Action::LandFiles => {
                return Some(Beginning::Instead(Input::FilesLanded {
                    commit: run.head().expect("a head").to_owned(),
                    files: Vec::new(),
                    held: Vec::new(),
                }));
            }
            Action::Baseline { step } => Input::BaselineBegins { step },
            Action::Dispatch { step, attempt } => Input::WorkBegins {
                base: None,
                step,
                attempt,
                item: item(run.role_of(step)),
            },
            Action::Evaluate { step, attempt, .. } => Input::EvaluationBegins { step, attempt },
            Action::Recheck { step, .. } => Input::EvaluationBegins {
                step,
                attempt: attempts(run, step),
            },
            Action::Call { step, attempt } => return Some(self.begin_call(run, step, attempt)),
            Action::Candidate { step, attempt } => Input::CandidateBegins { step, attempt },
            Action::Merge { step, attempt } => Input::MergeBegins { step, attempt },
            Action::Draft { step, task } => Input::ModelBegins { step, task },
            Action::OfferDraft => {
                let is_signed = self.outcomes.signs_drafts;
                return Some(Beginning::Instead(Input::DraftOffered { is_signed }));
            }
            // What the loop decides itself.
            Action::Gather { step } => return Some(Beginning::Instead(Input::Gather { step })),
            Action::Gate { step } => return Some(Beginning::Instead(Input::Gate { step })),
            Action::AskForAcceptance => return Some(Beginning::Instead(Input::AskForAcceptance)),
            Action::AskForBudget { step } => {
                return Some(Beginning::Instead(Input::OverBudget { step }));
            }
            Action::Finish => return Some(Beginning::Instead(Input::Finish)),
            Action::Wait { .. } => return None,
        };
        Some(Beginning::Begins(begins))
    }

    fn begin_call(&self, run: &Run, step: usize, attempt: u32) -> Beginning {
        let args = match resolved_arguments(run, step).expect("a tool step") {
            Ok(args) => args,
            Err(why) => {
                let problems = vec![why];
                return Beginning::Instead(Input::CallImpossible { step, problems });
            }
        };
        let definition = run.definition(step).expect("a step");
        let Work::Tool { tool, .. } = &definition.work else {
            panic!("a tool step");
        };
        let reads = tool == "read_file";
        let call = ToolCall {
            tool: tool.clone(),
            args,
            repeatable: !self.outcomes.careful,
            changes_tree: !(reads && run.in_worktrees()),
        };
        Beginning::Begins(Input::CallBegins {
            step,
            attempt,
            call,
        })
    }

    /// What an action comes to that has begun.
    pub fn end(&mut self, run: &Run, action: &Action) -> Input {
        let warm = run.reuses_builds(action);
        match *action {
            Action::Baseline { step } => {
                let ended = self.outcomes.baselines.pop_front();
                let observed = observed(ended.unwrap_or(ProcessEnd::Exited(1)));
                let observed = Observation { warm, ..observed };
                Input::BaselineEnded { step, observed }
            }
            Action::Dispatch { step, attempt } => {
                let ended = self.outcomes.agents.pop_front();
                Input::WorkEnded {
                    step,
                    attempt,
                    work: FinishedWork {
                        ended: ended.unwrap_or(ProcessEnd::Exited(0)),
                        text: "all tests pass".to_owned(),
                        changes: Changes::default(),
                        report: self.outcomes.reports.pop_front().map(Box::new),
                    },
                }
            }
            Action::Evaluate { step, attempt, .. } => self.judge(step, attempt, warm),
            Action::Recheck { step, .. } => self.judge(step, attempts(run, step), false),
            Action::Call { step, attempt } => {
                let args = resolved_arguments(run, step).expect("a tool step");
                // As built-in tools tell what they were given, and everything together.
                let args = args.expect("a call");
                let mut result = json!({"got": args, "list": [1, 2]});
                for (name, value) in args.as_object().into_iter().flatten() {
                    result[name] = value.clone();
                }
                let done = CallEnd::Done(result);
                let end = self.outcomes.calls.pop_front().unwrap_or(done);
                Input::CallEnded { step, attempt, end }
            }
            Action::Candidate { step, attempt } => self.build(run, step, attempt),
            Action::Merge { step, attempt } => {
                let Candidate { commit, tree, .. } = self.move_branch(run, step, attempt);
                Input::Merged {
                    step,
                    attempt,
                    commit,
                    tree,
                }
            }
            Action::Draft { step, task } => {
                let nothing = || ModelAnswer::Nothing("nothing was said".to_owned());
                Input::ModelEnded {
                    step,
                    task,
                    answer: self.outcomes.answers.pop_front().unwrap_or_else(nothing),
                    by: "planner".to_owned(),
                    usage: self.outcomes.model_usage.clone(),
                }
            }
            ref other => panic!("{other:?} is not performed"),
        }
    }

    fn judge(&mut self, step: usize, attempt: u32, warm: bool) -> Input {
        let ended = self.outcomes.contracts.pop_front();
        let observed = observed(ended.unwrap_or(ProcessEnd::Exited(0)));
        Input::EvaluationEnded {
            step,
            attempt,
            observed: Observation { warm, ..observed },
        }
    }

    /// The work of an attempt merged onto the head.
    pub fn build(&mut self, run: &Run, step: usize, attempt: u32) -> Input {
        let onto = run.head().expect("a tree").to_owned();
        let (_, state) = run.step(step).expect("a step");
        let known = state.activation.base.is_some() || !run.has_own_tree(step);
        assert!(known, "nobody knows what its worktree began with");
        if self.outcomes.conflicts.pop_front().unwrap_or(false) {
            return Input::Conflicted {
                step,
                attempt,
                conflict: MergeConflict {
                    onto,
                    files: vec!["a".to_owned()],
                    text: "<<<<".to_owned(),
                },
            };
        }
        let unchanged = self.outcomes.unchanged.pop_front().unwrap_or(false);
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
        Input::CandidateBuilt {
            step,
            attempt,
            candidate,
        }
    }

    /// The branch moves, and nobody has told it yet; after a crash it may have moved already.
    pub fn move_branch(&mut self, run: &Run, step: usize, attempt: u32) -> Candidate {
        let (definition, state) = run.step(step).expect("a step");
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
        *candidate
    }
}

fn attempts(run: &Run, step: usize) -> u32 {
    run.step(step).expect("a step").1.attempts
}

/// What was seen of a process that ended so.
pub fn observed(ended: ProcessEnd) -> Observation {
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
        overlay_mode: None,
        machine: None,
        warm: false,
        ignored_work: false,
        void: None,
        left_out: Vec::new(),
    }
}

fn item(role: Option<&str>) -> WorkItem {
    WorkItem {
        agent_id: role.unwrap_or("default").to_owned(),
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
