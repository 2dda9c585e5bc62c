//! Puts Signoff into the settings of a coding agent, and takes it out again: the guard hook, the MCP server, the skill and
//! the commands.
//!
//! Start reading at [`connect`]. What is written for which agent is in `agents`.

mod agents;
mod change;
mod difference;
mod files;
mod program;
mod undo;
mod write;

use std::path::{Path, PathBuf};

use signoff_api::connect::{Connection as Report, FileAction, SCHEMA, Scope};
use signoff_plan::guard::Agent;
use signoff_store::trust::connections;

use self::agents::{ConnectContext, Integration};
use self::change::FileChange;
use crate::error::{ConnectError, Error};
use crate::project::{ProcessContext, Project};

/// What `connect` is asked for.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Whose settings.
    pub agent: Agent,
    /// For the person or for the project.
    pub scope: Scope,
    /// Take our entries out.
    pub undo: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// The program that runs now.
    pub program: PathBuf,
}

/// Connects an agent, or with `undo` disconnects it. Before anything is written, every file is read and edited in memory:
/// one that cannot be edited refuses the whole.
pub fn connect(process: &ProcessContext, options: &ConnectOptions) -> Result<Report, Error> {
    let state = process.state_dir.as_deref().ok_or(ConnectError::NoHome)?;
    let surroundings = connect_context(process, options)?;
    let workspace = match options.scope {
        Scope::User => None,
        Scope::Project => Some(surroundings.root.as_path()),
    };
    let integration = agents::integration(options.agent, &surroundings);
    let known = connections::find(state, options.agent.name(), workspace)?;
    let changes = if options.undo {
        undo::changes(&integration, known.as_ref())?
    } else {
        change::changes(&integration, known.as_ref())?
    };
    if !options.dry_run {
        let connection = write::Connection {
            agent: options.agent,
            workspace,
            known: known.as_ref(),
        };
        write::write(state, &connection, &changes, options.undo)?;
    }
    Ok(report(options, &integration, &changes))
}

fn connect_context(
    process: &ProcessContext,
    options: &ConnectOptions,
) -> Result<ConnectContext, Error> {
    let home = process.variables.get(std::ffi::OsStr::new("HOME"));
    let home = home.map(PathBuf::from).filter(|home| home.is_absolute());
    let home = home.ok_or(ConnectError::NoHome)?;
    let root = match options.scope {
        Scope::User => home.clone(),
        Scope::Project => Project::open(process)?.store.workspace().to_owned(),
    };
    Ok(ConnectContext {
        program: program::spelling(&options.program, &process.path(), options.scope),
        scope: options.scope,
        variables: process.variables.clone(),
        home,
        root,
    })
}

fn report(options: &ConnectOptions, integration: &Integration, changes: &[FileChange]) -> Report {
    Report {
        schema: SCHEMA.to_owned(),
        agent: options.agent.name().to_owned(),
        scope: options.scope,
        undo: options.undo,
        dry_run: options.dry_run,
        files: changes.iter().map(FileChange::report).collect(),
        next: if options.undo {
            Vec::new()
        } else {
            integration.next.clone()
        },
    }
}

/// Is anything of the report a change?
pub fn has_changes(report: &Report) -> bool {
    let is_change = |action| !matches!(action, FileAction::Unchanged | FileAction::Left);
    report.files.iter().any(|file| is_change(file.action))
}

/// The directories above a file that do not exist, the outermost first.
fn missing_directories(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    let mut missing: Vec<PathBuf> = above
        .take_while(|directory| !directory.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}
