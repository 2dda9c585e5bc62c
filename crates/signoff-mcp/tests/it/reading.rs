//! What the server offers, and what can be read.

use rmcp::model::{GetPromptRequestParams, ReadResourceRequestParams};
use serde_json::{Value, json};

use crate::world::{BOTH, Generation, PLAN, Person, World, call, propose};

const TOOLS: [&str; 16] = [
    "plan_propose",
    "plan_list",
    "plan_get",
    "plan_verify",
    "plan_revise",
    "plan_approve",
    "plan_reject",
    "plan_status",
    "plan_run",
    "plan_ask",
    "plan_dir",
    "plan_request_thread_dir",
    "plan_remove_thread",
    "plan_clear_current",
    "plan_commit",
    "plan_set_topic",
];

#[tokio::test]
async fn both_generations_list_the_same_tools_with_strict_schemas() {
    for generation in BOTH {
        let world = World::new();
        let client = world.connect(generation, &Person::agreeing()).await;
        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, TOOLS, "{generation:?}");
        for tool in &tools {
            let schema = Value::Object(tool.input_schema.as_ref().clone());
            assert_eq!(schema["type"], "object", "{}", tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
            for (name, property) in schema["properties"].as_object().unwrap() {
                let is_plain = property["type"].is_string() && property["description"].is_string();
                assert!(is_plain, "{}.{name}: {property}", tool.name);
            }
            // Interfaces of models refuse these.
            let text = schema.to_string();
            for refused in ["anyOf", "oneOf", "$ref", "null", "$defs"] {
                assert!(!text.contains(refused), "{}: {text}", tool.name);
            }
        }
    }
}

#[tokio::test]
async fn a_plan_is_listed_shown_and_read_as_a_resource() {
    let world = World::new();
    let client = world.connect(Generation::Newer, &Person::absent()).await;
    let id = propose(&client).await;
    assert_eq!(id, "greet");
    let listed = call(&client, "plan_list", json!({})).await;
    assert!(
        listed.text.contains("greet (verified): Greet"),
        "{}",
        listed.text
    );
    assert_eq!(listed.done()["plans"][0]["id"], "greet");
    let none = call(&client, "plan_list", json!({"states": ["approved"]})).await;
    assert_eq!(none.done()["plans"], json!([]));

    let plan = call(&client, "plan_get", json!({"plan": "greet"}))
        .await
        .done();
    assert_eq!(plan["schema"], "signoff.plan/1");
    assert_eq!(
        plan["steps"][0]["contract"]["command"],
        "grep -q hello hello.txt"
    );

    let resources = client.list_all_resources().await.unwrap();
    assert_eq!(resources[0].uri, "signoff://plans/greet");
    let text = |uri: &str| {
        let read = client.read_resource(ReadResourceRequestParams::new(uri));
        async { serde_json::to_value(read.await.unwrap()).unwrap()["contents"][0]["text"].clone() }
    };
    let shown = text("signoff://plans/greet").await;
    let shown: Value = serde_json::from_str(shown.as_str().unwrap()).unwrap();
    assert_eq!(shown, plan);
    let raw = text("signoff://plans/greet/text").await;
    assert!(raw.as_str().unwrap().contains("### 1. Say hello"), "{raw}");
    for nothing in [
        "signoff://plans/none",
        "signoff://x",
        "file:///etc/passwd",
        "signoff://plans/..%2F..%2Fx",
    ] {
        let read = client
            .read_resource(ReadResourceRequestParams::new(nothing))
            .await;
        assert!(read.is_err(), "{nothing}: {read:?}");
    }
}

#[tokio::test]
async fn a_project_without_a_store_says_so_and_texts_can_be_checked() {
    let world = World::without_store();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let told = call(&client, "plan_list", json!({})).await;
    assert!(told.text.contains("NoStore"), "{}", told.text);
    told.refused();
    let told = call(&client, "plan_verify", json!({"text": "# Nothing"})).await;
    assert!(told.done()["errors"].as_u64().unwrap() > 0);
    // The store may come later.
    world.write("project/.signoff/config.toml", "");
    call(&client, "plan_list", json!({})).await.done();
}

#[tokio::test]
async fn the_prompt_has_the_task_and_a_plan_that_is_valid() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let prompts = client.list_all_prompts().await.unwrap();
    let names: Vec<&str> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["plan_this", "plan_threads"]);
    let arguments = json!({"task": "Paint it red"});
    let request = GetPromptRequestParams::new("plan_this")
        .with_arguments(arguments.as_object().unwrap().clone());
    let prompt = serde_json::to_value(client.get_prompt(request).await.unwrap()).unwrap();
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.ends_with("Paint it red\n"), "{text}");
    let (_, example) = text.split_once("````markdown\n").unwrap();
    let (example, _) = example.split_once("````").unwrap();
    let checked = call(&client, "plan_verify", json!({"text": example})).await;
    assert_eq!(checked.value["errors"], 0, "{}", checked.text);
    let without = client
        .get_prompt(GetPromptRequestParams::new("plan_this"))
        .await;
    assert!(without.is_err());
}

#[tokio::test]
async fn a_secret_of_the_environment_is_not_shown() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let question = json!({"question": "Is abcdefgh12345678 the key?"});
    let told = call(&client, "plan_ask", question).await;
    let shown = format!("{} {}", told.text, told.value);
    assert!(shown.contains("Is [redacted] the key?"), "{shown}");
    assert!(!shown.contains("abcdefgh12345678"), "{shown}");
}

#[tokio::test]
async fn settings_that_change_hide_more_at_once() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    propose(&client).await;
    let shown = async || {
        let told = call(&client, "plan_list", json!({})).await;
        format!("{} {}", told.text, told.value)
    };
    assert!(shown().await.contains("Greet"));
    world.configure("[sandbox]\nredact = [\"Gr.et\"]");
    let shown = shown().await;
    assert!(
        !shown.contains("Greet") && shown.contains("[redacted]"),
        "{shown}"
    );
}

/// An answer is told again only while it is true, whatever happened to the plans meanwhile.
#[tokio::test]
async fn a_list_shows_every_change() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    propose(&client).await;
    let list = async |arguments: Value| {
        // Files this young are read anew for each list.
        world.make_old("project/.signoff");
        call(&client, "plan_list", json!({})).await;
        call(&client, "plan_list", arguments).await.text
    };
    assert!(list(json!({})).await.contains("greet (verified): Greet"));
    assert!(
        list(json!({"states": ["approved"]}))
            .await
            .contains("no plans")
    );
    let listed = call(&client, "plan_list", json!({})).await.done();
    let path = format!("project/{}", listed["plans"][0]["path"].as_str().unwrap());
    world.write(&path, &PLAN.replace("# Greet", "# Leave"));
    assert!(list(json!({})).await.contains("greet (verified): Leave"));
    world.write(
        "project/.signoff/plans/other.md",
        &PLAN.replace("greet", "other"),
    );
    assert!(list(json!({})).await.contains("other (verified): Greet"));
    std::fs::remove_file(world.path("project/.signoff/plans/other.md")).unwrap();
    let told = list(json!({})).await;
    assert!(
        told.starts_with("1 plans") && !told.contains("other"),
        "{told}"
    );
    call(&client, "plan_approve", json!({"plan": "greet"})).await;
    assert!(list(json!({})).await.contains("greet (approved): Leave"));
    world.configure("[contract]\nshell = \"sh\"");
    assert!(list(json!({})).await.contains("greet (verified): Leave"));
}
