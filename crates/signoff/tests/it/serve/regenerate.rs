//! A planner writes a plan anew for a person in a browser.

use serde_json::{Value, json};
use signoff_testkit::{PATIENCE, Project};

use super::browser::Served;
use crate::support::{BINARY, agent, plan};

/// A program that answers once the file `go` is there.
const PLANNER: &str = "#!/bin/sh
cat > /dev/null
while [ ! -e go ]; do sleep 0.02; done
cat answer.txt
";

/// A project with a plan of two steps, and a planner whose answer is this plan.
fn project(answer: &str) -> Project {
    let project = Project::new(BINARY);
    project
        .write("plan.md", &two_steps("Make it."))
        .write("planner.sh", PLANNER)
        .write("answer.txt", answer)
        .write(
            ".signoff/config.toml",
            "[agents.planner]\ndriver = 'command'\ncommand = ['sh', 'planner.sh']\n\n\
             [agents.coder]\ndriver = 'command'\ncommand = ['sh', '-c', 'true']\n",
        );
    project.signoff(["trust"]).assert_success();
    project
}

fn two_steps(task: &str) -> String {
    plan(&[&agent(task, "out"), &agent("Copy it.", "copy")])
}

#[track_caller]
fn ended(served: &Served) -> Value {
    let begun = std::time::Instant::now();
    loop {
        let shown = served.get("/api/plans/plan.md/regenerate").json();
        if shown["state"] != "running" {
            return shown;
        }
        assert!(begun.elapsed() < PATIENCE, "{shown}");
        std::thread::yield_now();
    }
}

#[test]
fn a_step_is_written_anew_with_a_comment_one_at_a_time() {
    let project = project(&format!(
        "````markdown\n{}````\n",
        two_steps("Make it quickly.")
    ));
    let served = Served::signed_in(&project);
    let at = "/api/plans/plan.md/regenerate";
    assert_eq!(served.get(at).json()["state"], "none");
    let silent = served.post(at, &json!({"step": "step-1"}));
    assert_eq!(
        (silent.status, silent.code().as_str()),
        (400, "nothing-said")
    );
    let asked = json!({"step": "step-1", "comment": "be quick"});
    let stale = json!({"step": "1", "comment": "x", "expect_digest": "0123456789abcdef"});
    assert_eq!(served.post(at, &stale).status, 409);
    let begun = served.post(at, &asked);
    assert_eq!(begun.status, 200, "{begun:?}");
    assert_eq!(begun.json()["state"], "running", "{begun:?}");
    assert_eq!(begun.json()["step"], "step-1");
    let second = served.post(at, &asked);
    assert_eq!(
        (second.status, second.code().as_str()),
        (409, "planner-busy")
    );
    let comments = served.get("/api/plans/plan.md/comments").json();
    let said = comments["comments"].as_array().expect("comments");
    assert_eq!(said.len(), 1, "only of the one that began: {comments}");
    assert_eq!(said[0]["text"], "be quick");
    project.write("go", "");
    let done = ended(&served);
    assert_eq!(done["state"], "done", "{done}");
    assert!(project.read("plan.md").contains("Make it quickly."));
    assert_eq!(done["revised"]["status"], "verified", "{done}");
    let progress = done["progress"].to_string();
    assert!(progress.contains("round 1"), "{progress}");
}

#[test]
fn a_planner_that_fails_leaves_the_plan_as_it_was() {
    let project = project("I would rather not.\n");
    project.write("go", "");
    let before = project.read("plan.md");
    let served = Served::signed_in(&project);
    let form = format!("csrf={}&comment=better&step=", served.csrf());
    let begun = served.form("/plans/plan.md/regenerate", &form);
    assert_eq!(begun.status, 303, "{begun:?}");
    let failed = ended(&served);
    assert_eq!(failed["state"], "failed", "{failed}");
    assert_eq!(failed["error"]["code"], "not-mended", "{failed}");
    assert_eq!(project.read("plan.md"), before);
}
