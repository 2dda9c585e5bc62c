//! Reports a run as it happens: live lines on a terminal, plain lines elsewhere, or one JSON object for each event.

use std::collections::BTreeMap;
use std::time::Duration;

use signoff_api::event::StreamedEvent;
use signoff_engine::{Event, RecordedEvent, Run, wall_left};
use signoff_runtime::Error;
use signoff_runtime::drive::{ActiveAgent, Observe};
use signoff_runtime::project::Project;
use signoff_runtime::runs::view::{plan_created, stream_event};

use crate::report::run::agent_text::{AgentLines, agent_line, agent_text};
use crate::report::run::event_lines::EventLines;
use crate::report::run::live_rows::{LiveRow, TimeLimits, Totals};
use crate::report::run::milestone::milestone;
use crate::report::run::screen::{Screen, ScreenThread};
use crate::session::Session;

/// Reports every event as it happens.
pub(crate) struct RunReporter<'a> {
    session: &'a mut Session,
    /// The live lines, on a terminal.
    screen_thread: Option<ScreenThread>,
    limits: TimeLimits,
    /// The lines that stay, where nothing is drawn.
    lines: EventLines,
    /// When agents at work were last spoken of there.
    agent_lines: AgentLines,
    /// How far agents say that their steps are.
    progress: BTreeMap<usize, Option<u8>>,
    asked: usize,
    /// The shell of contracts that name none.
    shell: String,
    /// The last line of JSON, held back.
    last: Option<StreamedEvent>,
}

impl<'a> RunReporter<'a> {
    pub(crate) fn new(session: &'a mut Session, project: &Project) -> Self {
        let stream = session.out.live_stream().filter(|_| !session.is_json());
        Self {
            screen_thread: stream.map(ScreenThread::begin),
            limits: TimeLimits {
                work: project.config.run.step_timeout.value,
                contract: project.config.contract.timeout.value,
                budget: None,
            },
            session,
            lines: EventLines::default(),
            agent_lines: AgentLines::default(),
            progress: BTreeMap::new(),
            asked: 0,
            shell: project.config.contract.shell.value.clone(),
            last: None,
        }
    }

    /// Ends the report. Returns the last JSON line if it was held back: the caller adds the landing to it.
    pub(crate) fn end(self) -> Option<StreamedEvent> {
        self.last
    }

    /// The live lines. The caller hides them ([`Screen::suspend`]) while it asks a person, so that nothing is drawn over
    /// the question.
    pub(crate) fn screen(&self) -> Option<Screen> {
        self.screen_thread
            .as_ref()
            .map(|screen_thread| screen_thread.screen().clone())
    }

    fn draw(&mut self, run: &Run, recorded: &RecordedEvent) -> Option<()> {
        let screen = self.screen_thread.as_ref()?.screen();
        if let Event::InboxOpened { .. } | Event::InboxAnswered { .. } = recorded.event {
            self.asked = run.items().count();
        }
        let totals = Totals {
            done: run.done_steps(),
            total: run.plan().steps.len(),
            asked: self.asked,
        };
        if let Some(text) = milestone(run, recorded).filter(|_| !is_end(&recorded.event)) {
            screen.say(&self.session.out.secrets().hide(&text));
        }
        let at = run.position(recorded.event.step()?)?;
        let (step, state) = run.step(at)?;
        let left = wall_left(run, at, recorded.at).map(Duration::from_millis);
        let limits = TimeLimits {
            budget: left,
            ..self.limits
        };
        let row = LiveRow::for_step(step, state, run.work_location(at), screen.elapsed(), limits);
        screen.set(at, row, totals);
        Some(())
    }
}

impl Observe for RunReporter<'_> {
    fn agent_active(&mut self, run: &Run, agent: &ActiveAgent) {
        if self.session.is_json() {
            // The next event about its step tells it.
            self.progress.insert(agent.step, agent.progress.progress);
        } else if let Some(thread) = &self.screen_thread {
            // The monitor has hidden secrets in it.
            let text = agent_text(run, agent);
            thread.screen().set_agent(agent.step, text);
        } else if self.agent_lines.is_due(agent.step) {
            self.session.out.say(agent_line(run, agent));
        }
    }

    fn event(&mut self, run: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        if self.session.is_json() {
            if let Event::RunStarted { .. } = recorded.event {
                let created = plan_created(run, recorded, &self.shell);
                self.session.json(&created);
            }
            let mut shown = stream_event(run, recorded);
            let at = recorded.event.step().and_then(|step| run.position(step));
            let told = at.and_then(|at| self.progress.get(&at).copied().flatten());
            shown.progress = told.map_or(shown.progress, |told| told.max(shown.progress));
            if is_end(&recorded.event) {
                // The last line says what became of the run's commits, which is not known yet.
                self.last = Some(shown);
            } else {
                self.session.json(&shown);
            }
        } else if self.screen_thread.is_some() {
            // An event that is not about a step changes no line.
            let _no_step = self.draw(run, recorded);
        } else if let Some(text) =
            (self.lines.line(run, recorded)).filter(|_| !is_end(&recorded.event))
        {
            self.session.out.say(text);
        }
        Ok(())
    }
}

/// The end of the run, which the table reports.
fn is_end(event: &Event) -> bool {
    matches!(event, Event::RunFinished { .. })
}
