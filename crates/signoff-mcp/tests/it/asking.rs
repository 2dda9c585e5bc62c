//! Questions to the person, and their answers.

use serde_json::json;
use signoff_engine::Actor;
use signoff_runtime::plans::ActorContext;
use signoff_runtime::project::{ProcessContext, Project};
use signoff_runtime::{Error, SystemClock, questions};

use crate::world::{Generation, Person, World, call, propose};

/// The project as the person's own command sees it.
fn project(world: &World) -> Project {
    Project::open(&ProcessContext {
        variables: [].into(),
        directory: world.path("project"),
        user_config: None,
        state_dir: None,
        person: "ada".to_owned(),
        services: signoff_runtime::project::ExternalServices::default(),
    })
    .unwrap()
}

fn answer(world: &World, id: &str, text: &str) -> Result<(), Error> {
    let context = ActorContext {
        project: &project(world),
        actor: Actor::Person,
        clock: &SystemClock::new(),
    };
    questions::answer(context, id, text).map(|_| ())
}

#[tokio::test]
async fn a_question_waits_in_the_inbox_until_a_person_answers_it() {
    let world = World::new();
    let client = world.connect(Generation::Newer, &Person::absent()).await;
    propose(&client).await;
    let asked = json!({"question": "Which colour?", "choices": ["red", "blue"], "plan": "greet"});
    let asked = call(&client, "plan_ask", asked).await.done();
    let id = asked["id"].as_str().unwrap();
    let read = || call(&client, "plan_ask", json!({"id": id}));
    assert_eq!(read().await.done()["answer"], json!(null));

    let waiting = signoff_runtime::inbox::waiting_items(&project(&world)).unwrap();
    let items = serde_json::to_value(&waiting.items).unwrap();
    assert_eq!(items[0]["id"], id);
    assert_eq!(items[0]["choices"], json!(["red", "blue"]));
    let status = call(&client, "plan_status", json!({"plan": "greet"})).await;
    assert!(
        status.text.contains(&format!("question {id} is open")),
        "{}",
        status.text
    );

    let refused = answer(&world, id, "green").unwrap_err();
    assert!(matches!(refused, Error::NotOffered { .. }), "{refused:?}");
    answer(&world, id, "blue").unwrap();
    let refused = answer(&world, id, "red").unwrap_err();
    assert!(
        matches!(refused, Error::AnsweredQuestion { .. }),
        "{refused:?}"
    );
    let told = read().await;
    assert_eq!(told.text, "ada answered: blue");
    assert_eq!(told.done()["answer"]["text"], "blue");
    let waiting = signoff_runtime::inbox::waiting_items(&project(&world)).unwrap();
    assert_eq!(waiting.items, []);
}

#[tokio::test]
async fn what_nobody_could_answer_is_not_asked() {
    let world = World::new();
    let client = world.connect(Generation::Older, &Person::absent()).await;
    let long = "x".repeat(4001);
    let many: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    for arguments in [
        json!({"question": " "}),
        json!({"question": long}),
        json!({"question": "a?", "choices": many}),
        json!({"question": "a?", "choices": ["two\nlines"]}),
    ] {
        let told = call(&client, "plan_ask", arguments).await;
        assert!(told.text.contains("BadQuestion"), "{}", told.text);
    }
    for arguments in [json!({}), json!({"question": "a?", "id": "b"})] {
        let told = call(&client, "plan_ask", arguments).await;
        assert_eq!(told.refused(), "bad-arguments");
    }
    let told = call(&client, "plan_ask", json!({"id": "ask-none"})).await;
    assert_eq!(told.refused(), "no-item");
    let told = call(
        &client,
        "plan_ask",
        json!({"question": "a?", "plan": "none"}),
    )
    .await;
    assert!(told.text.contains("NoSuchPlan"), "{}", told.text);
    // A flood is stopped.
    for _ in 0..50 {
        call(&client, "plan_ask", json!({"question": "a?"}))
            .await
            .done();
    }
    let told = call(&client, "plan_ask", json!({"question": "a?"})).await;
    assert!(told.text.contains("BadQuestion"), "{}", told.text);
}
