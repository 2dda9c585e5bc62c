//! What a run needs of the machines that share its work.
//!
//! The loop and the engine are the same as on one machine. The journal is published before anything follows from it, and
//! agents and contracts are started, and tools called, elsewhere: whoever does that reports the same inputs that this machine would.

use std::fmt;

use serde::{Deserialize, Serialize};
use signoff_api::request::RequestKind;
use signoff_engine::{CallEnd, Event, FinishedWork, Observation};

/// The machines that share a run, as the process that drives it sees them.
pub trait Cluster: fmt::Debug + Send + Sync {
    /// Publishes lines of the run's journal, in order. The error says why this process may not go on with the run.
    fn publish(&self, lines: &[u8]) -> Result<(), String>;

    /// From now on, passes everything that other machines report to `news`.
    fn connect(&self, news: ClusterMessageSender);

    /// Records that a reference of the run names this object. Machines that get orders later have to find both.
    fn note_reference(&self, name: &str, object: &str);

    /// Hands these orders to other machines. Calling it twice has the effect of one call.
    fn hand_over(&self, orders: Vec<WorkOrder>) -> Result<(), String>;

    /// Takes back everything that was handed over and has not been reported. Returns the calls, by step and attempt, that are
    /// certain not to be made.
    fn withdraw(&self) -> Vec<(String, u32)>;

    /// Does this process drive the run?
    fn is_driving(&self) -> bool;

    /// Takes a lock of the project for the run, unless another run has it: then its name.
    fn take_lock(&self, lock: &str) -> Result<Option<String>, String>;

    /// Gives a lock back.
    fn release_lock(&self, lock: &str) -> Result<(), String>;

    /// Records what the run has cost on a day so far, in millionths of a dollar.
    fn note_cost(&self, day: &str, usd_e6: u64) -> Result<(), String>;

    /// What all runs have cost on a day.
    fn costs_of(&self, day: &str) -> Result<u64, String>;
}

/// Runs of a project that other machines drive, as the machine sees them that began them.
pub trait RemoteRunAccess: fmt::Debug + Send + Sync {
    /// Brings the run's journal and files here. Returns whether a process drives it now.
    fn sync(&self, run: &str) -> Result<bool, String>;

    /// Puts these files of the run's directory where other machines find them.
    fn share_files(&self, run: &str, names: &[String]) -> Result<(), String>;

    /// Asks something of a run, in the name of the person, and waits for the answer: why it was refused, if it was.
    fn ask(&self, run: &str, what: RequestKind) -> Result<Option<String>, String>;

    /// Lets a run go on that waits, was paused, or has failed. Returns why that was refused, if it was.
    fn resume(&self, run: &str) -> Result<Option<String>, String>;

    /// Whether the git repository that carries the run's work still has references of it, and which repository that is.
    fn leftover_references(&self, run: &str) -> Result<Option<String>, String>;

    /// Removes the run's references from that repository.
    fn remove_references(&self, run: &str) -> Result<(), String>;

    /// Removes the run from the database.
    fn forget(&self, run: &str) -> Result<(), String>;

    /// Has what was done here about a run that has ended recorded in its journal. Returns why that was refused, if it was.
    fn record(&self, run: &str, event: &Event) -> Result<Option<String>, String>;
}

/// A message for the performer of a run's actions.
#[derive(Debug)]
pub enum ClusterMessage {
    /// Another machine reports.
    Report(Box<Report>),
    /// There is something to do besides waiting.
    Wake,
}

/// Where messages go.
pub type ClusterMessageSender = Box<dyn Fn(ClusterMessage) + Send>;

/// What another machine is to do for a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkOrder {
    /// The step.
    pub step: String,
    /// Its attempt.
    pub attempt: u32,
    /// The role whose machines do it.
    pub role: String,
    /// What is to be done.
    pub task: OrderedTask,
}

/// Something that a machine does for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderedTask {
    /// An agent works.
    Work,
    /// A tool is called.
    Call,
    /// The contract runs without the work.
    Baseline,
    /// The contract judges the work.
    Evaluate {
        /// How often its usual time it may take.
        patience: u32,
    },
    /// The contract runs once more at the end.
    Recheck {
        /// How often its usual time it may take.
        patience: u32,
    },
}

impl OrderedTask {
    /// Its name, as a part of the order's.
    pub fn name(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Call => "call",
            Self::Baseline => "baseline",
            Self::Evaluate { .. } => "evaluate",
            Self::Recheck { .. } => "recheck",
        }
    }

    /// Does something judge?
    pub fn is_contract(self) -> bool {
        match self {
            Self::Work | Self::Call => false,
            Self::Baseline | Self::Evaluate { .. } | Self::Recheck { .. } => true,
        }
    }
}

/// The result of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The step.
    pub step: String,
    /// Its attempt.
    pub attempt: u32,
    /// What was to be done.
    pub task: OrderedTask,
    /// The commit of what an agent or a call did, if it left any.
    pub commit: Option<String>,
    /// How it ended.
    pub end: ReportedEnd,
}

/// How something ended on another machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportedEnd {
    /// An agent's work.
    Work(Box<FinishedWork>),
    /// A contract.
    Contract(Box<Observation>),
    /// A call.
    Call(Box<CallEnd>),
    /// The machine could not call, and it is certain that it did not.
    NotCalled(String),
    /// The machine could not do its own part.
    Trouble(String),
}
