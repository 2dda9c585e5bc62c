//! A copy of a project on this machine for one run: the files of the run's first commit, the plan as it was signed, and the
//! run's directory. What it is configured with comes from the signed terms, and besides only from this machine's user.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use signoff_plan::signed::Digest;
use signoff_runtime::cluster::Cluster;
use signoff_runtime::project::{ProcessContext, Project};
use signoff_runtime::remote_runs::next_version::{self, SignedVersion};
use signoff_runtime::signing::message::{MessageProof, verify_message};
use signoff_store::root::Store;
use signoff_store::runs::RunDir;
use signoff_store::{journal, signatures};

use crate::cluster::Worker;
use crate::database::{Database, SharedHead};
use crate::error::ClusterError;
use crate::git::RemoteGit;
use crate::journal_lines::{
    JournalState, Line, PlanVersion, TreeEvent, head_commit, plan_versions,
};
use crate::keys::is_signed;
use crate::orders::PushCount;
use crate::run_files;

/// What a signed head says.
pub(crate) const HEAD: &str = "head";

/// The copy of a project for one run.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(crate) run: String,
    pub(crate) workspace: PathBuf,
    pub(crate) process: ProcessContext,
    pub(crate) git: RemoteGit,
    pub(crate) dir: RunDir,
    /// How far its copy of the journal is.
    pub(crate) journal: JournalState,
    /// The number of the last file that was fetched.
    files: i64,
    /// What the remote had when its references were fetched.
    pub(crate) fetched: PushCount,
    /// The hashes of the last lines of the journal, by number.
    hashes: VecDeque<(i64, String)>,
}

/// The hashes of so many lines are remembered: orders name one of the last.
const HASHES: usize = 1024;

/// Where this process keeps its copies, and whom it believes.
#[derive(Debug, Clone)]
pub(crate) struct MirrorOptions {
    pub(crate) directory: PathBuf,
    pub(crate) process: ProcessContext,
    pub(crate) orchestrators: Vec<String>,
}

impl MirrorOptions {
    /// The same for copies of one use: a process may drive a run and work for it, and begin again while it is about to end.
    pub(crate) fn with_subdirectory(&self, name: &str) -> Self {
        Self {
            directory: self.directory.join(name),
            ..self.clone()
        }
    }

    /// Removes the copy for a run. What is left of it takes space, and nothing else.
    pub(crate) fn remove(&self, run: &str) {
        drop(fs::remove_dir_all(self.directory.join(run)));
    }
}

impl Mirror {
    /// Fetches a run of this project, as far as its journal is. What its head rests on is checked, and that the journal
    /// leads there.
    pub(crate) fn fetch(
        database: &Database,
        options: &MirrorOptions,
        run: &str,
        remote: &str,
    ) -> Result<Self, ClusterError> {
        let failed = ClusterError::machine;
        let head = database.head(run)?;
        let head =
            head.ok_or_else(|| ClusterError::Untrusted(format!("there is no run `{run}`")))?;
        let workspace = options.directory.join(run).join("checkout");
        fs::create_dir_all(&workspace).map_err(failed("a copy of the project cannot be made"))?;
        let workspace = workspace
            .canonicalize()
            .map_err(failed("a copy of the project cannot be found"))?;
        let mut process = options.process.clone();
        process.directory.clone_from(&workspace);
        let data = options.directory.join(run).join("data");
        process
            .variables
            .insert(OsString::from("XDG_DATA_HOME"), data.into_os_string());
        let git = RemoteGit::new(&process, &workspace, remote);
        git.init()?;
        git.fetch(run)?;
        write_store(&workspace, &head.project)?;
        let store = Store::create(&workspace).map_err(|error| ClusterError::Machine {
            what: "a copy of the project has no store",
            why: error.to_string(),
        })?;
        let dir = store.run_dir(run);
        fs::create_dir_all(dir.path()).map_err(failed("the run has no directory"))?;
        // What another process of this machine left may be more than was published.
        match fs::remove_file(dir.journal()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("the journal cannot be written")(error));
            }
            _ => {}
        }
        // A journal without a record of its end is refused. That of a copy is in the database, signed.
        journal::record_beginning(&dir.journal()).map_err(|error| ClusterError::Machine {
            what: "the journal cannot be written",
            why: error.to_string(),
        })?;
        let mut mirror = Self {
            run: run.to_owned(),
            workspace,
            process,
            git,
            dir,
            journal: JournalState::default(),
            files: 0,
            fetched: PushCount::default(),
            hashes: VecDeque::new(),
        };
        mirror.catch_up(database)?;
        mirror.check_out(&head, options)?;
        Ok(mirror)
    }

    /// Fetches what was published since. The journal's reader follows the chain.
    pub(crate) fn catch_up(&mut self, database: &Database) -> Result<(), ClusterError> {
        let lines = database.lines_after(&self.run, self.journal.seq)?;
        // Large events are shared before the lines that name them.
        self.fetch_files(database)?;
        let mut text = String::new();
        for (seq, line) in &lines {
            let parsed = Line::parse(line)?;
            if parsed.seq != *seq || parsed.seq != self.journal.seq + 1 {
                return Err(ClusterError::Untrusted(format!(
                    "line {seq} of the journal of {} says that it is line {}",
                    self.run, parsed.seq
                )));
            }
            self.journal.take_line(&parsed, &self.dir.blobs())?;
            if self.hashes.len() == HASHES {
                self.hashes.pop_front();
            }
            self.hashes.push_back((parsed.seq, parsed.hash));
            text.push_str(line);
            text.push('\n');
        }
        if text.is_empty() && self.journal.seq > 0 {
            return Ok(());
        }
        let mut options = fs::OpenOptions::new();
        let file = options.append(true).create(true).open(self.dir.journal());
        file.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
            .map_err(ClusterError::machine("the journal cannot be written"))
    }

    /// Fetches the files that were shared since.
    pub(crate) fn fetch_files(&mut self, database: &Database) -> Result<(), ClusterError> {
        self.files = run_files::fetch(database, &self.run, &self.dir, self.files)?;
        Ok(())
    }

    fn lines(&self) -> Result<String, ClusterError> {
        fs::read_to_string(self.dir.journal())
            .map_err(ClusterError::machine("the journal cannot be read"))
    }

    /// Shows the files that the run began with, the versions of its plan as they were signed, and their signatures.
    fn check_out(&self, head: &SharedHead, options: &MirrorOptions) -> Result<(), ClusterError> {
        let lines = self.lines()?;
        let broken =
            |what: &str| ClusterError::Untrusted(format!("the journal of {} {what}", self.run));
        let tree: TreeEvent = lines
            .lines()
            .find(|line| Line::parse(line).is_ok_and(|line| line.kind == "tree_prepared"))
            .and_then(|line| serde_json::from_str(line).ok())
            .ok_or_else(|| broken("names no tree"))?;
        self.git.check_out(&tree.tree.start)?;
        // The commit has what the person had of it, which counts for nothing here.
        write_store(&self.workspace, &head.project)?;
        self.install_versions()?;
        self.require_head(head, options)?;
        if let Some(commit) = head_commit(lines.lines()) {
            self.git.set_branch(&self.run, &commit)?;
        }
        Ok(())
    }

    /// Makes the project what it is under the version of the plan that the run carries out.
    pub(crate) fn install_versions(&self) -> Result<(), ClusterError> {
        let versions = plan_versions(&self.lines()?, &self.dir.blobs())?;
        if versions.is_empty() {
            return Err(ClusterError::Untrusted(format!(
                "the journal of {} does not begin with a run",
                self.run
            )));
        }
        versions
            .iter()
            .try_for_each(|version| self.install(version))
    }

    /// Makes the project what it is under a version: its settings, its signatures, and its text.
    pub(crate) fn install(&self, version: &PlanVersion) -> Result<(), ClusterError> {
        let broken =
            |what: &str| ClusterError::Untrusted(format!("the journal of {} {what}", self.run));
        let stored = Store::open_existing(&self.workspace).ok_or_else(|| broken("has no store"))?;
        let digests = version
            .digest
            .parse::<Digest>()
            .ok()
            .zip(version.terms.parse::<Digest>().ok());
        let (digest, terms) = digests.ok_or_else(|| broken("names no digests"))?;
        let found = signatures::copies_of_run(&self.dir, &version.plan, &digest, &terms);
        let found = found.map_err(|error| ClusterError::Untrusted(error.to_string()))?;
        let newest = found.first().ok_or_else(|| {
            ClusterError::Untrusted(format!("nobody signed the plan of {}", self.run))
        })?;
        let configuration = signed_configuration(&newest.canonical_terms);
        fs::write(stored.config_path(), configuration).map_err(ClusterError::machine(
            "the copy's configuration cannot be written",
        ))?;
        for record in found.iter().rev() {
            if signatures::matching(&stored, &version.plan, &digest, &terms)
                .ok()
                .flatten()
                .is_none()
            {
                let saved = signatures::save(&stored, record);
                saved.map_err(|error| ClusterError::Untrusted(error.to_string()))?;
            }
        }
        self.write_plan_file(version)
    }

    /// Writes a version of the plan to where it is in the project.
    fn write_plan_file(&self, version: &PlanVersion) -> Result<(), ClusterError> {
        let failed = ClusterError::machine("the plan cannot be written");
        let inside = |path: &str| {
            let mut parts = Path::new(path).components();
            parts.all(|part| matches!(part, std::path::Component::Normal(_)))
        };
        if !inside(&version.path) {
            return Err(ClusterError::Unfit(vec![format!(
                "its plan lies outside of the project: {}",
                version.path
            )]));
        }
        let target = self.workspace.join(&version.path);
        let kept = match &version.snapshot {
            Some(name) if inside(name) => self.dir.path().join(name),
            Some(name) => {
                return Err(ClusterError::Untrusted(format!(
                    "a version of the plan of {} is called `{name}`",
                    self.run
                )));
            }
            None => match self.dir.load_snapshot() {
                Ok(Some((path, _))) => path,
                // A thread's files are a directory, which is not a snapshot of one file.
                _ => self.dir.snapshot(""),
            },
        };
        if kept.is_dir() {
            return copy_directory(&kept, &target).map_err(failed);
        }
        let parent = target.parent().unwrap_or(&target);
        fs::create_dir_all(parent)
            .and_then(|()| fs::copy(&kept, &target).map(drop))
            .map_err(failed)
    }

    /// The version that somebody wants the run to go on under, whoever brought it.
    pub(crate) fn next_version(&self) -> Option<SignedVersion> {
        let bytes = fs::read(self.dir.path().join(next_version::NAME)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Who vouches for the journal: the person who began the run, or a machine that drove it and that this one believes.
    fn require_head(&self, head: &SharedHead, options: &MirrorOptions) -> Result<(), ClusterError> {
        if self.journal.seq < head.seq {
            return Err(ClusterError::Untrusted(format!(
                "the journal of {} ends before its head",
                self.run
            )));
        }
        let untrusted = |why: &str| {
            Err(ClusterError::Untrusted(format!(
                "the journal of {} {why}",
                self.run
            )))
        };
        let text = head_text(&self.run, head.seq, &head.hash);
        match (&head.key, &head.signature) {
            (Some(key), Some(signature)) => {
                if !options.orchestrators.contains(key) {
                    return untrusted(&format!(
                        "was written by a machine that `[engine] orchestrators` does not list: {key}"
                    ));
                }
                if !is_signed(key, HEAD, &text, signature) {
                    return untrusted("has a head that nobody signed");
                }
            }
            _ => {
                let project = self.project(Arc::new(Worker::default()))?;
                let proof: MessageProof = match serde_json::from_str(&head.submission) {
                    Ok(proof) => proof,
                    Err(_) => return untrusted("was handed over by nobody"),
                };
                let verified = verify_message(&project, "run", text.as_bytes(), &proof);
                verified.map_err(|error| {
                    ClusterError::Untrusted(format!(
                        "the signature under the journal of {} is not accepted: {error}",
                        self.run
                    ))
                })?;
            }
        }
        // The head that was signed has to be a line of this chain.
        let is_there = self.lines()?.lines().any(|line| {
            Line::parse(line).is_ok_and(|line| line.seq == head.seq && line.hash == head.hash)
        });
        if is_there {
            Ok(())
        } else {
            untrusted("does not lead to the head that was signed")
        }
    }

    /// The hash of a line of the journal.
    pub(crate) fn hash_of(&self, seq: i64) -> Result<Option<String>, ClusterError> {
        let is_it = |(known, _): &&(i64, String)| *known == seq;
        if let Some((_, hash)) = self.hashes.iter().rev().find(is_it) {
            return Ok(Some(hash.clone()));
        }
        let lines = self.lines()?;
        let mut lines = lines.lines().filter_map(|line| Line::parse(line).ok());
        Ok(lines.find(|line| line.seq == seq).map(|line| line.hash))
    }

    /// Fetches the run's commits, unless that was done since the remote had these.
    pub(crate) fn fetch_commits(&mut self, pushed: PushCount) -> Result<(), ClusterError> {
        if self.fetched < pushed {
            self.git.fetch(&self.run)?;
            self.fetched = pushed;
        }
        Ok(())
    }

    /// The project, as runs find it here.
    pub(crate) fn project(&self, cluster: Arc<dyn Cluster>) -> Result<Project, ClusterError> {
        let mut project = Project::open(&self.process)?;
        project.cluster = Some(cluster);
        Ok(project)
    }
}

/// What is signed of a head.
pub(crate) fn head_text(run: &str, seq: i64, hash: &str) -> String {
    format!("{run} {seq} {hash}")
}

/// The store of a copy: the project's id, and nothing that the repository says.
fn write_store(workspace: &Path, project: &str) -> Result<(), ClusterError> {
    let failed = ClusterError::machine("the copy's store cannot be written");
    let directory = workspace.join(".signoff");
    let file = json!({"schema": "signoff.project/1", "id": project});
    let make = || {
        if directory.is_symlink() {
            fs::remove_file(&directory)?;
        }
        fs::create_dir_all(&directory)?;
        fs::write(directory.join("config.toml"), "")?;
        fs::write(directory.join("project.json"), format!("{file:#}\n"))
    };
    make().map_err(failed)
}

fn copy_directory(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_directory(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The settings that the signed terms give. They are compared with the terms afterwards, so what is missed here is noticed.
fn signed_configuration(terms: &Value) -> String {
    use std::fmt::Write as _;
    let mut text = String::from("# From the signed terms of the run.\n");
    let mut section = |name: &str, entries: &[(&str, Option<String>)]| {
        // Writing to a string cannot fail.
        writeln!(text, "[{name}]").ok();
        for (key, value) in entries {
            if let Some(value) = value {
                writeln!(text, "{key} = {value}").ok();
            }
        }
    };
    let plain = |pointer: &str| terms.pointer(pointer).map(Value::to_string);
    let duration = |pointer: &str| {
        let seconds = terms.pointer(pointer)?.as_f64()?;
        let millis = std::time::Duration::from_secs_f64(seconds).as_millis();
        Some(if millis.is_multiple_of(1000) {
            format!("\"{}s\"", millis / 1000)
        } else {
            format!("\"{millis}ms\"")
        })
    };
    section(
        "contract",
        &[
            ("shell", plain("/contract/shell")),
            ("timeout", duration("/contract/timeout_s")),
            ("baseline", plain("/contract/baseline")),
            ("ignored", plain("/contract/ignored")),
        ],
    );
    section(
        "run",
        &[
            ("step_timeout", duration("/run/step_timeout_s")),
            ("prepare", plain("/run/prepare")),
            ("copy", plain("/run/copy")),
            ("durability", Some("\"process\"".to_owned())),
        ],
    );
    section(
        "sandbox",
        &[
            ("env", plain("/sandbox/env")),
            ("network", plain("/sandbox/network")),
        ],
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_configured_as_was_signed() {
        let terms = json!({
            "contract": {"shell": "bash", "timeout_s": 90, "baseline": true},
            "run": {"step_timeout_s": 1.5, "prepare": ["npm ci \"x\""]},
            "sandbox": {"env": ["HOME", "PATH"], "network": false},
            "agents": {"coder": {"driver": "command", "command": ["evil"]}},
        });
        let text = signed_configuration(&terms);
        for line in [
            "shell = \"bash\"",
            "timeout = \"90s\"",
            "step_timeout = \"1500ms\"",
            r#"prepare = ["npm ci \"x\""]"#,
            r#"env = ["HOME","PATH"]"#,
            "network = false",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
        assert!(!text.contains("evil"), "{text}");
    }
}
