//! Answers the checks' questions about a real directory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use signoff_api::tool_record::ToolRecord;
use signoff_plan::tools::allows;
use signoff_plan::{ShadowedCommand, Workspace, glob};

use crate::config::{AgentSettings, Config, Setting, find_agent};
use crate::tool_record;

/// A directory, the PATH that contracts get, the configured agents and tool servers.
#[derive(Debug)]
pub struct DiskWorkspace {
    root: PathBuf,
    topics: PathBuf,
    /// Absolute directories outside the workspace.
    search: Vec<PathBuf>,
    /// Entries of PATH inside the workspace, without links, and how many of `search` come before each.
    inside: Vec<(PathBuf, usize)>,
    agents: BTreeMap<String, Setting<AgentSettings>>,
    servers: Vec<String>,
    /// Names and patterns of tools that change nothing, by server.
    read_only: BTreeMap<String, Vec<String>>,
    record: ToolRecord,
    /// Commands asked for before; a plan names the same few again and again.
    commands: Mutex<BTreeMap<String, bool>>,
    mounts: Mounts,
}

/// Whether trees can be shown to agents here. Asked only when it matters: it has to be tried.
struct Mounts(Box<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for Mounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mounts")
    }
}

impl DiskWorkspace {
    /// `path` is the value of PATH. Entries inside the workspace do not count: an agent could put a
    /// command there after the plan was signed. Nor do relative ones, which move with the reader.
    pub fn new(root: &Path, path: &OsStr, config: &Config) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let (mut inside, mut search) = (Vec::new(), Vec::new());
        let entries = std::env::split_paths(path).filter(|entry| entry.is_absolute());
        for entry in entries.filter_map(|entry| entry.canonicalize().ok()) {
            if entry.starts_with(&root) {
                inside.push((entry, search.len()));
            } else {
                search.push(entry);
            }
        }
        Self {
            topics: root.join(".signoff").join("topics"),
            search,
            inside,
            agents: config.agents.clone(),
            servers: config.servers.keys().cloned().collect(),
            read_only: (config.servers.iter())
                .map(|(name, server)| (name.clone(), server.value.read_only.clone()))
                .collect(),
            record: tool_record::load(&root, config),
            commands: Mutex::default(),
            mounts: Mounts(Box::new(|| true)),
            root,
        }
    }

    /// The same with what says whether trees can be shown to agents here.
    #[must_use]
    pub fn with_mounts(mut self, mounts: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.mounts = Mounts(Box::new(mounts));
        self
    }

    fn find_command(&self, name: &str) -> bool {
        if name.contains('/') {
            return is_executable(&self.root.join(name));
        }
        self.position(name).is_some()
    }

    /// Which directory outside of the workspace has this command first.
    fn position(&self, name: &str) -> Option<usize> {
        let has = |directory: &PathBuf| is_executable(&directory.join(name));
        (!name.is_empty()).then(|| self.search.iter().position(has))?
    }
}

impl Workspace for DiskWorkspace {
    fn path_exists(&self, path: &str) -> bool {
        !path.is_empty() && exists_inside(&self.root, &self.root.join(path))
    }

    fn is_no_file(&self, path: &str) -> bool {
        let there = self.path_exists(path).then(|| self.root.join(path));
        there.is_some_and(|there| there.metadata().is_ok_and(|found| !found.is_file()))
    }

    fn leads_outside(&self, path: &str) -> bool {
        let real = self.root.join(path).canonicalize();
        real.is_ok_and(|real| !real.starts_with(&self.root))
    }

    fn pattern_matches(&self, pattern: &str) -> bool {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        matches_below(&self.root, glob::fixed_folder(pattern), pattern)
    }

    fn line_count(&self, path: &str) -> Option<u64> {
        // A larger file is not a list of lines.
        const LARGEST: u64 = 10_000_000;
        let file = self.root.join(path);
        let readable = self.path_exists(path) && file.metadata().ok()?.len() <= LARGEST;
        let bytes = readable.then(|| std::fs::read(file).ok())??;
        let ended = bytes.split(|byte| *byte == b'\n').count() - 1;
        let open = bytes.last().is_some_and(|last| *last != b'\n');
        u64::try_from(ended)
            .ok()
            .map(|lines| lines + u64::from(open))
    }

    fn siblings(&self, path: &str) -> Vec<String> {
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        let inside = directory.is_empty() || self.path_exists(directory);
        let names = inside.then(|| names_in(&self.root.join(directory)));
        let names = names.into_iter().flatten();
        let path = |name| match directory {
            "" => name,
            directory => format!("{directory}/{name}"),
        };
        names.map(path).collect()
    }

    fn topics(&self) -> Vec<String> {
        let names = names_in(&self.topics).into_iter();
        let names = names.filter_map(|name| Some(name.strip_suffix(".md")?.to_owned()));
        names.collect()
    }

    fn topic_exists(&self, name: &str) -> bool {
        let file = self.topics.join(format!("{name}.md"));
        !name.is_empty()
            && self
                .topics
                .canonicalize()
                .is_ok_and(|topics| exists_inside(&topics, &file))
    }

    fn command_exists(&self, name: &str) -> bool {
        let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = commands.get(name) {
            return *known;
        }
        let found = self.find_command(name);
        commands.insert(name.to_owned(), found);
        found
    }

    fn command_inside(&self, name: &str) -> Option<String> {
        if name.is_empty() || name.contains('/') {
            return None;
        }
        let mut places = self.inside.iter();
        let found = places.find_map(|(directory, _)| executable_in(directory, name))?;
        let below = found.strip_prefix(&self.root).ok()?;
        Some(below.display().to_string())
    }

    fn command_shadowed(&self, name: &str) -> Option<ShadowedCommand> {
        if self.inside.is_empty() || name.is_empty() || name.contains('/') {
            return None;
        }
        let at = self.position(name)?;
        let before = self.inside.iter().filter(|(_, position)| *position <= at);
        let found = { before }.find_map(|(directory, _)| executable_in(directory, name))?;
        let below = found.strip_prefix(&self.root).ok()?;
        let outside = self.search.get(at)?.join(name);
        Some(ShadowedCommand {
            inside: below.display().to_string(),
            outside: outside.display().to_string(),
        })
    }

    fn agent_exists(&self, name: &str) -> bool {
        find_agent(&self.agents, Some(name)).is_some()
    }

    fn tool_known(&self, name: &str) -> bool {
        let server = name.split_once('.').map_or(name, |(server, _)| server);
        if !self.servers.iter().any(|known| known == server) {
            return false;
        }
        name == server || tool_record::find(&self.record, name).is_some()
    }

    fn tool_schema(&self, name: &str) -> Option<Value> {
        let tool = tool_record::find(&self.record, name)?;
        Some(tool.input_schema.clone())
    }

    fn tool_output_schema(&self, name: &str) -> Option<Value> {
        tool_record::find(&self.record, name)?.output_schema.clone()
    }

    fn tool_read_only(&self, name: &str) -> bool {
        let marked = tool_record::find(&self.record, name).is_some_and(|tool| tool.read_only);
        let said = || {
            let (server, tool) = name.split_once('.')?;
            allows(self.read_only.get(server)?, tool)
        };
        marked || said().is_some()
    }

    fn tools(&self) -> Vec<String> {
        let recorded = self.record.servers.iter().flat_map(|(name, server)| {
            let tools = server.tools.iter();
            tools.map(move |tool| format!("{name}.{}", tool.name))
        });
        self.servers.iter().cloned().chain(recorded).collect()
    }

    fn has_trees(&self) -> bool {
        // Trees are recorded by git, in the project's repository or in one of the harness's own.
        self.find_command("git") && (self.mounts.0)()
    }

    fn agents(&self) -> Vec<String> {
        self.agents.keys().cloned().collect()
    }
}

/// Whether the path exists and, all links followed, lies in the directory.
fn exists_inside(directory: &Path, path: &Path) -> bool {
    path.canonicalize()
        .is_ok_and(|real| real.starts_with(directory))
}

/// Names in a directory, sorted. Only for suggestions: of very many a few are enough.
fn names_in(directory: &Path) -> Vec<String> {
    const MOST: usize = 1000;
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.take(MOST).collect();
    names.sort_unstable();
    names
}

/// Whether a file below a folder matches a pattern. Links to directories are not followed.
fn matches_below(root: &Path, folder: &str, pattern: &str) -> bool {
    /// With more files than these, the answer is never "no": finding out would take too long.
    const MOST: usize = 200_000;
    const NEVER: [&str; 2] = [".git", ".signoff"];
    if folder.split('/').any(|part| NEVER.contains(&part)) {
        return false;
    }
    let mut seen = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(root.join(&folder)).into_iter().flatten();
        for entry in entries.filter_map(Result::ok) {
            seen += 1;
            let name = entry.file_name().to_string_lossy().into_owned();
            if NEVER.contains(&name.as_str()) {
                continue;
            }
            let path = if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            };
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else if seen > MOST || glob::matches(pattern, &path) {
                return true;
            }
        }
    }
    false
}

fn executable_in(directory: &Path, name: &str) -> Option<PathBuf> {
    Some(directory.join(name)).filter(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests;
