//! Tools of an agent in a signed run: what its scope names it gets, through the harness; nothing else passes.

use serde_json::{Value, json};
use signoff_testkit::{Project, Running};

use crate::support::shop::{self, KEY, hold_orders, let_orders_go, orders};
use crate::support::{BINARY, events, first_item_id, plan, statuses};

/// Asks the shop what it has, and calls these tools of it. The answers are its work.
fn asks_shop(tools: &[&str]) -> String {
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    ];
    for (number, tool) in tools.iter().enumerate() {
        let params = json!({"name": tool, "arguments": {"item": "tea"}});
        lines.push(
            json!({"jsonrpc": "2.0", "id": number + 2, "method": "tools/call", "params": params}),
        );
    }
    let lines: Vec<String> = lines.iter().map(|line| format!("'{line}'")).collect();
    format!(
        "printf '%s\\n' {} | /tmp/signoff mcp-proxy /tmp/signoff-room/server-0.sock > answers",
        lines.join(" ")
    )
}

/// A project with a shop, and a step whose agent runs this, with these tools.
fn project(command: &str, tools: &str) -> Project {
    let project = Project::new(BINARY).on_trees().env("SHOP_API_KEY", KEY);
    let config = format!(
        "[agents.coder]\ndriver = \"command\"\ncommand = [\"bash\", \"-c\", \"{{task}}\"]\n\n{}",
        shop::open(&project)
    );
    let step = format!(
        "**target:** coder\n**task:**\n{command}\n\n**tools:** {tools}\n**contract:**\n```shell\ntest -s answers\n```\n**on_fail:** escalate\n"
    );
    project
        .write(".signoff/config.toml", &config)
        .write("plan.md", &plan(&[&step]));
    project.signoff(["trust"]).assert_success();
    // What a server says of its tools counts only if it was signed.
    project.signoff(["tools"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// The answers that the agent got, by the numbers of its questions.
fn answers(project: &Project) -> Vec<Value> {
    let text = project.read("answers");
    let answers = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    answers.collect()
}

/// A run that has come to an inbox item.
fn asking(project: &Project) -> Running {
    let mut running = project.spawn(["run", "plan.md"]);
    let has_item = || project.json(["inbox"])["items"][0].is_object();
    assert!(running.wait_until(has_item));
    running
}

/// The events of a run in which an agent calls a tool of a server.
pub(super) fn called() -> Vec<Value> {
    let project = project(&asks_shop(&["order"]), "run_command, shop.order");
    project.signoff(["run", "plan.md"]).assert_success();
    project.signoff(["log", "--format", "json"]).json_lines()
}

#[test]
fn servers_in_the_scope_are_there_with_the_tools_it_names() {
    let project = project(
        &asks_shop(&["order", "look", "burn"]),
        "run_command, shop.order, shop.look",
    );
    project.signoff(["run", "plan.md"]).assert_success();
    let answers = answers(&project);
    let names = answers[1]["result"]["tools"]
        .as_array()
        .expect("a list")
        .iter();
    let names: Vec<_> = names.map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["look", "order"]);
    let text = |at: usize| answers[at]["result"]["content"][0]["text"].clone();
    assert_eq!(text(2), "ordered it");
    assert_eq!(text(4), "`shop.burn` is not one of this step's tools");
    assert_eq!(answers[4]["result"]["isError"], true);
    assert_eq!(orders(&project), 1);
    // The key stays where the server is.
    assert!(!project.read("answers").contains(KEY));
    let started = events(&project, "agent_call_started");
    let tools: Vec<_> = started
        .iter()
        .map(|event| event["call"]["tool"].clone())
        .collect();
    assert_eq!(tools, ["shop.order", "shop.look"]);
    let finished = events(&project, "agent_call_finished");
    assert_eq!(finished[0]["end"], json!({"done": "ordered it"}));
    let ended = &events(&project, "work_finished")[0];
    assert_eq!(ended["report"]["denied"], json!(["shop.burn"]));
}

#[test]
fn a_person_agrees_to_a_call_that_the_plan_does_not_name() {
    for (answer, expected) in [("allow", 1), ("deny", 0)] {
        let project = project(&asks_shop(&["look", "order"]), "run_command, shop");
        let running = asking(&project);
        let item = project.json(["inbox"])["items"][0].clone();
        assert_eq!(item["kind"], "permission", "{item}");
        let question = item["question"].as_str().unwrap_or_default();
        assert!(
            question.contains("call `shop.order` with {\"item\":\"tea\"}"),
            "{item}"
        );
        project
            .signoff(["answer", &first_item_id(&project), answer])
            .assert_success();
        running.wait().assert_success();
        assert_eq!(orders(&project), expected, "{answer}");
        assert_eq!(events(&project, "agent_call_started").len(), 1 + expected);
    }
}

#[test]
fn a_call_that_a_crash_cut_off_is_not_silently_made_again() {
    let project = project(&asks_shop(&["order"]), "run_command, shop.order");
    hold_orders(&project);
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| orders(&project) == 1));
    running.kill();
    let_orders_go(&project);
    project
        .signoff(["resume"])
        .assert_code(3)
        .assert_stderr_contains("was cut off while it called `shop.order`");
    assert_eq!(
        (orders(&project), statuses(&project)),
        (1, vec!["waiting".into()])
    );
    project
        .signoff(["answer", &first_item_id(&project), "retry", "--resume"])
        .assert_success();
    assert_eq!(orders(&project), 2);
}

#[test]
fn the_guard_in_the_sandbox_knows_the_scope_and_its_refusals_are_evidence() {
    let ask = |tool: &str| {
        format!(
            "echo '{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"{tool}\",\"tool_input\":{{}}}}' | /tmp/signoff guard --agent claude; echo $? >> answers; "
        )
    };
    let tamper = "echo '{}' 2>&- > /tmp/signoff-room/scope.json; rm -f /tmp/signoff; ";
    let asks = [
        "Read",
        "Write",
        "mcp__shop__order",
        "mcp__shop__burn",
        "mcp__other__x",
    ]
    .map(ask);
    let project = project(
        &format!("{tamper}{}", asks.concat()),
        "read_file, shop.order",
    );
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(project.read("answers"), "0\n2\n0\n2\n2\n");
    let ended = &events(&project, "work_finished")[0];
    let denied = ["Write", "mcp__other__x", "mcp__shop__burn"];
    assert_eq!(ended["report"]["denied"], json!(denied));
}
