//! The real loop over a scripted performer: a journal in memory that can fail, a clock that waiting moves, a person who
//! answers from a list.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use signoff_engine::{
    AcceptAt, Action, AgentReports, Bounds, Choice, ContractCache, Event, InboxItem, Input,
    Isolation, LandAt, Millis, OnGreenBaseline, RecordedEvent, Refusal, Run, RunStart, RunTree,
    Settings, apply,
};
use signoff_runtime::drive::{
    Append, JournaledRun, Loop, Observe, Performer, Person, PersonAnswer, Readiness, StopReason,
    WakeReason,
};
use signoff_runtime::{Clock, Error};
use signoff_testkit::performer::{Beginning, Outcomes, START, SimulatedPerformer};
use signoff_testkit::signed_plan::{plan_text, signed_plan};

/// A run, and everything around it.
pub(crate) struct World {
    pub(crate) settings: Settings,
    plan: String,
    pub(crate) disk: Rc<Disk>,
    pub(crate) hands: Hands,
    pub(crate) person: Answers,
    pub(crate) observer: Throttled,
}

impl World {
    pub(crate) fn new(steps: &[&str], outcomes: Outcomes) -> Self {
        let disk = Rc::new(Disk {
            now: Cell::new(1000),
            ..Disk::default()
        });
        Self {
            settings: Settings {
                backoff: 1000,
                baseline: true,
                green: OnGreenBaseline::Run,
                accept: AcceptAt::Step,
                jobs: 1,
                sandbox: "none".to_owned(),
                isolation: Isolation::Shared,
                land: LandAt::End,
                cache: ContractCache::Cold,
                max_replans: 3,
                roles: Vec::new(),
                has_planner: true,
            },
            plan: plan_text(steps),
            hands: Hands {
                performer: SimulatedPerformer::new(outcomes),
                disk: Rc::clone(&disk),
                ..Hands::default()
            },
            disk,
            person: Answers::default(),
            observer: Throttled::default(),
        }
    }

    pub(crate) fn in_worktrees(mut self, jobs: usize) -> Self {
        self.settings.isolation = Isolation::Worktree;
        self.settings.jobs = jobs;
        self
    }

    /// The run in the state that the journal tells.
    pub(crate) fn replayed(&self) -> Run {
        let mut run = Run::new(signed_plan(&self.plan));
        for recorded in self.disk.journal.borrow().iter() {
            apply(&mut run, recorded);
        }
        run
    }

    /// Starts the run or takes it up again, and drives it until it stops.
    pub(crate) fn drive(&mut self) -> Result<StopReason, Error> {
        // What an earlier harness began ended with it.
        self.hands.ends.clear();
        let state = self.replayed();
        let has_begun = !self.disk.journal.borrow().is_empty();
        let mut run = JournaledRun::new(state, Appending(&self.disk), &*self.disk);
        if has_begun {
            run.record(Input::Resume {
                by: "tester".to_owned(),
                reports: AgentReports::new(),
            })?;
        } else {
            run.record(self.start())?;
        }
        if self.settings.isolation == Isolation::Worktree && run.state().head().is_none() {
            run.record(prepared_tree())?;
        }
        let work = Loop {
            run: &mut run,
            perform: &mut self.hands,
            bounds: Bounds::default(),
            person: &mut self.person,
            observers: vec![&mut self.observer],
            difference: None,
        };
        work.drive()
    }

    fn start(&self) -> Input {
        Input::Start(RunStart {
            planning: Vec::new(),
            run: "run".to_owned(),
            plan: "plan.md".to_owned(),
            path: "plan.md".to_owned(),
            digest: "d".to_owned(),
            terms: "t".to_owned(),
            settings: self.settings.clone(),
            earlier: Vec::new(),
        })
    }
}

fn prepared_tree() -> Input {
    Input::TreePrepared {
        tree: RunTree {
            base: None,
            start: START.to_owned(),
            branch: Some("b".to_owned()),
            checkout: None,
            private: false,
            layers: true,
        },
    }
}

/// The journal and the clock.
#[derive(Default)]
pub(crate) struct Disk {
    journal: RefCell<Vec<RecordedEvent>>,
    synced: Cell<usize>,
    /// How many events each sync made safe.
    pub(crate) syncs: RefCell<Vec<usize>>,
    writes: Cell<usize>,
    /// The write that fails, and whether its events reach the journal all the same.
    pub(crate) fails: Cell<Option<(usize, bool)>>,
    now: Cell<Millis>,
}

impl Disk {
    pub(crate) fn events(&self) -> Vec<Event> {
        let journal = self.journal.borrow();
        journal
            .iter()
            .map(|recorded| recorded.event.clone())
            .collect()
    }
}

impl Clock for Disk {
    fn now(&self) -> Millis {
        self.now.get()
    }
}

struct Appending<'a>(&'a Disk);

impl Append for Appending<'_> {
    fn write(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<RecordedEvent>, Error> {
        let disk = self.0;
        disk.writes.set(disk.writes.get() + 1);
        let fails = disk
            .fails
            .get()
            .filter(|(write, _)| *write == disk.writes.get());
        let mut journal = disk.journal.borrow_mut();
        let first = journal.len() as u64 + 1;
        let recorded: Vec<_> = (first..)
            .zip(events)
            .map(|(seq, event)| RecordedEvent { seq, at, event })
            .collect();
        if fails.is_none_or(|(_, reaches)| reaches) {
            journal.extend(recorded.iter().cloned());
        }
        match fails {
            Some(_) => Err(Error::Unwritable {
                why: "the disk is gone".to_owned(),
            }),
            None => Ok(recorded),
        }
    }

    fn sync(&mut self) -> Result<(), Error> {
        let written = self.0.journal.borrow().len();
        let new = written - self.0.synced.replace(written);
        self.0.syncs.borrow_mut().push(new);
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        self.sync()
    }
}

/// Performs by the script, one end at a time.
#[derive(Default)]
pub(crate) struct Hands {
    pub(crate) performer: SimulatedPerformer,
    disk: Rc<Disk>,
    /// What begun actions come to.
    ends: VecDeque<Input>,
    /// Every action that began.
    pub(crate) began: Vec<Action>,
    /// What else happens, once so many actions have begun.
    pub(crate) news: VecDeque<(usize, WakeReason)>,
    /// What happens once nothing is under way.
    pub(crate) news_at_rest: VecDeque<WakeReason>,
    /// The plan's file changes once so many actions have begun.
    pub(crate) changes_after: Option<usize>,
    pub(crate) replies: Vec<(String, Option<Refusal>)>,
    pub(crate) stops: usize,
    /// So often nothing happens before something begun ends, if the loop waits only so long.
    pub(crate) idle: usize,
    /// Everything that was begun ends at the same moment.
    pub(crate) ends_together: bool,
}

impl Performer for Hands {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Readiness, Error> {
        if self
            .changes_after
            .is_some_and(|count| self.began.len() >= count)
        {
            return Ok(Readiness::Changed(Box::default()));
        }
        let begins = self
            .performer
            .begin(run, action)
            .expect("something to perform");
        Ok(match begins {
            Beginning::Begins(input) => Readiness::Go(input),
            Beginning::Instead(input) => Readiness::Instead(input),
        })
    }

    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        let written = self.disk.journal.borrow().len();
        assert_eq!(
            self.disk.synced.get(),
            written,
            "{action:?} began before its event was safe"
        );
        self.began.push(action.clone());
        self.ends.push_back(self.performer.end(run, action));
        Ok(())
    }

    fn input_recorded(&mut self, _: &Run, input: &Input) {
        let written = self.disk.journal.borrow().len();
        assert_eq!(self.disk.synced.get(), written, "{input:?} was not safe");
    }

    fn next_report(&mut self, _: &Run) -> Option<Input> {
        self.ends_together.then(|| self.ends.pop_front()).flatten()
    }

    fn next(&mut self, _: &Run, now: Millis, wake: Option<Millis>) -> Result<WakeReason, Error> {
        if self.has_news() {
            let news = self.news.pop_front().map(|(_, news)| news);
            let news = news.or_else(|| self.news_at_rest.pop_front());
            return Ok(news.expect("news"));
        }
        if let Some(wake) = wake.filter(|wake| self.idle > 0 && *wake > now) {
            self.idle -= 1;
            self.disk.now.set(wake);
            return Ok(WakeReason::Timer);
        }
        if let Some(end) = self.ends.pop_front() {
            return Ok(WakeReason::Input(end));
        }
        let wake = wake.expect("the loop waits for nothing");
        assert!(wake > now, "a wait that is over");
        self.disk.now.set(wake);
        Ok(WakeReason::Timer)
    }

    fn stop(&mut self, _: &Run) -> Vec<Input> {
        self.stops += 1;
        self.ends.drain(..).collect()
    }

    fn has_news(&mut self) -> bool {
        let due = |(after, _): &(usize, WakeReason)| *after <= self.began.len();
        let at_rest = self.ends.is_empty() && !self.began.is_empty();
        self.news.front().is_some_and(due) || (at_rest && !self.news_at_rest.is_empty())
    }

    fn reply(&mut self, request: &str, refused: Option<&Refusal>) {
        self.replies.push((request.to_owned(), refused.cloned()));
    }
}

/// Holds back what it sees, a second at most.
#[derive(Default)]
pub(crate) struct Throttled {
    /// When it began to hold something back.
    since: Option<Millis>,
    /// The newest event, and what it was whenever it caught up.
    newest: Option<Event>,
    pub(crate) caught_up: Vec<Option<Event>>,
}

impl Observe for Throttled {
    fn event(&mut self, _: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        self.since.get_or_insert(recorded.at);
        self.newest = Some(recorded.event.clone());
        Ok(())
    }

    fn due_in(&self, now: Millis) -> Option<Millis> {
        let since = self.since?;
        Some(1000_u64.saturating_sub(now.saturating_sub(since)))
    }

    fn catch_up(&mut self, _: &Run, _: Millis) {
        if self.since.take().is_some() {
            self.caught_up.push(self.newest.clone());
        }
    }
}

/// What a person does about the next item.
pub(crate) enum Reply {
    Choose(Choice),
    /// Something else has come between.
    Nothing,
}

/// A person with a list of answers, who says "later" once it is used up.
#[derive(Default)]
pub(crate) struct Answers {
    pub(crate) answers: VecDeque<Reply>,
    pub(crate) refusals: Vec<Refusal>,
}

impl Person for Answers {
    fn answer(
        &mut self,
        _: &Run,
        item: &InboxItem,
        has_news: &mut dyn FnMut() -> bool,
    ) -> PersonAnswer {
        match self.answers.pop_front() {
            Some(Reply::Choose(choice)) => PersonAnswer::Answer(Box::new(Input::Answer {
                item: item.id.clone(),
                steps: Vec::new(),
                choice,
                note: None,
                by: "tester".to_owned(),
            })),
            Some(Reply::Nothing) => {
                assert!(has_news(), "nothing has come between");
                PersonAnswer::Nothing
            }
            None => PersonAnswer::Later,
        }
    }

    fn note_refusal(&mut self, refusal: &Refusal) {
        self.refusals.push(refusal.clone());
    }

    fn is_present(&self) -> bool {
        !self.answers.is_empty()
    }
}
