//! The tools of a project: a [`Toolbox`] to call them, and a list of them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use signoff_api::tool_record;
use signoff_api::tools::{self, CallApproval, SCHEMA, Tool, Tools};
use signoff_plan::tools::{self as built_in, BUILT_IN};
use signoff_sandbox::{Level, Sandbox, start_scoped_thread};
use signoff_store::config::{Origin, ServerSettings, Setting};
use signoff_store::tool_record as store;
use signoff_work::confine::VisibleTree;
use signoff_work::environment::{for_contract, select};
use signoff_work::mcp::{BearerToken, Definition, Server, ServerReach};
use signoff_work::tools::{StopFlag, Toolbox};

use crate::confinement;
use crate::error::Error;
use crate::project::{Project, sandbox_level};
use crate::trust::helpers::pin_command;

/// How long a server may take to say what it offers; the first start may have to fetch it.
const PATIENCE: Duration = Duration::from_mins(2);

/// The tools that a run in this tree can call.
pub fn toolbox(project: &Project, tree: PathBuf, sandbox: Arc<Sandbox>) -> Toolbox {
    let allowed = &project.config.sandbox.env.value;
    // An entry of PATH lies in the checkout, wherever the tree is.
    let checkout = project.store.workspace();
    let environment = for_contract(&project.process.variables, allowed, checkout);
    Toolbox::new(tree, servers(project), sandbox, environment)
        .with_shell(&project.config.contract.shell.value)
}

/// The configured servers, with what is recorded of them.
pub fn servers(project: &Project) -> Vec<Server> {
    let record = store::load(project.store.workspace(), &project.config);
    let configured = project.config.servers.iter();
    let server = |(name, server): (&String, &Setting<ServerSettings>)| {
        let server = &server.value;
        Server {
            name: name.clone(),
            reach: server_reach(project, server),
            read_only: server.read_only.clone(),
            repeatable: server.repeatable.clone(),
            timeout: server.timeout,
            recorded: record.servers.get(name).map(recorded_tools),
        }
    };
    configured.map(server).collect()
}

fn server_reach(project: &Project, server: &ServerSettings) -> ServerReach {
    let variables = &project.process.variables;
    let token = |variable: &String| BearerToken {
        variable: variable.clone(),
        value: variables
            .get(OsStr::new(variable))
            .and_then(|value| value.to_str())
            .map(str::to_owned),
    };
    match &server.url {
        Some(url) => ServerReach::Http {
            url: url.clone(),
            token: server.token_env.as_ref().map(token),
        },
        None => ServerReach::Process {
            command: server.command.clone(),
            confined: server.confined,
            pinned: pin_command(project, &server.command),
            env: select(variables, &server.env),
        },
    }
}

fn recorded_tools(server: &tool_record::RecordedServer) -> Vec<Definition> {
    let definition = |tool: &tool_record::RecordedTool| Definition {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
        read_only: tool.read_only,
    };
    server.tools.iter().map(definition).collect()
}

/// Starts every server, asks what it offers, and records that. The
/// record of a server that does not answer stays as it is.
pub fn list(project: &Project) -> Result<Tools, Error> {
    let from_project = |origin| origin == Origin::Project;
    let mut configured = project.config.servers.values();
    if configured.any(|server| from_project(server.origin)) {
        project.require_config_trust()?;
    }
    let mut servers = servers(project);
    let answers = ask(project, &servers)?;
    let mut record = store::load(project.store.workspace(), &project.config);
    let before = record.clone();
    let mut reports = Vec::new();
    for server in &mut servers {
        let error = match answers.get(&server.name) {
            Some(Ok(offered)) => {
                let entry = entry(server, offered);
                server.recorded = Some(recorded_tools(&entry));
                record.servers.insert(server.name.clone(), entry);
                None
            }
            Some(Err(why)) => Some(why.clone()),
            None => Some("it was not asked".to_owned()),
        };
        let (old, new) = [&before, &record]
            .map(|record| record.servers.get(&server.name))
            .into();
        let (command, url) = command_and_url(server);
        reports.push(tools::Server {
            name: server.name.clone(),
            command,
            url,
            tools: server.recorded.as_ref().map_or(0, Vec::len),
            changed: old.is_some() && old != new,
            error,
        });
    }
    if !project.config.servers.is_empty() {
        store::save(&project.store, &record)?;
    }
    let own = BUILT_IN.iter().map(of_built_in);
    let others = servers.iter().flat_map(of_server);
    Ok(Tools {
        schema: SCHEMA.to_owned(),
        tools: own.chain(others).collect(),
        servers: reports,
    })
}

type Answers = BTreeMap<String, Result<Vec<Definition>, String>>;

/// The tools that are known without starting anything: the built-in ones, and what is recorded of the servers.
pub fn known_tools(project: &Project) -> Vec<Tool> {
    let own = BUILT_IN.iter().map(of_built_in);
    let servers = servers(project);
    own.chain(servers.iter().flat_map(of_server)).collect()
}

/// Asks all servers at once: each may take its time to start.
fn ask(project: &Project, servers: &[Server]) -> Result<Answers, Error> {
    if servers.is_empty() {
        return Ok(Answers::new());
    }
    let level = sandbox_level::level(project)?;
    let sandbox = Arc::new(Sandbox::with_level(level).map_err(Error::Sandbox)?);
    let tree = project.store.workspace().to_owned();
    let temp = tempfile::tempdir().map_err(Error::Sandbox)?;
    let run_paths = confinement::run_paths(project, &project.store.config_path(), level);
    let confined = run_paths
        .filter(|_| level != Level::None)
        .map(|run_paths| run_paths.for_contract(temp.path(), &VisibleTree::Checkout, &[]));
    let confined = confined.transpose().map_err(Error::Sandbox)?;
    let toolbox = &toolbox(project, tree.clone(), sandbox).with_confined_servers(tree, confined);
    let stop = &StopFlag::new();
    Ok(std::thread::scope(|scope| {
        let asking = servers.iter().map(|server| {
            let name = server.name.clone();
            let ask = move || toolbox.tools_of(&server.name, PATIENCE, stop);
            (name, start_scoped_thread(scope, "signoff-tools", ask))
        });
        // All are begun before the first is waited for.
        let asking: Vec<_> = asking.collect();
        let gone = |_| Err("asking it failed".to_owned());
        let answer = |asked: io::Result<ScopedJoinHandle<'_, _>>| match asked {
            Ok(asked) => asked.join().unwrap_or_else(gone),
            Err(error) => Err(error.to_string()),
        };
        asking
            .into_iter()
            .map(|(name, asked)| (name, answer(asked)))
            .collect()
    }))
}

fn entry(server: &Server, offered: &[Definition]) -> tool_record::RecordedServer {
    let tool = |tool: &Definition| tool_record::RecordedTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        read_only: tool.read_only,
        input_schema: tool.input_schema.clone(),
        output_schema: tool.output_schema.clone(),
    };
    let mut tools: Vec<_> = offered.iter().map(tool).collect();
    // In one order, whatever the server's: the file is compared and committed.
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    let (command, url) = command_and_url(server);
    tool_record::RecordedServer {
        command,
        url,
        tools,
    }
}

fn command_and_url(server: &Server) -> (Vec<String>, Option<String>) {
    match &server.reach {
        ServerReach::Process { command, .. } => (command.clone(), None),
        ServerReach::Http { url, .. } => (Vec::new(), Some(url.clone())),
    }
}

fn of_built_in(tool: &built_in::Tool) -> Tool {
    Tool {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        server: None,
        approval: match tool.approval {
            built_in::Approval::Never => CallApproval::Never,
            built_in::Approval::Always => CallApproval::Always,
            built_in::Approval::IfExists { .. } => CallApproval::Overwriting,
            built_in::Approval::Unless { .. } => CallApproval::Sending,
        },
        read_only: tool.read_only,
        repeatable: tool.read_only,
        input_schema: tool.input_schema(),
        output_schema: Some(tool.output_schema()),
    }
}

fn of_server(server: &Server) -> Vec<Tool> {
    let tool = |tool: &Definition| {
        let read_only = server.is_read_only(&tool.name);
        Tool {
            name: format!("{}.{}", server.name, tool.name),
            description: tool.description.clone(),
            server: Some(server.name.clone()),
            approval: if read_only {
                CallApproval::Never
            } else {
                CallApproval::Always
            },
            read_only,
            repeatable: server.is_repeatable(&tool.name),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
        }
    };
    server.recorded.iter().flatten().map(tool).collect()
}
