//! What models use for a plan, before its run and in it: who shows it, and what it counts against.

use signoff_stub::{Script, Stub};
use signoff_testkit::Project;

use crate::support::sums::{make_the_tests_pass, planner, provided, say, worker, write_sums};
use crate::support::{newest_run, only_item};

/// The small project whose tests fail, and a planner who is a provider's model.
fn sums(stub: &Stub) -> Project {
    let project = provided("anthropic", stub, "");
    project.write("coder.sh", &worker()).write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = 'command'\ncommand = ['sh', 'coder.sh']\n",
    );
    project.signoff(["trust"]).assert_success();
    write_sums(&project);
    project
}

#[test]
fn what_planning_cost_is_shown_everywhere_and_counted_once() {
    let stub = Stub::start(planner("coder", |plan| Script::of_questions([say(&plan)])));
    let stub = stub.expect("a stub");
    let project = sums(&stub);
    make_the_tests_pass(&project, "anthropic");
    // Three rounds for the draft, one for the new version, 1100 tokens each.
    let run = project.json(["status"]);
    assert_eq!(run["usage"]["total"]["tokens"], 4400, "{run:#}");
    assert_eq!(run["usage"]["by_agent"]["anthropic"]["tokens"], 4400);
    let stats = project.json(["stats"]);
    assert_eq!(stats["models"]["tokens"], 4400, "{stats:#}");
    assert_eq!(stats["usage"]["total"]["tokens"], 4400, "{stats:#}");
    let report = project.json(["report"]);
    let tasks = report["models"].as_array().expect("models").iter();
    let tasks: Vec<_> = tasks
        .map(|one| (one["task"].as_str(), one["usage"]["tokens"].as_u64()))
        .collect();
    let expected = [(Some("planning"), Some(3300)), (Some("replan"), Some(1100))];
    assert_eq!(tasks, expected, "{report:#}");
    let signatures = report["signatures"].as_array().expect("signatures");
    assert_eq!(signatures.len(), 2, "of both versions: {report:#}");
    let first = project.json(["list"]);
    let plans = first["plans"].as_array().expect("plans");
    let is_first =
        |plan: &&serde_json::Value| !plan["id"].as_str().is_some_and(|id| id.ends_with("-v2"));
    let first = plans.iter().find(is_first).expect("the draft")["id"].clone();
    let first = first.as_str().expect("an id");
    let shown = project.json(["show", first]);
    let drafted = &shown["planning"][0];
    assert_eq!(drafted["task"], "draft", "{shown:#}");
    assert_eq!(drafted["model"], "claude-sonnet-4-5", "{shown:#}");
    assert_eq!(drafted["rounds"], 3, "{shown:#}");
    assert_eq!(drafted["tokens"], 3300, "{shown:#}");
    project
        .signoff(["show", first])
        .assert_stdout_contains("drafted by anthropic (claude-sonnet-4-5): 3 rounds · 3.3k tokens");
    // Run again, only the agents count.
    project
        .signoff(["run", &format!("{first}-v2"), "--again", "--all"])
        .assert_success();
    assert_eq!(project.json(["status"])["usage"], serde_json::Value::Null);
}

#[test]
fn what_questions_cost_that_waited_for_an_answer_is_counted_too() {
    let questions = r#"{"questions": [{"question": "Which test?"}]}"#;
    let plan = "````markdown\n---\ntype: plan\nstatus: draft\nowner: planner\n---\n\n# Add\n\n**Budget:** max 60k tokens\n\n## Steps\n\n\
                ### 1. Mend add\n\n**target:** coder\n**task:** Make `add` in `calc.sh` add its two numbers.\n\n\
                **contract:**\n```shell\nsh tests/add.sh\n```\n````\n";
    let stub = Stub::start(Script::of_questions([say(questions), say(plan)])).expect("a stub");
    let project = sums(&stub);
    let parked = project.signoff([
        "plan",
        "add",
        "--interview",
        "-o",
        "plan.md",
        "--format",
        "json",
    ]);
    parked.assert_code(3);
    let parked = parked.json();
    let waits = |name: &str| parked["waits"][name].clone();
    let (id, question) = (waits("id"), waits("questions")[0]["id"].clone());
    let [id, question] = [&id, &question].map(|id| id.as_str().expect("an id").to_owned());
    project
        .signoff(["answer", &question, "add.sh"])
        .assert_success();
    project
        .signoff(["plan", "--continue", &id])
        .assert_success();
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(shown["planning"][0]["tokens"], 2200, "{shown:#}");
}

#[test]
fn what_contracts_of_an_imported_plan_cost_is_counted_too() {
    let answer = r#"{"contracts": [{"step": "make-the-tests-pass", "command": "sh tests/add.sh", "why": "it adds"}]}"#;
    let stub = Stub::start(Script::of_questions([say("no"), say(answer)])).expect("a stub");
    let project = sums(&stub);
    project
        .write("tasks.md", "- [ ] Make the tests pass\n")
        .signoff(["import", "tasks.md", "--plan", "-o", "plan.md"])
        .assert_success();
    let shown = project.json(["show", "plan.md"]);
    let asked = &shown["planning"][0];
    assert_eq!(asked["task"], "contracts", "{shown:#}");
    assert_eq!(asked["by"], "anthropic", "{shown:#}");
    assert_eq!(asked["rounds"], 2, "{shown:#}");
    assert_eq!(asked["tokens"], 2200, "{shown:#}");
    project
        .signoff(["show", "plan.md"])
        .assert_stdout_contains("given contracts by anthropic (claude-sonnet-4-5): 2 rounds");
    let plan = project
        .read("plan.md")
        .replace("**task:**", "**target:** coder\n**task:**");
    project.write("plan.md", &plan);
    drop(project.signoff(["run", "plan.md", "--approve"]));
    let run = project.json(["status"]);
    assert_eq!(
        run["usage"]["by_agent"]["anthropic"]["tokens"], 2200,
        "{run:#}"
    );
}

#[test]
fn a_planner_that_would_exceed_the_budget_is_asked_for_first() {
    let stub = Stub::start(planner("coder", |plan| {
        Script::of_questions([say(&plan.replace("max 60k tokens", "max 5k tokens"))])
    }));
    let stub = stub.expect("a stub");
    let project = sums(&stub);
    project
        .signoff([
            "plan",
            "make the tests pass",
            "--try-contracts",
            "-o",
            "plan.md",
        ])
        .assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(3);
    let asked = only_item(&project);
    assert_eq!(asked["kind"], "budget", "{asked:#}");
    let question = asked["question"].as_str().expect("a question");
    let expected = "budget too small for a new version of the plan: 1.7k of 5k tokens are left";
    assert!(question.contains(expected), "{question}");
    assert_eq!(stub.requests().len(), 3, "nobody was asked again");
    let id = asked["id"].as_str().expect("an id");
    project.signoff(["answer", id, "allow"]).assert_success();
    project.signoff(["resume"]).assert_code(3);
    assert_eq!(only_item(&project)["kind"], "new_version");
    assert_eq!(stub.requests().len(), 4);
    let run = newest_run(&project);
    project.signoff(["report", &run]).assert_success();
}
