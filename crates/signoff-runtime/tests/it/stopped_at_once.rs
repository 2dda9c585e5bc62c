//! However busy the loop is with what needs no waiting, a person can stop it.

use signoff_engine::{
    AcceptAt, Action, Bounds, CheckoutChanges, Event, Input, Isolation, LandAt, Millis,
    OnGreenBaseline, RecordedEvent, Refusal, Run, Settings, apply,
};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::check;
use signoff_plan::dialect::parse;
use signoff_plan::digest::Digest;
use signoff_plan::signed::{Signature, SignedPlan};
use signoff_plan::source::Source;
use signoff_runtime::drive::{
    Append, JournaledRun, Loop, NoPerson, Performer, Readiness, StopReason, WakeReason,
};
use signoff_runtime::{Error, SystemClock};

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# A\n\n**Budget:** 1h\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```shell\ntest -d .\n```\n";

/// Nothing ever begins: each time there is something else to be journaled first.
struct Busy {
    prepared: u32,
}

/// When the person presses Ctrl-C.
const INTERRUPTED: u32 = 10;

/// When the test gives up.
const FOR_EVER: u32 = 1000;

impl Performer for Busy {
    fn prepare(&mut self, _: &Run, _: &Action) -> Result<Readiness, Error> {
        self.prepared += 1;
        assert!(self.prepared < FOR_EVER, "nobody listened");
        Ok(Readiness::Instead(Input::CheckoutJoined(CheckoutChanges {
            commit: format!("{}", self.prepared),
            tree: String::new(),
            files: Vec::new(),
            conflicts: Vec::new(),
            deleted: Vec::new(),
        })))
    }

    fn begin(&mut self, _: &Run, _: &Action) -> Result<(), Error> {
        Ok(())
    }

    fn input_recorded(&mut self, _: &Run, _: &Input) {}

    fn next(&mut self, _: &Run, _: Millis, _: Option<Millis>) -> Result<WakeReason, Error> {
        Ok(WakeReason::Interrupted)
    }

    fn stop(&mut self, _: &Run) -> Vec<Input> {
        Vec::new()
    }

    fn has_news(&mut self) -> bool {
        self.prepared >= INTERRUPTED
    }

    fn reply(&mut self, _: &str, _: Option<&Refusal>) {}
}

struct Memory(u64);

impl Append for Memory {
    fn write(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<RecordedEvent>, Error> {
        let recorded = events.into_iter().map(|event| {
            self.0 += 1;
            RecordedEvent {
                seq: self.0,
                at,
                event,
            }
        });
        Ok(recorded.collect())
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

fn signed() -> SignedPlan {
    let source = Source::new("plan.md", PLAN.as_bytes().to_vec());
    let plan = check(&parse(&source), &PermissiveWorkspace).accept();
    let plan = plan.expect("there are no errors");
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

fn started() -> Run {
    let mut run = Run::new(signed());
    let event = Event::RunStarted {
        run: "r".to_owned(),
        plan: "plan.md".to_owned(),
        path: "plan.md".to_owned(),
        digest: String::new(),
        terms: String::new(),
        settings: Settings {
            backoff: 0,
            baseline: false,
            green: OnGreenBaseline::Run,
            accept: AcceptAt::End,
            jobs: 1,
            sandbox: "none".to_owned(),
            isolation: Isolation::Worktree,
            land: LandAt::End,
            cache: signoff_engine::ContractCache::Cold,
            max_replans: 3,
            roles: Vec::new(),
            has_planner: true,
        },
    };
    apply(
        &mut run,
        &RecordedEvent {
            seq: 1,
            at: 0,
            event,
        },
    );
    run
}

fn drive(run: Run, perform: &mut dyn Performer) -> Result<StopReason, Error> {
    let clock = SystemClock::default();
    let work = Loop {
        run: &mut JournaledRun::new(run, Memory(1), &clock),
        perform,
        bounds: Bounds::default(),
        person: &mut NoPerson,
        observers: Vec::new(),
        difference: None,
    };
    work.drive()
}

#[test]
fn a_loop_that_never_waits_can_be_interrupted() {
    let stopped = drive(started(), &mut Busy { prepared: 0 });
    assert!(
        matches!(stopped, Ok(StopReason::Interrupted)),
        "{:?}",
        stopped.err()
    );
}

/// Ctrl-C ends the git that the loop waits for: what it was asked to prepare fails.
struct CutOff {
    is_stopping: bool,
}

impl Performer for CutOff {
    fn prepare(&mut self, _: &Run, _: &Action) -> Result<Readiness, Error> {
        assert!(!self.is_stopping, "something else was to begin");
        self.is_stopping = true;
        Ok(Readiness::Stopping)
    }

    fn begin(&mut self, _: &Run, _: &Action) -> Result<(), Error> {
        assert!(!self.is_stopping, "something began");
        Ok(())
    }

    fn input_recorded(&mut self, _: &Run, _: &Input) {}

    fn next(&mut self, _: &Run, _: Millis, _: Option<Millis>) -> Result<WakeReason, Error> {
        Ok(WakeReason::Interrupted)
    }

    fn stop(&mut self, _: &Run) -> Vec<Input> {
        Vec::new()
    }

    /// The signal's thread has stopped everything, and is about to say so.
    fn has_news(&mut self) -> bool {
        false
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping
    }

    fn reply(&mut self, _: &str, _: Option<&Refusal>) {}
}

#[test]
fn what_fails_because_the_run_is_stopped_is_no_failure() {
    let stopped = drive(started(), &mut CutOff { is_stopping: false });
    assert!(
        matches!(stopped, Ok(StopReason::Interrupted)),
        "{:?}",
        stopped.err()
    );
}
