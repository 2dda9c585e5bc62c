//! Calls tools: the built-in ones, and those of servers. Every call ends; none of them judges.
//!
//! Start reading at [`Toolbox::call`]. What the built-in tools are named and take is data in
//! `signoff_plan::tools`; paths are found in `workspace.rs`, servers are spoken to in `crate::mcp`.

mod change;
mod command;
mod directories;
mod http;
mod location;
mod read;
mod replace;
mod temporary;
mod workspace;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use signoff_plan::tools::{Approval, BuiltIn, built_in, schema_problems};
use signoff_sandbox::Sandbox;

use self::workspace::{FinalLink, MissingDirectories, Workspace};
pub use crate::call::{CallEnd, StopFlag};
use crate::call::{CallError, Limits};
use crate::confine::Confined;
use crate::mcp::{self, ServerSlot};

/// The default shell of `run_command`.
const SHELL: &str = "bash";

/// All tools that a run can call. Dropping it ends the servers.
#[derive(Debug)]
pub struct Toolbox {
    workspace: PathBuf,
    servers: Vec<ServerSlot>,
    sandbox: Arc<Sandbox>,
    environment: Vec<(OsString, OsString)>,
    shell: String,
    staging: Option<PathBuf>,
    confinement: Option<Confinement>,
    confined_servers: Option<(PathBuf, Confined)>,
}

/// What the commands of `run_command` are confined to.
struct Confinement {
    /// Where they find the workspace.
    shown_at: PathBuf,
    /// Made anew for each.
    make: Box<dyn Fn() -> Result<Option<Confined>, String> + Send + Sync>,
}

impl std::fmt::Debug for Confinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confinement")
            .field("shown_at", &self.shown_at)
            .finish_non_exhaustive()
    }
}

/// One call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool, as plans name it.
    pub tool: String,
    /// Its arguments, with no reference left in them.
    pub args: Value,
    /// How long it may take; arguments and configuration can only make it less.
    pub timeout: Duration,
    /// Marks every process that it starts.
    pub marker: String,
    /// Receives what a command, or a server that this call starts, prints.
    pub log: Option<PathBuf>,
    /// A person, or the plan's scope, agreed to it. Without that, [`Toolbox::needs_approval`] said that
    /// nobody has to, and the call keeps to that: it overwrites nothing that came into being since.
    pub agreed: bool,
}

impl Toolbox {
    /// Servers are started when their first tool is called. `environment` is all that commands and servers
    /// get to see of it, and where the proxy of requests is taken from.
    pub fn new(
        workspace: PathBuf,
        servers: Vec<mcp::Server>,
        sandbox: Arc<Sandbox>,
        environment: Vec<(OsString, OsString)>,
    ) -> Self {
        Self {
            workspace,
            servers: servers.into_iter().map(ServerSlot::new).collect(),
            sandbox,
            environment,
            shell: SHELL.to_owned(),
            staging: None,
            confinement: None,
            confined_servers: None,
        }
    }

    /// The same with another shell for `run_command`.
    #[must_use]
    pub fn with_shell(mut self, shell: impl Into<String>) -> Self {
        self.shell = shell.into();
        self
    }

    /// The same with a directory where a process that is killed may leave files half put in place. Without
    /// one they are beside the file.
    #[must_use]
    pub fn with_staging(mut self, staging: PathBuf) -> Self {
        self.staging = Some(staging);
        self
    }

    /// The same with what the commands of `run_command` are confined to, made anew for each; they find the workspace at
    /// `shown_at`. Servers are the person's own programs.
    #[must_use]
    pub fn with_confinement(
        mut self,
        shown_at: PathBuf,
        make: impl Fn() -> Result<Option<Confined>, String> + Send + Sync + 'static,
    ) -> Self {
        let make = Box::new(make);
        self.confinement = Some(Confinement { shown_at, make });
        self
    }

    /// The same with what servers that ask for it are confined to, and where they find the workspace then.
    #[must_use]
    pub fn with_confined_servers(mut self, shown_at: PathBuf, confined: Option<Confined>) -> Self {
        self.confined_servers = confined.map(|confined| (shown_at, confined));
        self
    }

    /// Calls a tool and waits for its end.
    pub fn call(&self, call: &Call, stop: &StopFlag) -> CallEnd {
        let limits = Limits::new(call.timeout, stop);
        let result = limits.check().and_then(|()| self.result(call, &limits));
        match result {
            Ok(value) => CallEnd::Done(value),
            Err(fault) => fault.into(),
        }
    }

    /// What in these arguments does not fit the tool, as far as that is known without starting a server.
    pub fn check(&self, tool: &str, args: &Value) -> Vec<String> {
        if let Some(built_in) = built_in(tool) {
            return schema_problems(args, &built_in.input_schema());
        }
        match self.server_of(tool) {
            Some((slot, name)) => {
                let schema = slot.schema(name);
                schema.map_or_else(Vec::new, |schema| schema_problems(args, &schema))
            }
            None => vec![unknown(tool)],
        }
    }

    /// Why a person must agree to this call now; `None` if no one has to.
    pub fn needs_approval(&self, tool: &str, args: &Value, pre_approved: bool) -> Option<String> {
        if pre_approved {
            return None;
        }
        let text = |argument: &str| args.get(argument).and_then(Value::as_str);
        let Some(built_in) = built_in(tool) else {
            let read_only = self.server_of(tool);
            let read_only = read_only.is_some_and(|(slot, name)| slot.server.is_read_only(name));
            return (!read_only).then(|| format!("`{tool}` may change something"));
        };
        match built_in.approval {
            Approval::Never => None,
            Approval::Always => Some(built_in.change(args)),
            Approval::IfExists { argument } => {
                let path = text(argument)?;
                // What is moved takes the place of a link; what is written goes through it.
                let follows = if built_in.id == BuiltIn::MoveFile {
                    FinalLink::Itself
                } else {
                    FinalLink::Target
                };
                let there = Workspace::open(&self.workspace)
                    .and_then(|workspace| workspace.find(path, follows, MissingDirectories::Refuse))
                    .and_then(|spot| spot.kind());
                // A path that cannot be used makes the call fail, which needs no agreement.
                there.ok().flatten().map(|_| format!("overwrites `{path}`"))
            }
            Approval::Unless { argument, values } => {
                let value = text(argument)?;
                (!values.contains(&value)).then(|| built_in.change(args))
            }
        }
    }

    /// Whether a call with an unknown end may be repeated.
    pub fn is_repeatable(&self, tool: &str, args: &Value) -> bool {
        if let Some(built_in) = built_in(tool) {
            return built_in.is_repeatable(args);
        }
        self.server_of(tool)
            .is_some_and(|(slot, name)| slot.server.is_repeatable(name))
    }

    /// Whether a call may change files of the workspace.
    pub fn changes_tree(&self, tool: &str) -> bool {
        if let Some(built_in) = built_in(tool) {
            return built_in.changes_tree();
        }
        !self
            .server_of(tool)
            .is_some_and(|(slot, name)| slot.server.is_read_only(name))
    }

    /// What a server offers now; it is started for that.
    pub fn tools_of(
        &self,
        server: &str,
        timeout: Duration,
        stop: &StopFlag,
    ) -> Result<Vec<mcp::Definition>, String> {
        let mut servers = self.servers.iter();
        let slot = servers.find(|slot| slot.server.name == server);
        let slot = slot.ok_or_else(|| format!("there is no server `{server}`"))?;
        let limits = Limits::new(timeout, stop).at_most(slot.server.timeout);
        let offered = slot.tools(self.server_context("signoff-tools", None), &limits);
        offered.map_err(|fault| match fault {
            CallError::Failed { message, .. } | CallError::CutOff { message } => message,
            CallError::Stopped => "stopped".to_owned(),
        })
    }

    fn result(&self, call: &Call, limits: &Limits<'_>) -> Result<Value, CallError> {
        let unfit = self.check(&call.tool, &call.args);
        if !unfit.is_empty() {
            return Err(CallError::lasting(unfit.join("; ")));
        }
        if let Some((slot, name)) = self.server_of(&call.tool) {
            let context = self.server_context(&call.marker, call.log.as_ref());
            return slot.call(name, &call.args, context, limits);
        }
        let Some(tool) = built_in(&call.tool) else {
            return Err(CallError::lasting(unknown(&call.tool)));
        };
        let args = &call.args;
        // Not before a tool needs it: there may be none yet.
        let workspace = || -> Result<Workspace, CallError> {
            Ok(Workspace::open(&self.workspace)?.with_staging(self.staging.clone()))
        };
        match tool.id {
            BuiltIn::HttpRequest => {
                http::http_request(parse_arguments(args)?, self.environment.clone(), limits)
            }
            BuiltIn::ReadFile => read::read_file(&workspace()?, parse_arguments(args)?, limits),
            BuiltIn::WriteFile => {
                change::write_file(&workspace()?, parse_arguments(args)?, call.agreed)
            }
            BuiltIn::EditFile => change::edit_file(&workspace()?, parse_arguments(args)?),
            BuiltIn::DeleteFile => change::delete_file(&workspace()?, parse_arguments(args)?),
            BuiltIn::MoveFile => {
                change::move_file(&workspace()?, parse_arguments(args)?, call.agreed)
            }
            BuiltIn::ListDirectory => {
                directories::list_directory(&workspace()?, parse_arguments(args)?, limits)
            }
            BuiltIn::SearchFiles => {
                directories::search_files(&workspace()?, &parse_arguments(args)?, limits)
            }
            BuiltIn::RunCommand => {
                let context = command::CommandContext {
                    sandbox: &self.sandbox,
                    shell: &self.shell,
                    environment: self.environment.clone(),
                    confined: self.confinement()?,
                    shown_at: self.confinement.as_ref().map(|one| one.shown_at.as_path()),
                    marker: call.marker.clone(),
                    log: call.log.clone(),
                };
                command::run_command(&workspace()?, parse_arguments(args)?, context, limits)
            }
        }
    }

    fn confinement(&self) -> Result<Option<Confined>, CallError> {
        let confinement = self.confinement.as_ref();
        let made = confinement.map_or(Ok(None), |confinement| (confinement.make)());
        made.map_err(CallError::lasting)
    }

    /// The server that a name leads to, and the tool's name there.
    fn server_of<'t>(&self, tool: &'t str) -> Option<(&ServerSlot, &'t str)> {
        let (server, name) = tool.split_once('.')?;
        let slot = self
            .servers
            .iter()
            .find(|slot| slot.server.name == server)?;
        Some((slot, name))
    }

    fn server_context<'a>(
        &'a self,
        marker: &'a str,
        log: Option<&'a PathBuf>,
    ) -> mcp::ServerContext<'a> {
        mcp::ServerContext {
            sandbox: &self.sandbox,
            workspace: &self.workspace,
            environment: &self.environment,
            marker,
            confined: self.confined_servers.as_ref(),
            log,
        }
    }
}

impl Drop for Toolbox {
    fn drop(&mut self) {
        // All at once, so that their ends are not waited for one after the other.
        for slot in &self.servers {
            slot.hang_up();
        }
    }
}

fn unknown(tool: &str) -> String {
    format!("there is no tool `{tool}`; `signoff tools` lists them")
}

/// Arguments that fit the schema, as what they are.
fn parse_arguments<T: DeserializeOwned>(args: &Value) -> Result<T, CallError> {
    T::deserialize(args)
        .map_err(|error| CallError::lasting(format!("the arguments do not fit: {error}")))
}
