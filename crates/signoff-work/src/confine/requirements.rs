//! What one agent gets of a person's home and environment: what its program is known to need, and what the
//! configuration adds for its role.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::known_agents::{FolderOverride, HomeFolder, KnownAgent, NONE, RENEWED, known_agent};
use super::login_renewal::Shape;
use crate::environment::{Variables, select};

/// What an agent needs to be who it is logged in as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRequirements {
    known: &'static KnownAgent,
    command: Vec<String>,
    /// Files that were asked for, below the home.
    login: Vec<PathBuf>,
    /// Variables that were asked for.
    env: Vec<String>,
}

/// A file that is copied into the private home.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Login {
    pub(super) from: PathBuf,
    /// Where, below the private home.
    pub(super) to: PathBuf,
    /// What it looks like, if the agent may renew it.
    pub(super) renewed: Option<Shape>,
    /// What the copy holds, if that is not what the file does.
    pub(super) text: Option<Vec<u8>>,
}

impl AgentRequirements {
    /// What the program of a command needs. Only a bare name is known: anything else may be a script of the person's
    /// that has the name of an agent.
    pub fn of_command(command: &[String]) -> Self {
        let program = command.first().map_or("", String::as_str);
        Self::of_program(program, command)
    }

    /// What a known program needs that this command starts: it may do so by another path or a wrapper.
    pub fn of_program(program: &str, command: &[String]) -> Self {
        Self {
            known: known_agent(program).unwrap_or(&NONE),
            command: command.to_vec(),
            login: Vec::new(),
            env: Vec::new(),
        }
    }

    /// Adds files below the home, written as `~/…`, and names of variables.
    #[must_use]
    pub fn with_login(mut self, login: &[String], env: &[String]) -> Self {
        let below = login.iter().filter_map(|file| file.strip_prefix("~/"));
        self.login.extend(below.map(PathBuf::from));
        self.env.extend_from_slice(env);
        self
    }

    /// Its variables that are set, each once.
    pub fn variables(&self, all: &Variables) -> Vec<(OsString, OsString)> {
        let known = self.known.variables.iter().copied().flatten();
        let mut names: Vec<String> = known.map(|name| (*name).to_owned()).collect();
        for name in &self.env {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        select(all, &names)
    }

    /// Variables that are set for it when it is confined.
    pub(super) fn confined_variables(&self) -> impl Iterator<Item = (OsString, OsString)> {
        let confined_variables = self.known.confined_variables.iter();
        confined_variables.map(|(name, value)| (name.into(), value.into()))
    }

    /// What its command names and is there, where links lead: its program, and all that is absolute. What else is
    /// relative lies in the tree.
    pub(super) fn named_paths(&self, path: &OsStr) -> Vec<PathBuf> {
        let program = self
            .command
            .first()
            .filter(|program| !program.contains('/'));
        let candidates = program.into_iter().flat_map(|program| {
            let candidates = std::env::split_paths(path);
            candidates.map(move |candidate| candidate.join(program))
        });
        let found = candidates
            .filter(|candidate| candidate.is_absolute())
            .find(|candidate| candidate.is_file());
        let words = self.command.iter().map(PathBuf::from);
        let words = words.filter(|word| word.is_absolute());
        let named = found.into_iter().chain(words);
        named.filter_map(|path| path.canonicalize().ok()).collect()
    }

    /// Whether it is given a copy of this file of the home, because that was asked for.
    pub(super) fn logs_in_with(&self, path: &Path, home: Option<&Path>) -> bool {
        let is = |login: &PathBuf| home.is_some_and(|home| path == home.join(login));
        self.login.iter().any(is)
    }

    /// Folders of a home in which it keeps its sessions.
    pub(super) fn session_folders(&self) -> &'static [&'static str] {
        self.known.sessions
    }

    /// The file of a home that has its hooks.
    pub(super) fn hook_settings(&self) -> Option<&'static str> {
        self.known.hook_settings
    }

    /// Whether it confines what it starts by itself.
    pub(super) fn has_own_sandbox(&self) -> bool {
        self.known.nests
    }

    /// The files of the home that it is given, as people write them.
    pub fn given_files(&self, home: &Path, all: &Variables) -> Vec<String> {
        let files = self.files(home, all).into_iter();
        files.map(|file| written_path(&file.from, home)).collect()
    }

    /// The files to copy: of those that its program is known to need the ones that are there, and all that were asked
    /// for.
    pub(super) fn files(&self, home: &Path, all: &Variables) -> Vec<Login> {
        let known = self.known.folders.iter().flat_map(|folder| {
            let from = folder.path(home, all);
            folder.files.iter().map(move |file| {
                let to = Path::new(folder.path).join(file);
                Login {
                    from: from.join(file),
                    renewed: self.renewed_shape(&to),
                    text: None,
                    to,
                }
            })
        });
        let mut files: Vec<Login> = known.filter(|login| login.from.is_file()).collect();
        let asked = self.login.iter().map(|file| Login {
            from: home.join(file),
            to: file.clone(),
            renewed: self.renewed_shape(file).or(Some(Shape::AnyObject)),
            text: None,
        });
        for login in asked {
            files.retain(|known| known.to != login.to);
            files.push(login);
        }
        files
    }
}

/// A path of the home as `~/…`.
pub(super) fn written_path(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

impl AgentRequirements {
    /// What a file of the home looks like that its program is known to renew.
    fn renewed_shape(&self, path: &Path) -> Option<Shape> {
        let mut own = RENEWED
            .iter()
            .filter(|file| file.program == self.known.program);
        let found = own.find(|file| Path::new(file.path) == path);
        found.map(|file| file.shape)
    }
}

impl HomeFolder {
    /// Where the person has it.
    pub(super) fn path(&self, home: &Path, all: &Variables) -> PathBuf {
        let value = |name: &str| all.get(OsStr::new(name)).filter(|value| !value.is_empty());
        let moved = match self.moved_by {
            FolderOverride::To(name) => value(name).map(PathBuf::from),
            FolderOverride::Below(name, path) => {
                value(name).map(|value| Path::new(value).join(path))
            }
        };
        moved.unwrap_or_else(|| home.join(self.path))
    }
}

#[cfg(test)]
mod tests;
