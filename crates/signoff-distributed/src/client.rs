//! What commands do about runs that other machines drive: hand one over, look at it, ask something of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use signoff_api::request::{self, Reply, Request, RequestKind};
use signoff_engine::Event;
use signoff_runtime::cluster::RemoteRunAccess;
use signoff_runtime::live::hand_over::RunToShare;
use signoff_runtime::project::{Project, random};
use signoff_runtime::signing::message::sign_message;
use signoff_runtime::{Clock, SystemClock};
use signoff_store::runs::RunDir;

use crate::database::{Database, NewRun, PublishedLines, RequestRow};
use crate::driving::{Message, message_subject};
use crate::error::ClusterError;
use crate::git::RemoteGit;
use crate::journal_lines::{JournalState, Line, head_commit};
use crate::mirror::head_text;
use crate::run_files;

/// How long a machine may take to answer.
const PATIENCE: Duration = Duration::from_mins(1);

const TICK: Duration = Duration::from_millis(50);

const SCHEMA: &str = "signoff.shared-run/1";

/// What is here of a run that other machines drive.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedCopy {
    schema: String,
    /// The repository that has its commits.
    repository: PathBuf,
    remote: String,
    /// The number of the last file that was fetched.
    files: i64,
    /// Its references are gone from the remote.
    #[serde(default)]
    cleared: bool,
}

impl SharedCopy {
    fn read(dir: &RunDir) -> Result<Self, ClusterError> {
        let failed = ClusterError::machine("what is here of the run cannot be read");
        let bytes = fs::read(dir.shared_marker());
        let bytes = bytes.map_err(failed)?;
        serde_json::from_slice(&bytes).map_err(|why| ClusterError::Machine {
            what: "what is here of the run cannot be read",
            why: why.to_string(),
        })
    }

    fn write(&self, dir: &RunDir) -> Result<(), ClusterError> {
        let text = serde_json::json!(self).to_string();
        let partial = dir.shared_marker().with_extension("partial");
        fs::write(&partial, text)
            .and_then(|()| fs::rename(&partial, dir.shared_marker()))
            .map_err(ClusterError::machine(
                "what is here of the run cannot be written",
            ))
    }
}

/// The repository that carries this project's runs: what the person listed.
pub fn remote_of(project: &Project) -> Result<String, ClusterError> {
    let id = project.store.project_id().ok().flatten();
    let id = id.unwrap_or_else(|| "ID".to_owned());
    let listed = project.config.engine.projects.value.get(&id).cloned();
    listed.ok_or_else(|| {
        ClusterError::Unfit(vec![format!(
            "`[engine.projects]` of your own configuration names no git repository for this project: write `{id} = \"git@host:repository.git\"` there, and on each machine that takes part"
        )])
    })
}

/// Hands a run over that was begun here.
pub fn hand_over(
    database: &Database,
    project: &Project,
    run: &RunToShare,
) -> Result<(), ClusterError> {
    database.require_migrated()?;
    let remote = remote_of(project)?;
    let git = RemoteGit::new(&project.process, &run.repository, &remote);
    git.push(&run.id)?;
    let dir = project.store.run_dir(&run.id);
    let text = fs::read_to_string(dir.journal())
        .map_err(ClusterError::machine("the journal cannot be read"))?;
    let mut state = JournalState::default();
    let mut lines = Vec::new();
    for line in text.lines() {
        let parsed = Line::parse(line)?;
        state.take_line(&parsed, &dir.blobs())?;
        lines.push((parsed.seq, line.to_owned()));
    }
    let head = head_text(&run.id, state.seq, &state.hash);
    let clock = SystemClock::new();
    let proof = sign_message(project, "run", head.as_bytes(), &clock)?;
    let new = NewRun {
        id: run.id.clone(),
        project: run.project.clone(),
        plan: run.key.clone(),
        title: run.title.clone(),
        by: proof.by.clone(),
        priority: priority(run.priority.as_deref()),
        submission: serde_json::json!(proof).to_string(),
    };
    let published = PublishedLines {
        lines,
        hash: state.hash,
        key: None,
        signature: None,
    };
    let copy = SharedCopy {
        schema: SCHEMA.to_owned(),
        repository: run.repository.clone(),
        remote,
        files: 0,
        cleared: false,
    };
    // From here on nobody drives it on this machine.
    copy.write(&dir)?;
    let shared = database.add_run(&new, &published).and_then(|()| {
        let names = run_files::first_files(&dir)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        run_files::share(database, &run.id, &dir, &names)
    });
    if let Err(error) = shared {
        drop(fs::remove_file(dir.shared_marker()));
        return Err(error);
    }
    database.activate(&run.id)
}

/// The place of a plan in the queues: lower goes first.
fn priority(word: Option<&str>) -> i32 {
    match word.map(str::to_ascii_lowercase).as_deref() {
        Some("critical" | "urgent" | "p0") => 10,
        Some("high" | "p1") => 20,
        Some("low" | "p3") => 40,
        _ => 30,
    }
}

/// The runs of a project that other machines drive.
#[derive(Debug)]
pub struct RemoteRuns {
    project: Project,
    /// Connected when it is needed first.
    database: Mutex<Option<Database>>,
}

impl RemoteRuns {
    /// Those of this project, reached through the database that its person's configuration names.
    pub fn of(project: &Project) -> Self {
        Self {
            project: project.clone(),
            database: Mutex::new(None),
        }
    }

    fn database(&self) -> Result<Database, ClusterError> {
        let mut known = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(database) = &*known {
            return Ok(database.clone());
        }
        let url = self.project.config.engine.url.value.address();
        let url = url.ok_or_else(|| ClusterError::Machine {
            what: "the database is not known",
            why: "`[engine] url` of your own configuration names none".to_owned(),
        })?;
        let database = Database::connect(url)?;
        database.require_migrated()?;
        *known = Some(database.clone());
        Ok(database)
    }

    /// Brings what is new of a run here. Returns whether a process drives it, or soon will.
    fn fetch(&self, run: &str) -> Result<bool, ClusterError> {
        let dir = self.project.store.run_dir(run);
        let mut copy = SharedCopy::read(&dir)?;
        let database = self.database()?;
        let Some(row) = database.run(run)? else {
            return Err(ClusterError::Untrusted(format!(
                "the database has no run `{run}`"
            )));
        };
        // One at a time writes to the copy.
        let lock = fs::File::create(dir.path().join("shared.lock"))
            .and_then(|file| file.lock().map(|()| file));
        let _lock = lock.map_err(ClusterError::machine(
            "the copy of the run cannot be locked",
        ))?;
        let files = run_files::fetch(&database, run, &dir, copy.files)?;
        if files != copy.files {
            copy.files = files;
            copy.write(&dir)?;
        }
        let known = fs::read_to_string(dir.journal())
            .map_err(ClusterError::machine("the journal cannot be read"))?;
        let last = known.lines().last().map(Line::parse).transpose()?;
        let lines = database.lines_after(run, last.map_or(0, |line| line.seq))?;
        if !lines.is_empty() {
            self.bring_commits(run, &copy, &known, &lines)?;
            append(&dir.journal(), &lines)?;
        }
        Ok(matches!(row.state.as_str(), "running" | "queued"))
    }

    /// The person's repository gets the run's commits, for whoever lands it.
    fn bring_commits(
        &self,
        run: &str,
        copy: &SharedCopy,
        known: &str,
        lines: &[(i64, String)],
    ) -> Result<(), ClusterError> {
        let is_new = lines
            .iter()
            .any(|(_, line)| Line::parse(line).is_ok_and(|line| line.names_commit()));
        if !is_new {
            return Ok(());
        }
        let git = RemoteGit::new(&self.project.process, &copy.repository, &copy.remote);
        git.fetch(run)?;
        let all = known
            .lines()
            .chain(lines.iter().map(|(_, line)| line.as_str()));
        match head_commit(all) {
            Some(head) => git.set_branch(run, &head),
            None => Ok(()),
        }
    }

    /// Sends a message, and waits for what becomes of it.
    fn send(&self, run: &str, message: &Message) -> Result<Option<String>, ClusterError> {
        let database = self.database()?;
        let clock = SystemClock::new();
        let name = format!("{:013}-{:08x}", clock.now(), random());
        let body = serde_json::to_string(message).map_err(|why| ClusterError::Machine {
            what: "a message cannot be written",
            why: why.to_string(),
        })?;
        let proof = sign_message(
            &self.project,
            &message_subject(run, &name),
            body.as_bytes(),
            &clock,
        )?;
        let request = RequestRow {
            name: name.clone(),
            body,
            proof: serde_json::json!(proof).to_string(),
        };
        database.add_request(run, &request)?;
        // Where no process drives the run, one has to take it up for this.
        database.activate(run)?;
        database.wake(run);
        let begun = Instant::now();
        loop {
            if let Some(reply) = database.reply_to(run, &name)? {
                let reply: Result<Reply, _> = serde_json::from_str(&reply);
                let reply = reply.map_err(|why| ClusterError::Machine {
                    what: "the reply cannot be read",
                    why: why.to_string(),
                })?;
                return Ok(reply.refused);
            }
            if begun.elapsed() > PATIENCE {
                return Err(ClusterError::Machine {
                    what: "nobody answered",
                    why: "is a `signoff orchestrator` running? `signoff doctor engine` shows it; the request stays in the database until one answers".to_owned(),
                });
            }
            std::thread::sleep(TICK);
        }
    }
}

fn append(journal: &Path, lines: &[(i64, String)]) -> Result<(), ClusterError> {
    let mut text = String::new();
    for (_, line) in lines {
        text.push_str(line);
        text.push('\n');
    }
    let file = fs::OpenOptions::new().append(true).open(journal);
    file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
        .map_err(ClusterError::machine("the journal cannot be written"))
}

impl RemoteRunAccess for RemoteRuns {
    fn sync(&self, run: &str) -> Result<bool, String> {
        self.fetch(run).map_err(|error| error.to_string())
    }

    fn share_files(&self, run: &str, names: &[String]) -> Result<(), String> {
        let share = || {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let dir = self.project.store.run_dir(run);
            run_files::share(&self.database()?, run, &dir, &names)
        };
        share().map_err(|error: ClusterError| error.to_string())
    }

    fn ask(&self, run: &str, what: RequestKind) -> Result<Option<String>, String> {
        let request = Request {
            schema: request::SCHEMA.to_owned(),
            by: self.project.process.person.clone(),
            ask: what,
        };
        self.send(run, &Message::Ask(request))
            .map_err(|error| error.to_string())
    }

    fn resume(&self, run: &str) -> Result<Option<String>, String> {
        self.send(run, &Message::Resume)
            .map_err(|error| error.to_string())
    }

    fn leftover_references(&self, run: &str) -> Result<Option<String>, String> {
        let find = || {
            let copy = SharedCopy::read(&self.project.store.run_dir(run))?;
            if copy.cleared {
                return Ok(None);
            }
            let git = RemoteGit::new(&self.project.process, &copy.repository, &copy.remote);
            let found = git.remote_references(run)?;
            Ok((!found.is_empty()).then_some(copy.remote))
        };
        find().map_err(|error: ClusterError| error.to_string())
    }

    fn remove_references(&self, run: &str) -> Result<(), String> {
        let remove = || {
            let dir = self.project.store.run_dir(run);
            let copy = SharedCopy::read(&dir)?;
            let git = RemoteGit::new(&self.project.process, &copy.repository, &copy.remote);
            git.remove_remote_references(run)?;
            let cleared = SharedCopy {
                cleared: true,
                ..copy
            };
            cleared.write(&dir)
        };
        remove().map_err(|error: ClusterError| error.to_string())
    }

    fn forget(&self, run: &str) -> Result<(), String> {
        let database = self.database();
        let forgotten = database.and_then(|database| database.forget_run(run));
        forgotten.map_err(|error| error.to_string())
    }

    fn record(&self, run: &str, event: &Event) -> Result<Option<String>, String> {
        self.send(run, &Message::Record(Box::new(event.clone())))
            .map_err(|error| error.to_string())
    }
}
