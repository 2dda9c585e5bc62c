//! Recorded streams, and what a driver reads in them.

use std::fs;
use std::path::{Path, PathBuf};

use signoff_sandbox::ExitStatus;
use signoff_work::agent::{
    AgentEnd, AgentEvent, AgentExit, DriverKind, LaunchOptions, LineSplitter, ModelUsage,
    ReaderOptions,
};

/// A recorded stream.
pub(crate) struct Sample {
    pub(crate) driver: DriverKind,
    /// `claude-2.1.197/works`.
    pub(crate) name: String,
    pub(crate) case: String,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// What was read of a stream.
pub(crate) struct Reading {
    pub(crate) events: Vec<AgentEvent>,
    pub(crate) end: AgentEnd,
}

/// Every sample, of every version of every agent.
pub(crate) fn samples() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/agents");
    let mut samples = Vec::new();
    for folder in entries(&root).into_iter().filter(|path| path.is_dir()) {
        let version = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let agent = version.split('-').next().unwrap();
        let driver = DriverKind::parse(agent).unwrap_or_else(|| panic!("no driver for {version}"));
        for file in entries(&folder) {
            if file
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                let case = file.file_stem().unwrap().to_str().unwrap().to_owned();
                samples.push(Sample {
                    driver,
                    name: format!("{version}/{case}"),
                    case,
                    stdout: fs::read(&file).unwrap(),
                    stderr: fs::read(file.with_extension("stderr")).unwrap_or_default(),
                });
            }
        }
    }
    assert!(samples.len() > 50, "the samples are missing");
    samples
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

/// A confined agent without wishes.
pub(crate) fn plain_options() -> LaunchOptions<'static> {
    LaunchOptions {
        command: &[],
        prompt: "do it",
        prompt_file: Path::new("/tmp/prompt.md"),
        workspace: Path::new("/w"),
        model: None,
        tools: None,
        confined: true,
        resume: None,
        guard: None,
    }
}

impl Sample {
    /// Reads it as a process that ended so.
    pub(crate) fn read(&self, status: ExitStatus) -> Reading {
        read(self.driver, &self.stdout, status, &self.stderr)
    }
}

pub(crate) fn read(
    driver: DriverKind,
    stdout: &[u8],
    status: ExitStatus,
    stderr: &[u8],
) -> Reading {
    read_with(
        driver,
        &ReaderOptions::default(),
        stdout,
        AgentExit { status, stderr },
    )
}

pub(crate) fn read_with(
    driver: DriverKind,
    options: &ReaderOptions<'_>,
    stdout: &[u8],
    exit: AgentExit<'_>,
) -> Reading {
    let mut reader = driver.driver().reader(options);
    let mut events = Vec::new();
    let mut splitter = LineSplitter::default();
    splitter.push(stdout, |line| events.extend(reader.read_line(line)));
    splitter.finish(|line| events.extend(reader.read_line(line)));
    let end = reader.finish(exit);
    Reading { events, end }
}

impl Reading {
    /// All tokens of the events.
    pub(crate) fn tokens(&self) -> u64 {
        self.usages().map(ModelUsage::tokens).sum()
    }

    pub(crate) fn usages(&self) -> impl Iterator<Item = &ModelUsage> {
        self.events.iter().filter_map(|event| match event {
            AgentEvent::Usage(usage) => Some(usage),
            _ => None,
        })
    }

    /// Tools with what they were about.
    pub(crate) fn tools(&self) -> Vec<(&str, &str)> {
        let tools = self.events.iter().filter_map(|event| match event {
            AgentEvent::ToolStarted { tool, about, .. } => Some((tool.as_str(), about.as_str())),
            _ => None,
        });
        tools.collect()
    }
}
