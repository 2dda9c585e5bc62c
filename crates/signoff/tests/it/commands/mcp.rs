//! `signoff mcp`, as an agent's client has it: the real binary on pipes, and the SDK's own client.

#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]

use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientConfig,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, GetTaskParams,
    Implementation, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ReadResourceRequestParams, RequestMetaObject,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, RoleClient};
use serde_json::{Value, json};
use signoff_testkit::{Project, Script};
use tokio::net::unix::pipe;

use crate::support::{agent, makes_out, plan, project, waits_then_makes_out, with_a_new_step};

/// A client with a person who agrees.
#[derive(Debug, Clone, Default)]
struct Agreeing {
    /// The client knows tasks.
    tasks: bool,
    progress: Arc<Mutex<Vec<f64>>>,
    /// What the person was shown.
    shown: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Agreeing {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.tasks {
            capabilities = ClientCapabilities::builder().enable_tasks().build();
        }
        capabilities.elicitation = Some(ElicitationCapability::default());
        ClientConfig::new(capabilities, Implementation::new("test", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let ElicitRequestParams::FormElicitationParams { message, .. } = request {
            self.shown.lock().unwrap().push(message);
        }
        let agreed = ElicitResult::new(ElicitationAction::Accept);
        Ok(agreed.with_content(json!({"confirm": true})))
    }

    async fn on_progress(
        &self,
        told: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.progress.lock().unwrap().push(told.progress);
    }
}

/// A client, and the server's process.
struct Connected {
    client: RunningService<RoleClient, Agreeing>,
    server: Child,
}

impl Connected {
    async fn to(project: &Project, variables: &[(&str, &str)], client: &Agreeing) -> Self {
        let mut server = project.spawn_piped(variables, ["mcp"]);
        let read = OwnedFd::from(server.stdout.take().unwrap());
        let write = OwnedFd::from(server.stdin.take().unwrap());
        let read = pipe::Receiver::from_owned_fd(read).unwrap();
        let write = pipe::Sender::from_owned_fd(write).unwrap();
        let lifecycle = if client.tasks {
            ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            }
        } else {
            ClientLifecycleMode::Initialize
        };
        let client = client
            .clone()
            .serve_with_lifecycle((read, write), lifecycle)
            .await
            .expect("the server answers");
        Self { client, server }
    }

    async fn call(&self, name: &'static str, arguments: Value) -> CallToolResult {
        let called = self.client.call_tool(params(name, arguments));
        called.await.expect("the server answers")
    }

    async fn done(&self, name: &'static str, arguments: Value) -> Value {
        let result = self.call(name, arguments).await;
        assert_ne!(result.is_error, Some(true), "{result:?}");
        result.structured_content.unwrap()
    }

    /// Closes the pipes and waits for the server's end.
    async fn close(mut self) {
        self.client.cancel().await.unwrap();
        let ended = self.server.wait().unwrap();
        assert_eq!(ended.code(), Some(0));
    }
}

fn params(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().unwrap().clone();
    CallToolRequestParams::new(name).with_arguments(arguments)
}

/// A project that is trusted, with a plan that nobody has signed.
fn trusted(script: &Script) -> Project {
    let project = project(script, &plan(&[&agent("Make it.", "out")]));
    project.signoff(["trust"]).assert_success();
    project
}

#[tokio::test]
async fn a_run_goes_on_when_client_and_server_are_gone() {
    let project = trusted(&Script::new().reply(waits_then_makes_out()));
    let person = Agreeing::default();
    let first = Connected::to(&project, &[], &person).await;
    let told = first.call("plan_run", json!({"plan": "plan.md"})).await;
    assert_eq!(told.structured_content.unwrap()["code"], "not-signed");
    first.done("plan_propose", json!({"path": "plan.md"})).await;
    first.done("plan_approve", json!({"plan": "plan.md"})).await;
    let run = first.done("plan_run", json!({"plan": "plan.md"})).await;
    assert_eq!(run["schema"], "signoff.run/1");
    let again = first.call("plan_run", json!({"plan": "plan.md"})).await;
    let again = again.structured_content.unwrap();
    assert_eq!(again["code"], "state", "{again}");
    first.close().await;

    let second = Connected::to(&project, &[], &person).await;
    let now = second.done("plan_status", json!({"plan": "plan.md"})).await;
    assert_eq!(
        (&now["run"], &now["status"]),
        (&run["run"], &json!("executing"))
    );
    project.write("go", "x");
    let mut waiting = params("plan_status", json!({"run": run["run"], "wait": true}));
    let mut meta = RequestMetaObject::default();
    meta.set_progress_token(ProgressToken(rmcp::model::NumberOrString::Number(7)));
    waiting.meta = Some(meta);
    let ended = second.client.call_tool(waiting).await.unwrap();
    let ended = ended.structured_content.unwrap();
    assert_eq!(ended["status"], "completed", "{ended}");
    assert!(project.exists("out"));
    let progress = person.progress.lock().unwrap().clone();
    assert!(
        progress.is_sorted() && progress.last() == Some(&100.0),
        "{progress:?}"
    );
    second.close().await;
    // What the run printed is in its directory, and no other file of the launch is left.
    let runs = project.path().join(".signoff/runs");
    assert!(
        runs.join(run["run"].as_str().unwrap())
            .join("output.jsonl")
            .exists()
    );
    let launches = std::fs::read_dir(runs).unwrap().flatten();
    let launches =
        launches.filter(|entry| entry.file_name().to_string_lossy().starts_with("launch"));
    assert_eq!(launches.count(), 0);
}

#[tokio::test]
async fn a_person_is_shown_what_a_new_version_brings() {
    let project = with_a_new_step();
    assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3));
    let person = Agreeing::default();
    let connected = Connected::to(&project, &[], &person).await;
    connected
        .done("plan_approve", json!({"plan": "plan-v2"}))
        .await;
    connected.close().await;
    let shown = person.shown.lock().unwrap().clone();
    let (changes, _) = shown[0].split_once("\n1. ").expect("the steps");
    for words in [
        "does not carry out yet",
        "- Make it wrong.",
        "+ Make two.",
        "+ step step-4: Tell",
        "+ Report what was made, and send it to everybody.",
        "+ test -s report",
        "+ run_command",
        "+ shared",
        "this plan lets agents work in your checkout itself",
    ] {
        assert!(changes.contains(words), "{words}: {changes}");
    }
}

#[tokio::test]
async fn a_client_that_knows_tasks_gets_the_run_as_one() {
    let project = trusted(&makes_out());
    let client = Agreeing {
        tasks: true,
        ..Agreeing::default()
    };
    let connected = Connected::to(&project, &[], &client).await;
    connected
        .done("plan_approve", json!({"plan": "plan.md"}))
        .await;
    let started = connected
        .client
        .call_tool_once(params("plan_run", json!({"plan": "plan.md"})));
    let CallToolResponse::Task(task) = started.await.unwrap() else {
        panic!("the run is a task");
    };
    let run = task.task.task_id;
    let wait = json!({"run": run, "wait": true});
    assert_eq!(
        connected.done("plan_status", wait).await["status"],
        "completed"
    );
    let task = connected
        .client
        .get_task(GetTaskParams::new(run))
        .await
        .unwrap();
    let task = serde_json::to_value(&task).unwrap();
    assert_eq!(task["status"], "completed", "{task}");
    assert_eq!(task["result"]["structuredContent"]["status"], "completed");
    connected.close().await;
}

/// What is read over MCP is what `signoff report` says, as text and as JSON.
#[tokio::test]
async fn the_report_of_a_run_is_the_one_of_the_command() {
    let project = trusted(&makes_out());
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
    let mut told = project.json(["report"]);
    let run = told["run"]["run"].as_str().unwrap().to_owned();
    let connected = Connected::to(&project, &[], &Agreeing::default()).await;
    let read = async |uri: String| {
        let read = connected
            .client
            .read_resource(ReadResourceRequestParams::new(uri));
        serde_json::to_value(read.await.unwrap()).unwrap()["contents"].clone()
    };
    let both = read(format!("signoff://runs/{run}/report")).await;
    assert_eq!(both[0]["mimeType"], "text/markdown");
    let page = both[0]["text"].as_str().unwrap();
    for words in [
        "**completed**",
        "Before the work",
        "**pass**",
        "proof `any`",
        "| completed | 1 | held |",
        "Changed: out",
        "signoff diff --signed",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let alone = read(format!("signoff://runs/{run}/report.json")).await;
    for content in [&both[1], &alone[0]] {
        assert_eq!(content["uri"], format!("signoff://runs/{run}/report.json"));
        let mut report: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
        // When it was written differs.
        report["at"].take();
        told["at"].take();
        assert_eq!(report, told);
    }
    connected.close().await;
}

#[tokio::test]
async fn a_question_is_answered_on_the_command_line() {
    let project = trusted(&makes_out());
    let connected = Connected::to(&project, &[], &Agreeing::default()).await;
    let asked = json!({"question": "Which colour?", "choices": ["red", "blue"]});
    let asked = connected.done("plan_ask", asked).await;
    let id = asked["id"].as_str().unwrap();
    project
        .signoff(["inbox"])
        .assert_stdout_contains(&format!("signoff answer {id} red"));
    project.signoff(["answer", id, "green"]).assert_code(2);
    project
        .signoff(["answer", id, "red", "--resume"])
        .assert_code(2);
    project
        .signoff_with(&[("CLAUDECODE", "1")], ["answer", id, "red"])
        .assert_code(4);
    project.signoff(["answer", id, "red"]).assert_success();
    project.signoff(["answer", id, "blue"]).assert_code(5);
    let answered = connected.done("plan_ask", json!({"id": id})).await;
    assert_eq!(
        answered["answer"],
        json!({"text": "red", "by": "tester", "at": answered["answer"]["at"]})
    );
    project
        .signoff(["inbox"])
        .assert_stdout_contains("nothing waits on you");
    connected.close().await;
}

#[tokio::test]
async fn nobody_signs_through_a_server_that_is_part_of_a_run() {
    let project = trusted(&makes_out());
    for (variable, code) in [("SIGNOFF_INSIDE", "person-only"), ("CLAUDECODE", "")] {
        let connected = Connected::to(&project, &[(variable, "1")], &Agreeing::default()).await;
        let told = connected
            .call("plan_approve", json!({"plan": "plan.md"}))
            .await;
        let told = told.structured_content.unwrap();
        assert_eq!(told["code"].as_str().unwrap_or_default(), code, "{told}");
        connected.close().await;
    }
    let listed = project.json(["list"]);
    assert_eq!(listed["plans"][0]["proof"], "client", "{listed}");
}

#[tokio::test]
async fn without_a_store_it_serves_and_says_how_to_make_one() {
    let project = Project::new(crate::support::BINARY);
    let connected = Connected::to(&project, &[], &Agreeing::default()).await;
    let told = connected.call("plan_list", json!({})).await;
    let told = told.structured_content.unwrap();
    assert!(told["hints"].to_string().contains("signoff init"), "{told}");
    connected.close().await;
    project
        .signoff(["mcp", "--project", "nowhere"])
        .assert_code(2);
}
