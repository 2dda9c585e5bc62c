//! A project, a server for it, and a client with a person behind it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, Implementation, ProtocolVersion,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, RoleClient};
use serde_json::{Value, json};
use signoff_api::error as api;
use signoff_mcp::{Server, ServerOptions, serve_streams};
use signoff_runtime::Error;
use signoff_runtime::project::ProcessContext;
use tempfile::TempDir;

/// A plan that is valid and can be signed.
pub(crate) const PLAN: &str = "---
type: plan
status: draft
owner: ada
id: greet
---

# Greet

## Steps

### 1. Say hello
**target:** coder
**task:** Write `hello` into hello.txt.
**contract:**
```bash
grep -q hello hello.txt
```
exit_code == 0
";

const CONFIG: &str = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n[agents.coder]\ndriver = \"command\"\ncommand = [\"true\"]\n";

/// The two generations of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    Older,
    Newer,
}

pub(crate) const BOTH: [Generation; 2] = [Generation::Older, Generation::Newer];

/// What the person behind the client does.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    /// The client can ask them.
    pub(crate) can_be_asked: bool,
    pub(crate) action: ElicitationAction,
    pub(crate) content: Value,
    /// What they were shown.
    pub(crate) shown: Arc<Mutex<Vec<String>>>,
}

impl Person {
    pub(crate) fn agreeing() -> Self {
        Self {
            can_be_asked: true,
            action: ElicitationAction::Accept,
            content: json!({"confirm": true, "words": "fine"}),
            shown: Arc::default(),
        }
    }

    pub(crate) fn absent() -> Self {
        Self {
            can_be_asked: false,
            ..Self::agreeing()
        }
    }

    pub(crate) fn shown(&self) -> Vec<String> {
        self.shown.lock().unwrap().clone()
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = self.can_be_asked.then(ElicitationCapability::default);
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let request = serde_json::to_value(&request).unwrap();
        let message = request["message"].as_str().unwrap_or_default();
        self.shown.lock().unwrap().push(message.to_owned());
        // Whatever they do, the form is filled in: only what they do counts.
        Ok(ElicitResult::new(self.action.clone()).with_content(self.content.clone()))
    }
}

/// A client that is connected.
pub(crate) type Client = RunningService<RoleClient, Person>;

/// A project in a temporary folder.
#[derive(Debug)]
pub(crate) struct World {
    folder: TempDir,
    pub(crate) is_inside_run: bool,
    /// Who is at the machine.
    pub(crate) person: &'static str,
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self::without_store();
        world.write("project/.signoff/config.toml", CONFIG);
        world
    }

    pub(crate) fn without_store() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "home"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            is_inside_run: false,
            person: "ada",
        }
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Settings of the project, beside its agents.
    pub(crate) fn configure(&self, text: &str) {
        self.write("project/.signoff/config.toml", &format!("{text}\n{CONFIG}"));
    }

    /// Everything below was written an hour ago.
    pub(crate) fn make_old(&self, path: &str) {
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
        let mut left = vec![self.path(path)];
        while let Some(path) = left.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(&path).unwrap();
                left.extend(entries.map(|entry| entry.unwrap().path()));
            }
            fs::File::open(&path).unwrap().set_modified(then).unwrap();
        }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn server(&self) -> Server {
        let variables = [
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("HOME", self.path("home").display().to_string()),
            ("MY_API_KEY", "abcdefgh12345678".to_owned()),
        ];
        let variables: BTreeMap<_, _> = variables
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        Server::new(ServerOptions {
            process: ProcessContext {
                variables,
                directory: self.path("project"),
                user_config: Some(self.path("home/config.toml")),
                state_dir: Some(self.path("home/state")),
                person: self.person.to_owned(),
                services: signoff_runtime::project::ExternalServices::default(),
            },
            program: PathBuf::from("/nowhere/signoff"),
            wording,
            is_inside_run: self.is_inside_run,
            version: "0".to_owned(),
        })
        .unwrap()
    }

    /// A client of this generation, with this person behind it.
    pub(crate) async fn connect(&self, generation: Generation, person: &Person) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(serve_streams(self.server(), read, write));
        let lifecycle = match generation {
            Generation::Older => ClientLifecycleMode::Initialize,
            Generation::Newer => ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            },
        };
        let client = person.clone().serve_with_lifecycle(ours, lifecycle);
        client.await.expect("the server answers")
    }
}

/// Words enough to recognise an error by.
fn wording(error: Error, plan: Option<&str>) -> api::Error {
    let message = format!("{error:?} {}", plan.unwrap_or_default());
    api::Error::new("test", &message, Vec::new(), Vec::new())
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) value: Value,
    pub(crate) failed: bool,
}

impl Told {
    fn of(result: &CallToolResult) -> Self {
        let content = serde_json::to_value(&result.content).unwrap();
        Self {
            text: content[0]["text"].as_str().unwrap().to_owned(),
            value: result.structured_content.clone().unwrap(),
            failed: result.is_error == Some(true),
        }
    }

    #[track_caller]
    pub(crate) fn done(self) -> Value {
        assert!(!self.failed, "{}", self.text);
        self.value
    }

    /// The code of the error.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert!(self.failed, "{}", self.text);
        self.value["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().unwrap().clone();
    CallToolRequestParams::new(name).with_arguments(arguments)
}

pub(crate) async fn call(client: &Client, name: &'static str, arguments: Value) -> Told {
    let called = client.call_tool(params(name, arguments)).await;
    Told::of(&called.expect("the server answers"))
}

/// Hands in the plan.
pub(crate) async fn propose(client: &Client) -> String {
    let told = call(client, "plan_propose", json!({"text": PLAN})).await;
    told.done()["id"].as_str().unwrap().to_owned()
}
