//! Drives a run whose agents and contracts other machines start: the body of its workflow.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use signoff_api::request::{Request, RequestKind};
use signoff_engine::{Actor, Event, Outcome, PauseReason, RecordedEvent, Run, goes_on_by_itself};
use signoff_runtime::cluster::{Cluster as _, Report};
use signoff_runtime::drive::{NoPerson, Observe, StopReason};
use signoff_runtime::live::hand_over::work_reference;
use signoff_runtime::live::{PreparedRun, RunOptions};
use signoff_runtime::project::Project;
use signoff_runtime::remote_runs::next_version::{self, SignedVersion};
use signoff_runtime::runs::control::{record_ending, record_request};
use signoff_runtime::runs::view::RunView;
use signoff_runtime::signing::message::{MessageProof, verify_message};
use signoff_runtime::{Clock, Error, SystemClock};
use signoff_sandbox::start_scoped_thread;
use signoff_store::failpoint;
use signoff_store::runs::requests::Requests;

use crate::cluster::{DrivenRun, DrivenSetup};
use crate::database::{Database, OrderReport, RequestRow};
use crate::error::ClusterError;
use crate::journal_lines::PlanVersion;
use crate::machine::Shared;
use crate::mirror::{Mirror, MirrorOptions};

/// How often reports and requests are looked for, should nobody say that there are some.
const LOOK: Duration = Duration::from_secs(1);

/// How often the loop's answer to a request is looked for.
const REPLY: Duration = Duration::from_millis(20);

/// What a person sends to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    /// What other processes of one machine ask by a file.
    Ask(Request),
    /// It is to go on, even if it failed.
    Resume,
    /// What was done where the checkout is, after it ended.
    Record(Box<Event>),
}

/// What a person's key signs of a message: for which run, and under which name.
pub(crate) fn message_subject(run: &str, name: &str) -> String {
    format!("request {run} {name}")
}

/// How driving a run ended.
pub(crate) enum DriveOutcome {
    /// It ended, or waits for a person; in which state.
    Stopped(String),
    /// Another process drives it now.
    Lost,
}

/// Drives a run until it ends or cannot go on by itself.
pub(crate) fn drive(
    database: &Database,
    shared: &Arc<Shared>,
    run: &str,
) -> Result<DriveOutcome, ClusterError> {
    if let Some(state) = database.state_at_rest(run)? {
        return Ok(DriveOutcome::Stopped(state));
    }
    let epoch = database.take_run(run, &shared.executor)?;
    failpoint::reach("run.taken");
    // Who was slow for long may be handed the run once more, and still be about to notice.
    let mirrors = shared.mirrors.with_subdirectory(&format!("driven-{epoch}"));
    let driven = drive_taken(database, shared, &mirrors, run, epoch);
    mirrors.remove(run);
    let (state, trouble) = match &driven {
        Ok(RestState { state, trouble }) => (state.as_str(), trouble.clone()),
        Err(error) => ("paused", Some(error.to_string())),
    };
    if driven.is_err() {
        // What is under way elsewhere ends: nobody waits for it.
        database.withdraw(run, epoch)?;
    }
    database.release_locks(run, epoch)?;
    database.release_run(run, epoch, state, trouble.as_deref())?;
    let still_ours = database.run(run)?.is_some_and(|row| row.driver.is_none());
    match driven {
        Ok(_) | Err(_) if !still_ours => Ok(DriveOutcome::Lost),
        Ok(stopped) => Ok(DriveOutcome::Stopped(stopped.state)),
        Err(error) => Err(error),
    }
}

/// How a run stands, and what is wrong, if something is.
struct RestState {
    state: String,
    trouble: Option<String>,
}

fn drive_taken(
    database: &Database,
    shared: &Arc<Shared>,
    mirrors: &MirrorOptions,
    run: &str,
    epoch: i64,
) -> Result<RestState, ClusterError> {
    let head = database.head(run)?;
    let head = head.ok_or_else(|| ClusterError::Untrusted(format!("there is no run {run}")))?;
    let project_id = head.project;
    let remote = shared.remote_of(&project_id)?;
    let mut mirror = Mirror::fetch(database, mirrors, run, &remote)?;
    let driven = Arc::new(DrivenRun::new(DrivenSetup {
        database: database.clone(),
        run: run.to_owned(),
        project: project_id,
        epoch,
        dir: mirror.dir.clone(),
        git: mirror.git.clone(),
        key: Arc::clone(&shared.key),
        priority: database.priority(run)?,
        patience: shared.lease * 2 / 3,
        journal: mirror.journal.clone(),
    }));
    let mut project = mirror.project(Arc::clone(&driven) as _)?;
    loop {
        let had_failed = RunView::load(&project, run)?.run.outcome() == Some(Outcome::Failed);
        let resumes = take_requests(database, &project, run)?;
        let view = RunView::load(&project, run)?;
        let clock = SystemClock::new();
        // Whoever has a step tried again of a run that had ended wants it to go on.
        let reopened = had_failed && view.run.outcome().is_none();
        if resumes.is_empty() && !reopened && !goes_on_by_itself(&view.run, clock.now()) {
            return Ok(outcome_of_run(&view.run));
        }
        let actor = if resumes.is_empty() {
            Actor::Harness
        } else {
            Actor::Person
        };
        if !resumes.is_empty() {
            mirror.fetch_files(database)?;
            match take_next_version(&mirror, &project, run, &driven) {
                Ok(Some(under_it)) => project = under_it,
                Ok(None) => {}
                Err(why) => {
                    mirror.install_versions()?;
                    refuse_all(database, run, &resumes, &why)?;
                    continue;
                }
            }
        }
        let prepared = PreparedRun::resume(&project, run, actor, &RunOptions::default(), &clock);
        let prepared = match prepared {
            // The person who asked gets the error; otherwise the run pauses with it.
            Err(error) if !resumes.is_empty() => {
                refuse_all(database, run, &resumes, &error.to_string())?;
                continue;
            }
            prepared => prepared?,
        };
        let report = drive_with_news(database, shared, &driven, &project, || {
            prepared.drive(&mut NoObserver, &mut NoPerson, |_| Ok(()))
        })?;
        let ended = match report {
            Ok(report) => outcome_of_reason(&report.stopped),
            Err(Error::HarnessTrouble { what, why, .. }) => RestState {
                state: "paused".to_owned(),
                trouble: Some(format!("{what}: {why}")),
            },
            Err(error) => return Err(error.into()),
        };
        // What was asked while it came to rest is for the next round.
        if database.open_requests(run)?.is_empty() {
            return Ok(ended);
        }
    }
}

fn refuse_all(
    database: &Database,
    run: &str,
    requests: &[String],
    why: &str,
) -> Result<(), ClusterError> {
    let refused = encode_reply(Some(why.to_owned()));
    let mut requests = requests.iter();
    requests.try_for_each(|name| database.reply(run, name, &refused))
}

/// The project under the next version of the plan, if a person signed one that the run may go on under. The error says why it
/// cannot go on under it, or not without one.
fn take_next_version(
    mirror: &Mirror,
    project: &Project,
    run: &str,
    driven: &Arc<DrivenRun>,
) -> Result<Option<Project>, String> {
    let awaited = next_version::awaited_version(project, run).map_err(|error| error.to_string())?;
    let fits = |next: &SignedVersion| {
        let is_present = (&next.digest, &next.terms) == (&awaited.present.0, &awaited.present.1);
        next.plan == awaited.plan && next.path == awaited.path && !is_present
    };
    let Some(next) = mirror.next_version().filter(fits) else {
        let plan = &awaited.plan;
        let unsigned = || {
            format!("it waits for the new version `{plan}`, which `signoff approve {plan}` signs")
        };
        return if awaited.is_drafted {
            Err(unsigned())
        } else {
            Ok(None)
        };
    };
    let installed = mirror.install(&PlanVersion {
        plan: next.plan.clone(),
        path: next.path.clone(),
        digest: next.digest.clone(),
        terms: next.terms.clone(),
        snapshot: Some(next.snapshot.clone()),
    });
    installed.map_err(|error| error.to_string())?;
    let under_it = mirror.project(Arc::clone(driven) as _);
    let under_it = under_it.map_err(|error| error.to_string())?;
    next_version::require_counts(&under_it, &next).map_err(|error| error.to_string())?;
    Ok(Some(under_it))
}

/// How a run stands that nothing moves.
fn outcome_of_run(run: &Run) -> RestState {
    match (run.outcome(), run.pause_reason()) {
        (Some(outcome), _) => at_rest_in(outcome_name(outcome)),
        (None, Some(PauseReason::Waiting)) => at_rest_in("waiting"),
        (None, _) => RestState {
            state: "paused".to_owned(),
            trouble: run.harness_trouble().map(str::to_owned),
        },
    }
}

fn at_rest_in(state: &str) -> RestState {
    RestState {
        state: state.to_owned(),
        trouble: None,
    }
}

fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Partial => "partial",
        Outcome::Failed => "failed",
    }
}

fn outcome_of_reason(reason: &StopReason) -> RestState {
    match reason {
        StopReason::Finished(outcome) => at_rest_in(outcome_name(*outcome)),
        StopReason::Waiting => at_rest_in("waiting"),
        StopReason::Paused(_) | StopReason::Interrupted => at_rest_in("paused"),
        StopReason::Changed(_) => RestState {
            state: "paused".to_owned(),
            trouble: Some("the plan or its terms are not what was signed".to_owned()),
        },
    }
}

/// An observer that does nothing: surfaces read the run's events.
struct NoObserver;

impl Observe for NoObserver {
    fn event(&mut self, _: &Run, _: &RecordedEvent) -> Result<(), Error> {
        Ok(())
    }
}

/// The message of a request, if the key of a person whom this machine believes sent it to this run.
fn verify_request(project: &Project, run: &str, row: &RequestRow) -> Result<Message, String> {
    let proof: MessageProof = serde_json::from_str(&row.proof).map_err(|why| why.to_string())?;
    let sent = message_subject(run, &row.name);
    verify_message(project, &sent, row.body.as_bytes(), &proof)
        .map_err(|why| format!("its signature is not accepted: {why}"))?;
    let message: Message = serde_json::from_str(&row.body).map_err(|why| why.to_string())?;
    match message {
        // Nobody answers in the name of somebody else.
        Message::Ask(request) => Ok(Message::Ask(Request {
            by: proof.by,
            ..request
        })),
        message @ (Message::Resume | Message::Record(_)) => Ok(message),
    }
}

fn encode_reply(refused: Option<String>) -> String {
    serde_json::json!({ "refused": refused }).to_string()
}

/// Records what was asked while nobody drove the run; returns the names of requests that it go on, which are answered when it
/// does.
fn take_requests(
    database: &Database,
    project: &Project,
    run: &str,
) -> Result<Vec<String>, ClusterError> {
    let mut resumes: Vec<String> = Vec::new();
    for row in database.open_requests(run)? {
        let refused = match verify_request(project, run, &row) {
            Ok(Message::Resume) => {
                resumes.push(row.name);
                continue;
            }
            Ok(Message::Ask(Request {
                ask: RequestKind::Pause | RequestKind::Stop,
                ..
            })) => {
                let view = RunView::load(project, run)?;
                if view.run.outcome().is_none() && view.run.pause_reason().is_none() {
                    // For the loop, which goes on with it.
                    continue;
                }
                // The later request counts.
                for earlier in resumes.drain(..) {
                    database.reply(run, &earlier, &encode_reply(None))?;
                }
                None
            }
            Ok(message) => record_forwarded_event(project, run, message, &row)?,
            Err(why) => Some(why),
        };
        database.reply(run, &row.name, &encode_reply(refused))?;
    }
    Ok(resumes)
}

/// Records a message; returns why not, if it is refused.
fn record_forwarded_event(
    project: &Project,
    run: &str,
    message: Message,
    row: &RequestRow,
) -> Result<Option<String>, ClusterError> {
    let clock = SystemClock::new();
    let recorded = match message {
        Message::Ask(request) => record_request(project, run, request, &clock),
        Message::Record(event) => record_ending(project, run, &event, signer(row), &clock),
        Message::Resume => Ok(()),
    };
    match recorded {
        Err(Error::Unshared { why }) => Err(ClusterError::Database(why)),
        recorded => Ok(recorded.err().map(|error| error.to_string())),
    }
}

/// Who sent a message; its proof was verified.
fn signer(row: &RequestRow) -> String {
    let proof: Option<MessageProof> = serde_json::from_str(&row.proof).ok();
    proof.map(|proof| proof.by).unwrap_or_default()
}

/// Drives, while a thread brings what other machines and people say.
fn drive_with_news<T: Send>(
    database: &Database,
    shared: &Shared,
    driven: &DrivenRun,
    project: &Project,
    drive: impl FnOnce() -> T,
) -> Result<T, ClusterError> {
    let ended = AtomicBool::new(false);
    let bell = shared.wakes.bell(&driven.run);
    std::thread::scope(|scope| {
        let listen = || {
            let mut news = NewsReader {
                database,
                shared,
                driven,
                project,
                requests: Requests::of(&driven.dir),
                asked: BTreeSet::new(),
            };
            while !ended.load(Ordering::Acquire) {
                // The database may be away for a while; the writer notices if it takes too long.
                drop(news.poll_database());
                bell.wait(if news.asked.is_empty() { LOOK } else { REPLY });
            }
            // An answer with the last breath.
            drop(news.pass_replies());
        };
        // Without the thread the run would wait for ever.
        let listener = start_scoped_thread(scope, "signoff-news", listen);
        listener.map_err(ClusterError::machine("nobody can listen for reports"))?;
        let done = drive();
        ended.store(true, Ordering::Release);
        bell.wake_waiters();
        Ok(done)
    })
}

struct NewsReader<'a> {
    database: &'a Database,
    shared: &'a Shared,
    driven: &'a DrivenRun,
    project: &'a Project,
    requests: Requests,
    /// Requests that the loop has, by name.
    asked: BTreeSet<String>,
}

impl NewsReader<'_> {
    fn poll_database(&mut self) -> Result<(), ClusterError> {
        self.pass_requests()?;
        self.pass_replies()?;
        let open = self.driven.open_orders();
        if open.is_empty() {
            return Ok(());
        }
        let workers = self.shared.workers();
        let mut believed = Vec::new();
        for reported in self.database.reports(&open)? {
            match reported.signed.verify(&reported.order, &workers) {
                Ok(report) => believed.push((reported, report)),
                Err(error) => {
                    // Whoever can write to the database wrote it, and no worker.
                    self.shared.announce(error.to_string());
                    self.database.discard_report(&reported.order)?;
                }
            }
        }
        self.fetch_work(&believed)?;
        for (reported, report) in believed {
            self.take_work(&report)?;
            self.driven.deliver_report(&reported.order, report);
        }
        Ok(())
    }

    /// Brings the commits here that reports are about.
    fn fetch_work(&self, reports: &[(OrderReport, Report)]) -> Result<(), ClusterError> {
        let of_work = reports
            .iter()
            .filter(|(_, report)| report.commit.is_some() && !report.task.is_contract());
        let claims: Vec<String> = of_work.map(|(order, _)| order.claims.clone()).collect();
        self.driven.git.fetch_claims(&self.driven.run, &claims)
    }

    /// Names the commit of the work as the loop looks for it.
    fn take_work(&self, report: &Report) -> Result<(), ClusterError> {
        let Some(commit) = report
            .commit
            .as_ref()
            .filter(|_| !report.task.is_contract())
        else {
            return Ok(());
        };
        let name = work_reference(&self.driven.run, &report.step, report.attempt);
        self.driven.git.set_reference(&name, commit)?;
        // The next attempt may be another machine's.
        self.driven.note_reference(&name, commit);
        Ok(())
    }

    fn pass_requests(&mut self) -> Result<(), ClusterError> {
        let run = &self.driven.run;
        for row in self.database.open_requests(run)? {
            if self.asked.contains(&row.name) {
                continue;
            }
            let sent = match verify_request(self.project, run, &row) {
                Ok(Message::Ask(request)) => serde_json::to_vec(&request)
                    .map_err(|why| why.to_string())
                    .and_then(|bytes| {
                        let sent = self.requests.send(&row.name, &bytes);
                        sent.map_err(|why| why.to_string())
                    }),
                Ok(Message::Resume) => {
                    // A new version is taken up once the run has come to rest.
                    let view = RunView::load(self.project, run)?;
                    if view.run.draft().is_none() {
                        self.database.reply(run, &row.name, &encode_reply(None))?;
                    }
                    continue;
                }
                Ok(Message::Record(_)) => Err("the run has not ended".to_owned()),
                Err(why) => Err(why),
            };
            match sent {
                Ok(()) => drop(self.asked.insert(row.name)),
                Err(why) => self
                    .database
                    .reply(run, &row.name, &encode_reply(Some(why)))?,
            }
        }
        Ok(())
    }

    fn pass_replies(&mut self) -> Result<(), ClusterError> {
        let run = &self.driven.run;
        for name in self.asked.clone() {
            if let Some(reply) = self.requests.take_reply(&name) {
                self.database
                    .reply(run, &name, &String::from_utf8_lossy(&reply))?;
                self.asked.remove(&name);
            }
        }
        Ok(())
    }
}
