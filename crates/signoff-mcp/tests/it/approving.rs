//! Only the person decides, and only through a client that can ask them.

use rmcp::model::{CallToolResponse, ElicitationAction};
use serde_json::{Value, json};

use crate::world::{BOTH, Client, Generation, PLAN, Person, World, call, params, propose};

async fn state(client: &Client) -> Value {
    let plan = call(client, "plan_get", json!({"plan": "greet"})).await;
    plan.done()["status"].clone()
}

#[tokio::test]
async fn a_person_who_agrees_signs_with_the_clients_proof() {
    for generation in BOTH {
        let world = World::new();
        let person = Person::agreeing();
        let client = world.connect(generation, &person).await;
        propose(&client).await;
        let told = call(&client, "plan_approve", json!({"plan": "greet"})).await;
        let digest = told.done()["digest"].as_str().unwrap().to_owned();
        assert_eq!(state(&client).await, "approved", "{generation:?}");
        let listed = call(&client, "plan_list", json!({})).await.done();
        assert_eq!(listed["plans"][0]["proof"], "client");
        let shown = person.shown();
        assert_eq!(shown.len(), 1, "{shown:?}");
        for words in [
            "Greet",
            &digest,
            "Say hello",
            "agent `coder`",
            "grep -q hello hello.txt",
            "exit_code == 0",
        ] {
            assert!(shown[0].contains(words), "{words}: {}", shown[0]);
        }
        // Once more is a conflict, and the person is not asked.
        let again = call(&client, "plan_approve", json!({"plan": "greet"})).await;
        assert!(again.text.contains("Forbidden"), "{}", again.text);
        assert_eq!(person.shown().len(), 1);
    }
}

#[tokio::test]
async fn whoever_does_not_agree_signs_nothing() {
    let declines = |action| Person {
        action,
        ..Person::agreeing()
    };
    let fills_in = |content| Person {
        content,
        ..Person::agreeing()
    };
    for generation in BOTH {
        for person in [
            declines(ElicitationAction::Decline),
            declines(ElicitationAction::Cancel),
            fills_in(json!({})),
            fills_in(json!({"confirm": false})),
            fills_in(json!({"confirm": "true"})),
            fills_in(Value::Null),
        ] {
            let world = World::new();
            let client = world.connect(generation, &person).await;
            propose(&client).await;
            let told = call(&client, "plan_approve", json!({"plan": "greet"})).await;
            let code = match person.action {
                ElicitationAction::Cancel => "unanswered",
                _ => "declined",
            };
            assert!(
                told.text.contains("`signoff approve greet`"),
                "{}",
                told.text
            );
            assert_eq!(told.refused(), code, "{person:?}");
            assert_eq!(state(&client).await, "verified");
            assert_eq!(person.shown().len(), 1);
        }
    }
}

#[tokio::test]
async fn without_a_person_it_is_refused_with_what_to_type() {
    for generation in BOTH {
        let world = World::new();
        let client = world.connect(generation, &Person::absent()).await;
        propose(&client).await;
        for (tool, typed) in [
            ("plan_approve", "`signoff approve greet`"),
            ("plan_reject", "`signoff reject greet`"),
        ] {
            let told = call(&client, tool, json!({"plan": "greet"})).await;
            assert!(told.text.contains(typed), "{}", told.text);
            assert_eq!(told.refused(), "person-only");
        }
        assert_eq!(state(&client).await, "verified");
    }
}

#[tokio::test]
async fn inside_a_run_nobody_is_asked() {
    for generation in BOTH {
        let mut world = World::new();
        world.is_inside_run = true;
        let person = Person::agreeing();
        let client = world.connect(generation, &person).await;
        propose(&client).await;
        for tool in ["plan_approve", "plan_reject"] {
            let told = call(&client, tool, json!({"plan": "greet"})).await;
            assert_eq!(told.refused(), "person-only");
        }
        assert_eq!(person.shown(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn where_more_proof_is_needed_nobody_is_asked() {
    for settings in [
        "[approval]\nminimum = \"terminal\"",
        "[approval]\nproof = \"key\"",
    ] {
        let world = World::new();
        world.configure(settings);
        let person = Person::agreeing();
        let client = world.connect(Generation::Older, &person).await;
        propose(&client).await;
        let told = call(&client, "plan_approve", json!({"plan": "greet"})).await;
        assert!(told.text.contains("WeakerProof"), "{}", told.text);
        assert_eq!(person.shown(), Vec::<String>::new());
    }
}

/// `ada` and `bob` have to sign. Each is told how far it is, and nobody is asked twice.
#[tokio::test]
async fn the_dialog_says_who_has_signed_and_who_has_to() {
    for generation in BOTH {
        let mut world = World::new();
        world.configure("[approval]\nfrom = [\"ada\", \"bob\"]\ncount = 2");
        let person = Person::agreeing();
        let client = world.connect(generation, &person).await;
        propose(&client).await;
        let approve = json!({"plan": "greet"});
        let told = call(&client, "plan_approve", approve.clone()).await;
        assert!(told.text.contains("1 of 2: waits for bob"), "{}", told.text);
        assert_eq!(state(&client).await, "verified", "{generation:?}");
        let again = call(&client, "plan_approve", approve.clone()).await;
        assert!(again.text.contains("SignedAlready"), "{}", again.text);

        for (name, answer) in [("eve", "NotAnApprover"), ("bob", "approved")] {
            world.person = name;
            let client = world.connect(generation, &person).await;
            let told = call(&client, "plan_approve", approve.clone()).await;
            assert!(told.text.contains(answer), "{name}: {}", told.text);
        }
        assert_eq!(state(&client).await, "approved", "{generation:?}");
        let shown = person.shown();
        let [first, last] = shown.as_slice() else {
            panic!("{shown:?}");
        };
        assert!(
            first.contains("signed  0 of 2: waits for ada and bob"),
            "{first}"
        );
        assert!(
            first.contains("when everybody has signed who has to"),
            "{first}"
        );
        assert!(last.contains("signed  1 of 2: waits for bob"), "{last}");
        assert!(last.contains("Signed, it can be run."), "{last}");
    }
}

#[tokio::test]
async fn a_rejection_has_the_persons_words() {
    for generation in BOTH {
        let world = World::new();
        let person = Person {
            content: json!({"confirm": true, "words": "Say goodbye instead"}),
            ..Person::agreeing()
        };
        let client = world.connect(generation, &person).await;
        propose(&client).await;
        let told = call(
            &client,
            "plan_reject",
            json!({"plan": "greet", "feedback": "mine"}),
        )
        .await;
        assert!(told.text.contains("Say goodbye instead"), "{}", told.text);
        told.done();
        let plan = call(&client, "plan_get", json!({"plan": "greet"}))
            .await
            .done();
        assert_eq!(plan["status"], "rejected");
        assert_eq!(plan["rejections"][0]["feedback"], "Say goodbye instead");
        // A new version answers it.
        let text = PLAN.replace("hello", "goodbye");
        let told = call(
            &client,
            "plan_revise",
            json!({"plan": "greet", "text": text}),
        )
        .await;
        assert_eq!(told.done()["status"], "verified");
    }
}

/// The first round of the newer protocol: what the client has to hand back.
async fn first_round(client: &Client) -> String {
    let asked = client.call_tool_once(params("plan_approve", json!({"plan": "greet"})));
    match asked.await.unwrap() {
        CallToolResponse::InputRequired(asked) => asked.request_state.unwrap(),
        other => panic!("{other:?}"),
    }
}

async fn second_round(client: &Client, plan: &str, state: &str) -> (bool, String) {
    let yes = json!({"action": "accept", "content": {"confirm": true}});
    let again = params("plan_approve", json!({"plan": plan}))
        .with_input_responses([("decision".to_owned(), yes)].into())
        .with_request_state(state);
    match client.call_tool_once(again).await.unwrap() {
        CallToolResponse::Complete(result) => (
            result.is_error == Some(true),
            serde_json::to_string(&result).unwrap(),
        ),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_counts_once_for_what_was_shown() {
    let world = World::new();
    let client = world.connect(Generation::Newer, &Person::agreeing()).await;
    propose(&client).await;
    for forged in ["", "rs1.e30.x", "yes"] {
        let (failed, text) = second_round(&client, "greet", forged).await;
        assert!(failed && text.contains("sealed-state"), "{text}");
    }
    // The plan changes between the question and the answer.
    let shown = first_round(&client).await;
    let text = PLAN.replace("hello", "goodbye");
    call(
        &client,
        "plan_revise",
        json!({"plan": "greet", "text": text}),
    )
    .await
    .done();
    let (failed, text) = second_round(&client, "greet", &shown).await;
    assert!(failed && text.contains("EditedMeanwhile"), "{text}");
    // So do the terms.
    let shown = first_round(&client).await;
    world.configure("[contract]\nshell = \"sh\"");
    let (failed, text) = second_round(&client, "greet", &shown).await;
    assert!(failed && text.contains("EditedMeanwhile"), "{text}");
    // Another plan is not meant by it, and it counts once.
    let shown = first_round(&client).await;
    let (failed, text) = second_round(&client, ".signoff/plans/greet.md", &shown).await;
    assert!(failed && text.contains("sealed-state"), "{text}");
    let (failed, text) = second_round(&client, "greet", &shown).await;
    assert!(!failed, "{text}");
    let (failed, text) = second_round(&client, "greet", &shown).await;
    assert!(failed && text.contains("used already"), "{text}");
}

#[tokio::test]
async fn text_that_hides_something_is_shown_as_it_is() {
    let person = Person::agreeing();
    let world = World::new();
    let client = world.connect(Generation::Older, &person).await;
    let text = PLAN.replace("Say hello", "Say \u{202e}olleh");
    call(&client, "plan_propose", json!({"text": text})).await;
    call(&client, "plan_approve", json!({"plan": "greet"})).await;
    for shown in person.shown() {
        assert!(!shown.contains('\u{202e}'), "{shown:?}");
    }
}
