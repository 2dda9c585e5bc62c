//! A world for the engine: a signed plan, a list of what will happen, no processes.

use signoff_engine::{
    AcceptAt, Action, AgentReports, Bounds, Candidate, ContractCache, Event, Input, Isolation,
    OnGreenBaseline, PauseReason, RecordedEvent, Run, RunStart, RunTree, Settings, apply, decide,
    due,
};
use signoff_plan::signed::SignedPlan;
use signoff_testkit::performer::Beginning;
pub(crate) use signoff_testkit::performer::{
    Commit, Outcomes, START, SimulatedPerformer, observed,
};
pub(crate) use signoff_testkit::signed_plan::{
    AGENT, CHECK, UNVERIFIED, plan_text, signed_plan as signed,
};

pub(crate) struct World {
    pub(crate) run: Run,
    pub(crate) events: Vec<RecordedEvent>,
    pub(crate) now: u64,
    pub(crate) performer: SimulatedPerformer,
    pub(crate) bounds: Bounds,
}

impl World {
    /// A world in which a person is asked at each step that has no contract.
    pub(crate) fn new(text: &str, outcomes: Outcomes) -> Self {
        Self::accepting(AcceptAt::Step, text, outcomes)
    }

    pub(crate) fn accepting(accept: AcceptAt, text: &str, outcomes: Outcomes) -> Self {
        Self::with(accept, 1, text, outcomes)
    }

    pub(crate) fn with(accept: AcceptAt, jobs: usize, text: &str, outcomes: Outcomes) -> Self {
        let place = (Isolation::Shared, ContractCache::Cold);
        Self::on(place, accept, jobs, text, outcomes)
    }

    /// The world of a plan that was signed elsewhere.
    pub(crate) fn signed(plan: SignedPlan, outcomes: Outcomes) -> Self {
        let place = (Isolation::Shared, ContractCache::Cold);
        Self::running(place, AcceptAt::Step, 1, plan, outcomes)
    }

    /// A world in which an arbiter chooses from these roles.
    pub(crate) fn choosing(roles: &[&str], text: &str, outcomes: Outcomes) -> Self {
        let place = (Isolation::Shared, ContractCache::Cold);
        let roles = roles.iter().map(|role| (*role).to_owned()).collect();
        Self::running_with(place, AcceptAt::Step, 1, signed(text), outcomes, roles)
    }

    /// A world in which every agent has a worktree of its own.
    pub(crate) fn in_worktrees(
        accept: AcceptAt,
        jobs: usize,
        text: &str,
        outcomes: Outcomes,
    ) -> Self {
        Self::in_rooms(ContractCache::Cold, accept, jobs, text, outcomes)
    }

    /// The same, in which contracts may find what earlier ones built.
    pub(crate) fn in_rooms(
        cache: ContractCache,
        accept: AcceptAt,
        jobs: usize,
        text: &str,
        outcomes: Outcomes,
    ) -> Self {
        let place = (Isolation::Worktree, cache);
        let mut world = Self::on(place, accept, jobs, text, outcomes);
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
        place: (Isolation, ContractCache),
        accept: AcceptAt,
        jobs: usize,
        text: &str,
        outcomes: Outcomes,
    ) -> Self {
        Self::running(place, accept, jobs, signed(text), outcomes)
    }

    fn running(
        place: (Isolation, ContractCache),
        accept: AcceptAt,
        jobs: usize,
        plan: SignedPlan,
        outcomes: Outcomes,
    ) -> Self {
        Self::running_with(place, accept, jobs, plan, outcomes, Vec::new())
    }

    fn running_with(
        (isolation, cache): (Isolation, ContractCache),
        accept: AcceptAt,
        jobs: usize,
        plan: SignedPlan,
        outcomes: Outcomes,
        roles: Vec<String>,
    ) -> Self {
        let mut world = Self {
            run: Run::new(plan),
            events: Vec::new(),
            now: 1000,
            performer: SimulatedPerformer::new(outcomes),
            bounds: Bounds::default(),
        };
        world.record(Input::Start(RunStart {
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
                max_replans: 3,
                roles,
                has_planner: true,
            },
            earlier: Vec::new(),
            planning: Vec::new(),
        }));
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
    pub(crate) fn cut(&self, events: usize, outcomes: Outcomes) -> Self {
        let events = self.events[..events].to_vec();
        let told: Vec<&str> = (events.iter())
            .filter_map(|recorded| match &recorded.event {
                Event::Merged { commit, .. } => Some(commit.as_str()),
                _ => None,
            })
            .collect();
        let mut branch = self.performer.branch.clone();
        branch.retain(|commit| told.contains(&commit.id.as_str()));
        Self {
            run: Run::new(self.run.signed_plan().clone()),
            events,
            now: self.now,
            performer: SimulatedPerformer { outcomes, branch },
            bounds: Bounds::default(),
        }
    }

    /// The harness dies and comes back with what it had written.
    pub(crate) fn crash(&mut self) {
        let mut run = Run::new(self.run.signed_plan().clone());
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
                reports: AgentReports::new(),
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
        match self.performer.begin(&self.run, &action) {
            Some(Beginning::Instead(input)) => self.record(input),
            Some(Beginning::Begins(input)) => {
                self.record(input);
                if !cut {
                    let end = self.performer.end(&self.run, &action);
                    self.record(end);
                }
            }
            None => {
                if let Action::Wait { until } = action {
                    self.now = until;
                }
            }
        }
    }

    pub(crate) fn build(&mut self, step: usize, attempt: u32) {
        let built = self.performer.build(&self.run, step, attempt);
        self.record(built);
    }

    /// The branch moves, and nobody has told it yet; after a crash it may have moved already.
    pub(crate) fn move_branch(&mut self, step: usize, attempt: u32) -> Candidate {
        self.performer.move_branch(&self.run, step, attempt)
    }

    pub(crate) fn merge(&mut self, step: usize, attempt: u32) {
        let merged = self
            .performer
            .end(&self.run, &Action::Merge { step, attempt });
        self.record(merged);
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

/// `StepCompleted { .. }` as `StepCompleted step-1`.
pub(crate) fn name(event: &Event) -> String {
    let text = format!("{event:?}");
    let kind = text.split([' ', '{']).next().unwrap_or_default().to_owned();
    match event.step() {
        Some(step) => format!("{kind} {step}"),
        None => kind,
    }
}
