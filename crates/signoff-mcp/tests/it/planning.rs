//! Handing plans in: their problems, new versions, threads.

use serde_json::{Value, json};

use crate::world::{BOTH, Generation, PLAN, Person, World, call, propose};

#[tokio::test]
async fn a_broken_plan_comes_back_with_every_problem_and_nothing_is_kept() {
    for generation in BOTH {
        let world = World::new();
        let client = world.connect(generation, &Person::agreeing()).await;
        let broken = PLAN
            .replace("**target:** coder", "**target:** codr")
            .replace("**task:**", "**depends_on:** nothing-here\n**task:**");
        let told = call(&client, "plan_propose", json!({"text": broken})).await;
        assert!(told.failed, "{}", told.text);
        assert_eq!(told.value["schema"], "signoff.diagnostics/1");
        let found = told.value["diagnostics"].as_array().unwrap();
        let problem = found.iter().find(|one| one["code"] == "unknown-dependency");
        let problem = problem.unwrap_or_else(|| panic!("{}", told.text));
        assert_eq!(
            (&problem["line"], &problem["column"]),
            (&json!(14), &json!(17))
        );
        assert!(
            told.text.contains("error[unknown-dependency] -:14:17: "),
            "{}",
            told.text
        );
        assert!(!world.path("project/.signoff/plans").exists());
        // The corrected one is taken.
        propose(&client).await;
    }
}

#[tokio::test]
async fn plan_modes_own_form_becomes_a_plan() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let step = json!({"description": "Send it", "tool": "go-easy", "operation": "gmail send", "target": "a@b"});
    let told = call(
        &client,
        "plan_propose",
        json!({"title": "Remind", "steps": [step], "context": "It is late."}),
    );
    let plan = told.await.done();
    let id = plan["id"].as_str().unwrap();
    assert!(id.starts_with("PLAN-"), "{plan}");
    let shown = call(&client, "plan_get", json!({"plan": id})).await.done();
    assert_eq!(shown["steps"][0]["hint"]["operation"], "gmail send");
    assert_eq!(shown["tools"], json!(["go-easy"]));
    let text = std::fs::read_to_string(world.path(&format!("project/.signoff/plans/{id}.md")));
    assert!(text.unwrap().contains("It is late."));
}

#[tokio::test]
async fn forms_are_not_mixed_and_unknown_arguments_are_refused() {
    let world = World::new();
    let client = world.connect(Generation::Newer, &Person::agreeing()).await;
    for arguments in [
        json!({}),
        json!({"title": "x"}),
        json!({"title": "x", "steps": [], "text": PLAN}),
        json!({"text": PLAN, "path": "plan.md"}),
        json!({"text": PLAN, "colour": "red"}),
        json!({"text": 7}),
        json!({"path": "plan.md", "dialect": "workunit"}),
        json!({"title": "x", "steps": [{"description": "a"}]}),
    ] {
        let told = call(&client, "plan_propose", arguments.clone()).await;
        assert_eq!(told.refused(), "bad-arguments", "{arguments}");
    }
    // A text is of the dialect that it is said to be of, or its problems as such are told.
    let told = call(
        &client,
        "plan_propose",
        json!({"text": PLAN, "dialect": "toolplan"}),
    )
    .await;
    assert!(told.failed, "{}", told.text);
}

#[tokio::test]
async fn a_file_is_proposed_where_it_is_and_nothing_outside() {
    let world = World::new();
    world.write("project/docs/plan.md", PLAN);
    world.write("outside.md", PLAN);
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let told = call(&client, "plan_propose", json!({"path": "docs/plan.md"})).await;
    assert_eq!(told.done()["path"], "docs/plan.md");
    let told = call(&client, "plan_propose", json!({"path": "../outside.md"})).await;
    assert!(told.text.contains("OutsideProject"), "{}", told.text);
}

#[tokio::test]
async fn a_new_version_takes_the_place_of_the_old_one() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    propose(&client).await;
    let same = call(
        &client,
        "plan_revise",
        json!({"plan": "greet", "text": PLAN}),
    )
    .await;
    assert!(same.text.contains("NothingRevised"), "{}", same.text);
    let text = PLAN.replace("Write `hello`", "Put `hello`");
    let arguments = json!({"plan": "greet", "text": text, "expect_version": 7});
    let moved = call(&client, "plan_revise", arguments).await;
    assert!(moved.failed, "{}", moved.text);
    let done = call(
        &client,
        "plan_revise",
        json!({"plan": "greet", "text": text}),
    )
    .await;
    assert_eq!(done.done()["status"], "verified");
    let shown = call(&client, "plan_get", json!({"plan": "greet"}))
        .await
        .done();
    assert_eq!(
        shown["steps"][0]["work"]["task"],
        "Put `hello` into hello.txt."
    );
}

/// Whoever may only plan could write anywhere, if the text of a plan took the place of any file.
#[tokio::test]
async fn only_a_plan_is_given_the_text_of_a_plan() {
    let world = World::new();
    world.write("project/src/main.rs", "fn main() {}\n");
    world.write("project/README.md", "# Read me\n");
    world.write("project/empty.md", "");
    world.write("project/package.json", "{\"name\": \"x\"}\n");
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let text = PLAN.replace("id: greet\n", "");
    for (file, before) in [
        ("src/main.rs", "fn main() {}\n"),
        ("README.md", "# Read me\n"),
        ("empty.md", ""),
        ("package.json", "{\"name\": \"x\"}\n"),
    ] {
        for arguments in [
            json!({"plan": file, "text": text}),
            json!({"plan": file, "title": "x", "steps": []}),
        ] {
            let told = call(&client, "plan_revise", arguments).await;
            assert!(told.failed, "{file}: {}", told.text);
        }
        let told = call(&client, "plan_revise", json!({"plan": file, "text": text})).await;
        assert!(told.text.contains("NotAPlan"), "{file}: {}", told.text);
        let after = std::fs::read_to_string(world.path(&format!("project/{file}")));
        assert_eq!(after.unwrap(), before, "{file}");
    }
    // A plan stays one, however broken somebody left it.
    propose(&client).await;
    let path = format!("project/{}", kept_path(&client).await);
    world.write(&path, "somebody's note\n");
    let file = path.strip_prefix("project/").unwrap();
    let told = call(&client, "plan_revise", json!({"plan": file, "text": PLAN})).await;
    assert!(!told.text.contains("NotAPlan"), "{}", told.text);
}

async fn kept_path(client: &crate::world::Client) -> String {
    let listed = call(client, "plan_list", json!({})).await.done();
    listed["plans"][0]["path"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_plan_without_a_signature_does_not_run() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    propose(&client).await;
    // The program of this world does not exist; the tests of the binary see what it refuses.
    let told = call(&client, "plan_run", json!({"plan": "greet"})).await;
    assert!(told.text.contains("NotLaunched"), "{}", told.text);
    let told = call(&client, "plan_run", json!({"plan": "none"})).await;
    assert!(told.text.contains("NoSuchPlan"), "{}", told.text);
    for wait in [false, true] {
        let told = call(
            &client,
            "plan_status",
            json!({"plan": "greet", "wait": wait}),
        )
        .await;
        assert!(told.text.contains("`plan_approve` asks"), "{}", told.text);
        assert_eq!(told.done()["status"], "verified");
    }
}

#[tokio::test]
async fn threads_are_planned_removed_and_committed() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    let told = call(&client, "plan_dir", json!({})).await;
    assert!(told.text.contains("NoSession"), "{}", told.text);
    let session = |mut arguments: Value| {
        arguments["session"] = "s-1".into();
        arguments
    };
    let current = call(&client, "plan_dir", session(json!({}))).await.done();
    let topic = call(
        &client,
        "plan_set_topic",
        session(json!({"topic": " Paint "})),
    )
    .await;
    assert_eq!(topic.done()["topic"], "Paint");
    let extra = call(&client, "plan_request_thread_dir", session(json!({}))).await;
    let extra = extra.done();
    // Both are empty: all problems at once, and nothing is committed.
    std::fs::write(
        format!("{}/plan.md", current["plan_dir"].as_str().unwrap()),
        "---\n---\n",
    )
    .unwrap();
    let told = call(&client, "plan_commit", session(json!({}))).await;
    assert!(told.failed, "{}", told.text);
    let files: Vec<_> = told.value["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["file"].clone())
        .collect();
    assert!(files.len() > 1, "{}", told.text);

    let thread = extra["thread_id"].clone();
    let told = call(
        &client,
        "plan_remove_thread",
        session(json!({"thread_id": thread})),
    );
    told.await.done();
    let again = call(
        &client,
        "plan_remove_thread",
        session(json!({"thread_id": thread})),
    );
    assert!(again.await.text.contains("UnknownThread"));
    let directory = current["plan_dir"].as_str().unwrap();
    std::fs::create_dir_all(format!("{directory}/tasks")).unwrap();
    std::fs::write(
        format!("{directory}/plan.md"),
        "---\ntitle: Paint\n---\nRed.\n",
    )
    .unwrap();
    std::fs::write(
        format!("{directory}/tasks/01-paint.md"),
        "---\nid: paint\nagent: coder\n---\nPaint it.\n",
    )
    .unwrap();
    let told = call(&client, "plan_commit", session(json!({}))).await;
    assert_eq!(told.done()["plans"][0]["plan"]["title"], "Paint");
    let listed = call(&client, "plan_list", json!({})).await.done();
    assert_eq!(listed["plans"][0]["title"], "Paint");
    let told = call(&client, "plan_clear_current", session(json!({}))).await;
    assert!(told.text.contains("cancelled plan"), "{}", told.text);
}
