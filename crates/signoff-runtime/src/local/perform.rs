//! What the loop asks of this machine.

use std::sync::Arc;
use std::time::Duration;

use signoff_engine::{Action, AgentReports, InboxItem, InboxKind, Input, Millis, Refusal, Run};

use super::LocalPerformer;
use super::heartbeat::INTERVAL;
use super::message::Message;
use crate::drive::{Performer, Readiness, WakeReason};
use crate::error::Error;
use crate::runs::agent_report;

impl Performer for LocalPerformer<'_> {
    fn prepare(&mut self, run: &Run, action: &Action) -> Result<Readiness, Error> {
        let prepared = match self.held_outside(run, action)? {
            Some(instead) => Ok(Readiness::Instead(instead)),
            None => self.prepare_action(run, action),
        };
        if self.supervisor.is_stopping() {
            // Git may have been interrupted. What is done is journaled, and nothing else begins.
            return Ok(match prepared {
                Ok(Readiness::Instead(
                    done @ (Input::CheckoutJoined { .. } | Input::FilesLanded { .. }),
                )) => Readiness::Instead(done),
                Ok(_) | Err(_) => Readiness::Stopping,
            });
        }
        if matches!(prepared, Ok(Readiness::Go(_))) {
            self.checkout_watcher.note_begun(action);
        }
        prepared.map_err(|error| self.missing_error(run).unwrap_or(error))
    }

    fn begin(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        self.begin_all(run, std::slice::from_ref(action))
    }

    fn begin_all(&mut self, run: &Run, actions: &[Action]) -> Result<(), Error> {
        let mut orders = Vec::new();
        for action in actions {
            match self.order(run, action)? {
                Some(order) => orders.push(order),
                None => self.begin_here(run, action)?,
            }
        }
        self.hand_over(orders)
    }

    fn next_report(&mut self, run: &Run) -> Option<Input> {
        self.commands.project.cluster.as_ref()?;
        loop {
            if self.news.is_some() {
                return None;
            }
            match self.receiver.try_recv().ok()? {
                Message::Reported(report) => match Self::reported_input(run, *report) {
                    Some(WakeReason::Input(input)) => return Some(input),
                    Some(other) => self.news = Some(Message::Happened(other)),
                    None => {}
                },
                other => self.news = Some(other),
            }
        }
    }

    fn take_over(&mut self, run: &Run) -> Result<(), Error> {
        self.locks.take_over(run)?;
        self.hand_over_again(run)
    }

    fn is_stopping(&self) -> bool {
        self.supervisor.is_stopping()
    }

    fn input_recorded(&mut self, run: &Run, input: &Input) {
        // Locks that were just found free are for the actions that begin next.
        if !matches!(input, Input::LockFree { .. }) {
            self.locks.keep_only(&run.locks_in_use());
        }
        match input {
            Input::CheckoutJoined { .. } => {
                if let Some(trees) = self.trees().map(Arc::clone) {
                    self.checkout_watcher.note_recorded(&trees);
                }
            }
            Input::WorkBegins { step, attempt, .. } => {
                if let (Some(trees), Some((step, _))) = (self.trees(), run.step(*step)) {
                    trees.retire_repair(&step.id, *attempt);
                }
            }
            Input::Merged { step, .. } => {
                if let (Some(trees), Some((step, _))) = (self.trees(), run.step(*step)) {
                    trees.forget_repair(&step.id);
                }
            }
            Input::WorkEnded { step, .. } => {
                self.agents.remove(step);
            }
            Input::PermissionAsked { step, .. } => self.note_question(run, *step),
            Input::AgentCallBegins { step, number, .. } => self.release_agent_call(*step, *number),
            Input::Answer { item, choice, .. } => self.pass_on_answer(item, *choice),
            Input::ProcessHeld { step, .. } => {
                if let Some(gate) = self.gates.remove(step) {
                    // The thread is gone only if the run is being stopped.
                    let _gone = gate.send(());
                }
            }
            _ => {}
        }
    }

    fn next(&mut self, run: &Run, now: Millis, wake: Option<Millis>) -> Result<WakeReason, Error> {
        self.locks.keep_only(&run.locks_in_use());
        if let Some(news) = self.locks.next_lock_change(run, now)? {
            return Ok(WakeReason::Input(news));
        }
        loop {
            let message = match (self.news.take(), wake) {
                (Some(message), _) => Some(message),
                (None, Some(at)) => self.wait(Some(Duration::from_millis(at.saturating_sub(now)))),
                (None, None) => self.wait(None),
            };
            match message {
                // We hold a sender ourselves, so the channel cannot be disconnected.
                None => return Ok(self.note_event(WakeReason::Timer)),
                Some(Message::Happened(happened)) => {
                    match &happened {
                        WakeReason::Active(agent) => self.note_active(run, agent),
                        WakeReason::Input(input) => self.share_commit(run, input)?,
                        _ => {}
                    }
                    let happened = self.note_event(happened);
                    return self.check_trouble(run, happened);
                }
                Some(Message::Ready { action, made }) => match made {
                    // What has not begun is void, and begins when the run goes on.
                    Ok(_) if self.supervisor.is_stopping() => {}
                    Ok(mount) => self.begin_in(run, &action, Some(mount))?,
                    Err(why) => return Err(self.no_tree(run, &action, why)),
                },
                Some(Message::Reported(report)) => {
                    if let Some(happened) = Self::reported_input(run, *report) {
                        return Ok(happened);
                    }
                }
            }
        }
    }

    fn stop(&mut self, run: &Run) -> Vec<Input> {
        // Threads that hold an agent at its gate see it close and let the agent go unstarted.
        self.gates.clear();
        for agent in self.agents.values() {
            if let Some(servers) = &agent.servers {
                servers.close();
            }
        }
        let cluster = self.commands.project.cluster.as_ref();
        let uncalled = cluster.map_or_else(Vec::new, |cluster| cluster.withdraw());
        self.calls.stop();
        self.question_stop.stop_agents();
        self.supervisor.stop();
        let late = self.news.take().into_iter().chain(self.receiver.try_iter());
        let late = late.filter_map(|message| match message {
            // An agent that was not released has not started.
            Message::Happened(WakeReason::Input(Input::ProcessHeld { .. })) => None,
            // The agent that asked is gone.
            Message::Happened(WakeReason::Input(Input::PermissionAsked { .. })) => None,
            // A call that was not released is not made.
            Message::Happened(WakeReason::Input(Input::AgentCallBegins { .. })) => None,
            Message::Happened(WakeReason::Input(input)) => {
                if let Input::WorkEnded { step, .. } = &input {
                    self.agents.remove(step);
                }
                Some(input)
            }
            Message::Happened(WakeReason::Active(agent)) => {
                if let Some(known) = self.agents.get_mut(&agent.step) {
                    known.progress = Some(agent.progress);
                }
                None
            }
            Message::Happened(WakeReason::Trouble(trouble)) => trouble.known,
            Message::Reported(report) => match Self::reported_input(run, *report)? {
                WakeReason::Input(input) => Some(input),
                WakeReason::Trouble(trouble) => trouble.known,
                _ => None,
            },
            Message::Happened(_) | Message::Ready { .. } => None,
        });
        let uncalled = uncalled.into_iter().filter_map(|(step, attempt)| {
            let step = run.position(&step)?;
            Some(Input::CallNotMade { step, attempt })
        });
        late.chain(uncalled).collect()
    }

    fn reports(&mut self) -> AgentReports {
        let agents = std::mem::take(&mut self.agents).into_iter();
        let told = agents.filter_map(|(step, agent)| Some((step, agent_report(agent.progress?))));
        told.collect()
    }

    fn has_news(&mut self) -> bool {
        self.heartbeat.touch_lock_if_due();
        if self.news.is_none() {
            self.news = self.receiver.try_recv().ok();
        }
        self.news.is_some()
    }

    fn on_idle(&mut self, run: &Run) {
        self.offer_repairs(run);
        let is_escalation = |item: &InboxItem| item.kind == InboxKind::Escalation;
        if let Some(trees) = self.trees()
            && run.items().any(is_escalation)
        {
            trees.accept_changed();
        }
    }

    fn reply(&mut self, request: &str, refused: Option<&Refusal>) {
        self.listener
            .reply(request, refused.map(ToString::to_string));
    }
}

impl LocalPerformer<'_> {
    /// What is to be journaled instead of an action that needs what other runs have: a lock, or the money of the day.
    fn held_outside(&mut self, run: &Run, action: &Action) -> Result<Option<Input>, Error> {
        if action.costs_money()
            && let Some(day) = self.ledger.exceeded_limit(self.commands.clock.now())?
        {
            return Ok(Some(Input::DayLimit(day)));
        }
        self.locks.take_for(run, action)
    }

    /// Begins an action on this machine.
    pub(crate) fn begin_here(&mut self, run: &Run, action: &Action) -> Result<(), Error> {
        let note_begun = match self.make_tree(run, action) {
            Ok(false) => self.begin_in(run, action, None),
            made => made.map(|_| ()),
        };
        match note_begun {
            // What has not begun is void, and begins when the run goes on.
            Err(_) if self.supervisor.is_stopping() => Ok(()),
            note_begun => note_begun,
        }
    }

    /// Waits for the next message, at most so long, and shows meanwhile that this process is alive.
    fn wait(&mut self, mut left: Option<Duration>) -> Option<Message> {
        loop {
            let wait = left.map_or(INTERVAL, |left| left.min(INTERVAL));
            if let Ok(message) = self.receiver.recv_timeout(wait) {
                return Some(message);
            }
            left = left.map(|left| left.saturating_sub(wait));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            self.heartbeat.touch_lock();
        }
    }
}
