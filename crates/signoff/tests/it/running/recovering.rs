//! A step that failed, whose policy lets a model decide how it goes on. The model is a program that a test wrote: it is
//! asked for a decision, and for a plan if that is what the decision leads to.

use serde_json::{Value, json};
use signoff_testkit::{Output, Project};

use crate::support::{BINARY, events, only_item, plan, statuses};

/// Answers a question about a step with the next line of `decisions`, and one about a plan with `next.md`.
const PLANNER: &str = "prompt=$(cat)
case $prompt in
  *'You decide how a plan goes on'*)
    head -n 1 decisions
    ;;
  *) echo '````markdown'; cat next.md; echo '````' ;;
esac
";

/// A tool step that reads this file.
fn reads(file: &str) -> String {
    format!("**tool:** read_file\n**args:**\n```json\n{{\"path\": \"{file}\"}}\n```\n")
}

const COPIES: &str = "**tool:** write_file\n**args:**\n```json\n{\"path\": \"copy.txt\", \"content\": \"$step-1.content\"}\n```\n";

fn recovers(body: &str) -> String {
    format!("{body}**on_fail:** recover\n")
}

fn project(plan: &str, decision: &Value) -> Project {
    let project = Project::new(BINARY);
    project
        .write("planner.sh", PLANNER)
        .write("decisions", &format!("{decision}\n"))
        .write("there.txt", "hello\n")
        .write("plan.md", plan)
        .write(
            ".signoff/config.toml",
            "[agents.planner]\ndriver = 'command'\ncommand = ['sh', 'planner.sh']\n\n\
             [agents.coder]\ndriver = 'command'\ncommand = ['true']\n",
        );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// A plan that reads a file which is not there and copies it; what a model says about that; and the run.
fn run(decision: &Value) -> (Project, Output) {
    let text = plan(&[&recovers(&reads("missing.txt")), COPIES]);
    let project = project(&text, decision);
    let ran = project.signoff(["run", "plan.md"]);
    (project, ran)
}

/// The decision in the journal, and why it was not followed.
fn decided(project: &Project) -> (Value, Value) {
    let answered = events(project, "model_answered").remove(0);
    assert_eq!(answered["task"], "recovery", "{answered}");
    (answered["answer"].clone(), answered["refused"].clone())
}

#[test]
fn a_tool_is_called_again_with_other_arguments() {
    let args = json!({"path": "there.txt"});
    let (project, ran) = run(&json!({"action": "retry", "args": args, "reason": "a typo"}));
    ran.assert_success()
        .assert_stdout_contains("arguments changed by planner");
    assert_eq!(project.read("copy.txt"), "hello\n");
    let (answer, _) = decided(&project);
    assert_eq!(answer["recovery"]["args"], args);
    let calls = events(&project, "call_started");
    assert_eq!(calls[1]["call"]["args"], args, "{calls:#?}");
}

#[test]
fn a_step_that_matters_little_is_skipped_and_blocks_who_needs_it() {
    let uncritical = format!("{}**critical:** no\n", reads("missing.txt"));
    let check = "**depends_on:** none\n**contract:**\n```shell\ntest -s there.txt\n```\n";
    let text = plan(&[&recovers(&uncritical), COPIES, check]);
    let project = project(&text, &json!({"action": "skip", "reason": "not needed"}));
    let ran = project.signoff(["run", "plan.md"]);
    ran.assert_stderr_contains("skipped by planner: not needed");
    assert_eq!(statuses(&project), ["skipped", "blocked", "completed"]);
    assert!(!project.exists("copy.txt"));
}

#[test]
fn an_aborted_step_fails_the_run() {
    let (project, ran) = run(&json!({"action": "abort", "reason": "no use"}));
    ran.assert_code(1)
        .assert_stderr_contains("aborted by planner: no use");
    assert_eq!(statuses(&project), ["failed", "blocked"]);
}

#[test]
fn steps_that_are_missing_are_a_new_version_that_a_person_signs() {
    let makes = "**id:** make\n**tool:** write_file\n**args:**\n```json\n{\"path\": \"missing.txt\", \"content\": \"made\"}\n```\n";
    let next = plan(&[makes, &recovers(&reads("missing.txt")), COPIES])
        .replace("$step-1.content", "$step-2.content");
    let text = plan(&[&recovers(&reads("missing.txt")), COPIES]);
    let insert = json!({"action": "insert_steps", "reason": "make it first"});
    let project = project(&text, &insert);
    project.write("next.md", &next);
    project
        .signoff(["run", "plan.md"])
        .assert_code(3)
        .assert_stderr_contains("planner decides: insert steps (make it first)");
    assert_eq!(only_item(&project)["kind"], "new_version");
    project
        .signoff(["approve", "plan-v2"])
        .assert_success()
        .assert_stderr_contains("+ step make: Step 1");
    project.signoff(["resume"]).assert_success();
    assert_eq!(project.read("copy.txt"), "made");
}

/// Nothing follows from such a decision; a person is asked, who is told why.
#[track_caller]
fn is_a_persons(decision: &Value, why: &str) {
    let (project, ran) = run(decision);
    ran.assert_code(3);
    let item = only_item(&project);
    let question = item["question"].as_str().expect("a question");
    assert!(question.contains(why), "{question}");
    assert_eq!(events(&project, "call_started").len(), 1, "{decision}");
    assert_eq!(statuses(&project), ["waiting", "pending"], "{decision}");
}

#[test]
fn a_decision_that_cannot_be_followed_is_a_persons() {
    // Unreadable.
    is_a_persons(&json!("retry"), "the answer holds no JSON object");
    is_a_persons(
        &json!({"action": "explode", "reason": "x"}),
        "unknown variant `explode`",
    );
    is_a_persons(&json!({"action": "retry"}), "missing field `reason`");
    // Outside of what was signed.
    is_a_persons(
        &json!({"action": "skip", "reason": "x"}),
        "the step is critical and cannot be skipped",
    );
    is_a_persons(
        &json!({"action": "retry", "args": {"path": 7}, "reason": "x"}),
        "`path` must be text",
    );
    is_a_persons(
        &json!({"action": "retry", "args": {"path": "there.txt", "as_root": true}, "reason": "x"}),
        "as_root",
    );
}

#[test]
fn a_model_may_not_decide_for_ever() {
    let args = json!({"path": "../../etc/passwd"});
    let (project, ran) = run(&json!({"action": "retry", "args": args, "reason": "look there"}));
    ran.assert_code(3);
    let question = only_item(&project)["question"].to_string();
    assert!(
        question.contains("leads out of the workspace"),
        "{question}"
    );
    assert_eq!(events(&project, "model_answered").len(), 2);
}

/// A step that writes below a file, which fails, and a model that wants to write this file instead.
fn writes_instead(file: &str) -> Project {
    let body = "**tool:** write_file\n**args:**\n```json\n{\"path\": \"there.txt/x\", \"content\": \"a\"}\n```\n";
    let args = json!({"path": file, "content": "mine"});
    let retry = json!({"action": "retry", "args": args, "reason": "it helps"});
    let text = plan(&[&recovers(body)]);
    let text = text.replace("**Budget:**", "**Tools:** write_file\n\n**Budget:**");
    project(&text, &retry)
}

#[test]
fn a_person_allows_what_a_model_wants_to_overwrite() {
    let project = writes_instead("new.txt");
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(project.read("new.txt"), "mine");
    // The plan may use the tool without a question; a model's own arguments are not what was signed.
    let project = writes_instead("there.txt");
    project.signoff(["run", "plan.md"]).assert_code(3);
    let item = only_item(&project);
    assert_eq!(item["kind"], "approval", "{item:#}");
    assert!(item.to_string().contains("there.txt"), "{item:#}");
    assert_eq!(project.read("there.txt"), "hello\n");
}

#[test]
fn a_plan_of_tools_is_recovered_without_being_told_so() {
    let text = json!({"steps": [{"id": "step_1", "description": "Read it", "tool": "read_file",
        "args": {"path": "missing.txt"}, "dependsOn": []}]});
    let decision = json!({"action": "retry", "args": {"path": "there.txt"}, "reason": "a typo"});
    let project = project(&plan(&[&reads("there.txt")]), &decision);
    project.write("tools.json", &text.to_string());
    project
        .signoff(["run", "tools.json", "--approve"])
        .assert_success()
        .assert_stderr_contains("planner decides: retry (a typo)");
}
