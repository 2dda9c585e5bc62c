//! Git between machines: only by the names that a run has, and never by a hook or setting of a repository.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use signoff_runtime::project::ProcessContext;
use signoff_runtime::project::careful_git::NO_PROGRAMS;
use signoff_sandbox::{InteractiveCommand, Stdin};

use crate::error::ClusterError;

/// Git in one directory, with the person's own logins.
#[derive(Debug, Clone)]
pub(crate) struct RemoteGit {
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    remote: String,
}

/// So many references are named on one command line.
const REFERENCES: usize = 500;

/// How a remote may be reached; every other way, such as a program (`ext`), is closed by [`NO_PROGRAMS`].
const REMOTES: [(&str, &str); 6] = [
    ("protocol.file.allow", "user"),
    ("protocol.git.allow", "always"),
    ("protocol.http.allow", "always"),
    ("protocol.https.allow", "always"),
    ("protocol.ssh.allow", "always"),
    ("advice.detachedHead", "false"),
];

impl RemoteGit {
    pub(crate) fn new(process: &ProcessContext, directory: &Path, remote: &str) -> Self {
        let mut environment: Vec<(OsString, OsString)> = process
            .variables
            .iter()
            .filter(|(name, _)| !name.to_string_lossy().starts_with("GIT_DIR"))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        environment.push(("GIT_TERMINAL_PROMPT".into(), "0".into()));
        environment.push(("LC_ALL".into(), "C".into()));
        Self {
            directory: directory.to_owned(),
            environment,
            remote: remote.to_owned(),
        }
    }

    fn run(&self, what: &'static str, words: &[&str]) -> Result<String, ClusterError> {
        let mut argv: Vec<OsString> = vec!["git".into()];
        for (name, value) in NO_PROGRAMS.iter().chain(&REMOTES) {
            argv.extend(["-c".into(), format!("{name}={value}").into()]);
        }
        argv.extend(words.iter().map(Into::into));
        let command = InteractiveCommand {
            argv,
            cwd: &self.directory,
            env: self.environment.clone(),
            stdin: Stdin::Bytes(Vec::new()),
        };
        let failed = |why: String| ClusterError::Machine { what, why };
        let said = command.run().map_err(|error| failed(error.to_string()))?;
        if said.code == Some(0) {
            return Ok(String::from_utf8_lossy(&said.stdout).into_owned());
        }
        let text = String::from_utf8_lossy(&said.stderr);
        Err(failed(text.trim().to_owned()))
    }

    /// Makes an empty repository here, unless there is one.
    pub(crate) fn init(&self) -> Result<(), ClusterError> {
        if self.directory.join(".git").exists() {
            return Ok(());
        }
        self.run("a repository cannot be made", &["init", "--quiet"])?;
        Ok(())
    }

    /// Brings every reference of a run here.
    pub(crate) fn fetch(&self, run: &str) -> Result<(), ClusterError> {
        let references = format!("refs/signoff/{run}/*");
        self.fetch_references("the commits of the run cannot be fetched", &[references])
    }

    /// Brings the work here whose names begin so.
    pub(crate) fn fetch_claims(&self, run: &str, names: &[String]) -> Result<(), ClusterError> {
        for some in names.chunks(REFERENCES) {
            let references = some
                .iter()
                .map(|name| format!("refs/signoff/{run}/{name}*"));
            let references: Vec<String> = references.collect();
            self.fetch_references("the work of other machines cannot be fetched", &references)?;
        }
        Ok(())
    }

    fn fetch_references(
        &self,
        what: &'static str,
        references: &[String],
    ) -> Result<(), ClusterError> {
        let both = references.iter().map(|name| format!("+{name}:{name}"));
        let both: Vec<String> = both.collect();
        // What git would do in the background to keep a person's repository small costs more than it saves here.
        let mut words = vec![
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-auto-maintenance",
            "--no-write-fetch-head",
            "--",
            &self.remote,
        ];
        words.extend(both.iter().map(String::as_str));
        self.run(what, &words)?;
        Ok(())
    }

    /// The commit that a reference here names, if there is one.
    pub(crate) fn commit_at(&self, reference: &str) -> Result<Option<String>, ClusterError> {
        let format = "--format=%(objectname)";
        let words = ["for-each-ref", format, "--", reference];
        let named = self.run("a reference cannot be read", &words)?;
        Ok(named.lines().next().map(str::to_owned))
    }

    /// Takes one commit to the remote, under a name of the run.
    pub(crate) fn push_commit(
        &self,
        run: &str,
        commit: &str,
        name: &str,
    ) -> Result<(), ClusterError> {
        let references = format!("+{commit}:refs/signoff/{run}/{name}");
        let words = ["push", "--quiet", "--", &self.remote, &references];
        self.run("the work cannot be pushed", &words)?;
        Ok(())
    }

    /// Takes every reference of a run to the remote. What is there already stays.
    pub(crate) fn push(&self, run: &str) -> Result<(), ClusterError> {
        let references = format!("+refs/signoff/{run}/*:refs/signoff/{run}/*");
        let words = ["push", "--quiet", "--", &self.remote, &references];
        self.run("the commits of the run cannot be pushed", &words)?;
        Ok(())
    }

    /// Takes these references to the remote: their full names, and what they name.
    pub(crate) fn push_references(
        &self,
        references: &BTreeMap<String, String>,
    ) -> Result<(), ClusterError> {
        let all: Vec<String> = references
            .iter()
            .map(|(name, object)| format!("+{object}:{name}"))
            .collect();
        for some in all.chunks(REFERENCES) {
            let mut words = vec!["push", "--quiet", "--", self.remote.as_str()];
            words.extend(some.iter().map(String::as_str));
            self.run("the commits of the run cannot be pushed", &words)?;
        }
        Ok(())
    }

    /// The names of a run's references that the remote has.
    pub(crate) fn remote_references(&self, run: &str) -> Result<Vec<String>, ClusterError> {
        let pattern = format!("refs/signoff/{run}/*");
        let words = ["ls-remote", "--quiet", "--", &self.remote, &pattern];
        let listed = self.run("the references of the run cannot be listed", &words)?;
        let names = listed.lines().filter_map(|line| line.split_once('\t'));
        let names = names.map(|(_, name)| name.to_owned());
        // A name of another run ends like this one's only if somebody made it so.
        let below = format!("refs/signoff/{run}/");
        Ok(names.filter(|name| name.starts_with(&below)).collect())
    }

    /// Removes a run's references from the remote.
    pub(crate) fn remove_remote_references(&self, run: &str) -> Result<(), ClusterError> {
        let names = self.remote_references(run)?;
        for some in names.chunks(REFERENCES) {
            let mut words = vec!["push", "--quiet", "--delete", "--", self.remote.as_str()];
            words.extend(some.iter().map(String::as_str));
            self.run("the references of the run cannot be removed", &words)?;
        }
        Ok(())
    }

    /// Shows the files of a commit here.
    pub(crate) fn check_out(&self, commit: &str) -> Result<(), ClusterError> {
        let words = ["checkout", "--quiet", "--force", "--detach", commit, "--"];
        self.run("the run's first commit cannot be checked out", &words)?;
        Ok(())
    }

    /// Makes a branch stand at a commit.
    pub(crate) fn set_branch(&self, run: &str, commit: &str) -> Result<(), ClusterError> {
        self.set_reference(&format!("refs/heads/signoff/{run}"), commit)
    }

    /// Makes a reference name a commit, which has to be here.
    pub(crate) fn set_reference(&self, name: &str, commit: &str) -> Result<(), ClusterError> {
        self.run("a reference cannot be set", &["update-ref", name, commit])?;
        Ok(())
    }
}
