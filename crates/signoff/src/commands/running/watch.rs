//! `watch`: a run on a screen, as it goes on.

mod contract;
mod landing;

use std::path::PathBuf;
use std::time::SystemTime;

use signoff_api::inbox::Item;
use signoff_api::request::RequestKind;
use signoff_api::transcript::TranscriptEntry;
use signoff_runtime::launch::{LaunchedBy, launch_resume};
use signoff_runtime::project::Project;
use signoff_runtime::runs::control::{RequestOutcome, ask};
use signoff_runtime::runs::names::run_or_newest;
use signoff_runtime::runs::transcript::AgentLog;
use signoff_runtime::runs::view::RunView;
use signoff_runtime::{Clock as _, SystemClock};
use signoff_tui::watch::{WatchData, WatchEffect};
use signoff_tui::{Notice, WatchBackend, open_watch};

use self::contract::contract_lines;
use self::landing::{land_run, undo_run};
use crate::args::Answer;
use crate::commands::running::answer::answer_request;
use crate::commands::sign::review::{
    exit_code, require_terminal, screen_style, sentence, without_colours,
};
use crate::failure::Failure;
use crate::report::graph::layout::StepGraph;
use crate::report::graph::{RunProgress, terminal};
use crate::session::Session;

/// Columns of the drawing of dependencies.
const GRAPH_WIDTH: usize = 78;

pub(crate) fn watch(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let project = session.project()?;
    let run = run_or_newest(&project, run)?;
    require_terminal(&format!("signoff log {run} --follow"))?;
    let style = screen_style(session);
    let mut screen = WatchedRun {
        session,
        project,
        run,
        seen: Vec::new(),
        log: None,
    };
    let end = open_watch(&mut screen, style);
    end.map(exit_code)
        .map_err(|why| Failure::new(6, "terminal", why))
}

/// The run that is on the screen.
struct WatchedRun<'s> {
    session: &'s mut Session,
    project: Project,
    run: String,
    /// How the files looked that were read last.
    seen: Vec<Option<(u64, SystemTime)>>,
    /// What the agent of the selected step prints.
    log: Option<PathBuf>,
}

impl WatchBackend for WatchedRun<'_> {
    fn load(&mut self, step: Option<&str>, anew: bool) -> Result<Option<WatchData>, String> {
        let stamps = self.file_stamps();
        if !anew && stamps == self.seen {
            return Ok(None);
        }
        self.seen = stamps;
        let read = self.read(step);
        read.map(Some).map_err(|failure| sentence(&failure))
    }

    fn perform(&mut self, effect: WatchEffect) -> Notice {
        match self.carry_out(effect) {
            Ok(done) => Notice::Done(done),
            Err(failure) => Notice::Failed(sentence(&failure)),
        }
    }
}

impl WatchedRun<'_> {
    /// Journal, lock and the log that is shown: if none of them changed there is nothing new to see.
    fn file_stamps(&self) -> Vec<Option<(u64, SystemTime)>> {
        let dir = self.project.store.run_dir(&self.run);
        let stamp = |path: PathBuf| {
            let seen = std::fs::metadata(path).ok()?;
            Some((seen.len(), seen.modified().ok()?))
        };
        let paths = [dir.journal(), dir.lock()];
        paths
            .into_iter()
            .chain(self.log.clone())
            .map(stamp)
            .collect()
    }

    fn read(&mut self, step: Option<&str>) -> Result<WatchData, Failure> {
        let view = RunView::load(&self.project, &self.run)?;
        self.log = step.and_then(|step| self.agent_log(&view, step));
        let plan = view.run.plan();
        let progress = RunProgress {
            run: &view.run,
            driven: view.driven,
        };
        let graph = StepGraph::of_plan(plan);
        let graph = terminal::lines(plan, &graph, false, GRAPH_WIDTH, Some(&progress));
        Ok(WatchData {
            run: view.to_api(),
            graph: without_colours(graph),
            transcript: step
                .map(|step| self.transcript(&view, step))
                .unwrap_or_default(),
            contract: step
                .map(|step| self.contract(&view, step))
                .unwrap_or_default(),
        })
    }

    fn agent_log(&self, view: &RunView, step: &str) -> Option<PathBuf> {
        let (_, state) = view.run.step(view.run.position(step)?)?;
        let dir = self.project.store.run_dir(&self.run);
        Some(dir.attempt(step, state.attempts).agent_log())
    }

    fn transcript(&self, view: &RunView, step: &str) -> Vec<String> {
        let log = AgentLog::find(&self.project, view, step, None);
        let read = log.and_then(|log| log.transcript(self.project.store.workspace()).ok());
        let entries = read.map(|read| read.entries).unwrap_or_default();
        entries.iter().flat_map(entry_lines).collect()
    }

    /// What the contract said before the work, and after it.
    fn contract(&self, view: &RunView, step: &str) -> Vec<String> {
        let report = view.report(&self.project, SystemClock::new().now());
        let steps = report.map(|report| report.steps).unwrap_or_default();
        let found = steps.iter().find(|one| one.id == step);
        found.map(contract_lines).unwrap_or_default()
    }

    fn carry_out(&mut self, effect: WatchEffect) -> Result<String, Failure> {
        let run = self.run.clone();
        let send = |kind: RequestKind| ask(&self.project, &run, kind, &SystemClock::new());
        let person = |what: &str| self.session.require_person(what);
        match effect {
            WatchEffect::Pause => Ok(outcome_text(
                send(RequestKind::Pause)?,
                "pausing: nothing new starts",
            )),
            WatchEffect::Stop => Ok(outcome_text(
                send(RequestKind::Stop)?,
                "stopped, with its agents",
            )),
            WatchEffect::Abort => {
                person("abort a run")?;
                send(RequestKind::Abort)?;
                Ok("aborted: the run has failed".to_owned())
            }
            WatchEffect::Retry(step) => {
                person("retry a step")?;
                let done = send(RequestKind::RetryStep { step, hint: None })?;
                Ok(outcome_text(done, "the step is tried again"))
            }
            WatchEffect::Skip(step) => {
                person("skip a step")?;
                Ok(outcome_text(
                    send(RequestKind::SkipStep { step })?,
                    "the step is skipped",
                ))
            }
            WatchEffect::Answer { item, text } => {
                person("answer")?;
                let answer = self.answer(&item, &text)?;
                Ok(outcome_text(send(answer)?, "answered"))
            }
            WatchEffect::Resume => {
                person("resume a run")?;
                let program = std::env::current_exe().map_err(not_found)?;
                launch_resume(&self.project, &program, &run, LaunchedBy::Person)?;
                Ok("going on, in a process of its own".to_owned())
            }
            WatchEffect::Land(settling) => {
                person("land a run")?;
                land_run(&self.project, &run, settling)
            }
            WatchEffect::Undo => {
                person("undo a run")?;
                undo_run(&self.project, &run)
            }
            WatchEffect::Leave => Ok(String::new()),
        }
    }

    /// The first word is the choice, if it is one; the rest is its note.
    fn answer(&self, item: &str, text: &str) -> Result<RequestKind, Failure> {
        let view = RunView::load(&self.project, &self.run)?;
        let shown = view.inbox_items().into_iter().find(|open| open.id == item);
        let choices = shown.map(|item: Item| item.choices).unwrap_or_default();
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        let is_choice = choices.iter().any(|choice| choice == first);
        let note = Some(rest.trim()).filter(|rest| is_choice && !rest.is_empty());
        let choice = if is_choice { first } else { text };
        let request = answer_request(
            &self.project,
            &Answer {
                item: item.to_owned(),
                choice: Some(choice.to_owned()),
                reply: None,
                steps: Vec::new(),
                note: note.map(str::to_owned),
                args: None,
                resume: false,
                format: crate::args::Format::Human,
            },
        )?;
        Ok(request.kind)
    }
}

/// The program that this is cannot be found again, to be started once more.
fn not_found(why: std::io::Error) -> Failure {
    Failure::new(6, "launch", format!("cannot resume: {why}"))
}

/// What came of a request; one that no process takes up at once waits for `resume`.
fn outcome_text(outcome: RequestOutcome, done: &str) -> String {
    match outcome {
        RequestOutcome::There => done.to_owned(),
        RequestOutcome::Here => format!("{done}; r continues the run"),
        RequestOutcome::Idle => "no process drives this run: r continues it".to_owned(),
    }
}

fn entry_lines(entry: &TranscriptEntry) -> Vec<String> {
    match entry {
        TranscriptEntry::Said { text } | TranscriptEntry::Output { text } => {
            text.lines().map(str::to_owned).collect()
        }
        TranscriptEntry::Tool {
            tool, about, ok, ..
        } => {
            let mark = match ok {
                Some(true) => '✓',
                Some(false) => '✗',
                None => '…',
            };
            vec![format!("{mark} {tool} {about}")]
        }
        TranscriptEntry::Changed { path } => vec![format!("± {path}")],
        TranscriptEntry::Todo { entries } => vec![format!("☐ {} things to do", entries.len())],
        TranscriptEntry::Denied { tool, reason } => vec![format!("✗ {tool} was denied: {reason}")],
        TranscriptEntry::Problem { message } => vec![format!("✗ {message}")],
    }
}
