//! Who does a step that names no role: rules first, then an arbiter, which here is a program that a test wrote.

use serde_json::{Value, json};
use signoff_testkit::Project;

use crate::support::{BINARY, agent, events, plan};

/// Notes what it was told, and answers.
const ARBITER: &str = "cat > told.txt\ncat decision.json\n";

/// Notes its role and does the step, unless it is told to fail first.
const WORKER: &str = "cat > /dev/null
echo \"$1\" >> ledger
if [ \"$1\" != \"$(cat fails 2> /dev/null)\" ]; then echo x > out; fi
";

/// A project with these roles, `default`, and an arbiter that always says the same.
fn project(roles: &[&str], steps: &[&str], decision: &Value) -> Project {
    let project = Project::new(BINARY);
    let role = |name: &&str| {
        format!("[agents.{name}]\ndriver = 'command'\ncommand = ['sh', 'worker.sh', '{name}']\n")
    };
    let roles: Vec<String> = roles.iter().chain(&["default"]).map(role).collect();
    let config = format!(
        "[run]\nbackoff = '5ms'\n\n[llm]\narbiter = 'arbiter'\n\n\
         [agents.arbiter]\ndriver = 'command'\ncommand = ['sh', 'arbiter.sh']\n{}",
        roles.join("\n")
    );
    project
        .write("arbiter.sh", ARBITER)
        .write("worker.sh", WORKER)
        .write("decision.json", &decision.to_string())
        .write("plan.md", &plan(steps))
        .write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// A step without a role.
fn open() -> String {
    agent("Make it.", "out").replace("**target:** coder\n", "")
}

fn select(role: &str) -> Value {
    json!({"action": "select", "role": role, "reason": "it knows"})
}

/// Who worked, in order, and how often the arbiter was asked.
#[track_caller]
fn check(project: &Project, workers: &str, asked: usize) {
    project.signoff(["run", "plan.md"]).assert_success();
    assert_eq!(project.read("ledger").replace('\n', " ").trim(), workers);
    assert_eq!(events(project, "model_asked").len(), asked);
}

#[test]
fn the_rules_choose_first() {
    let select = select("developer");
    let check = |roles: &[&str], step: &str, worker: &str| {
        check(&project(roles, &[step], &select), worker, 0);
    };
    let named = agent("Make it.", "out");
    check(&["coder", "developer"], &named, "coder");
    // Only one is left that makes something.
    check(&["coder", "reviewer", "planner"], &open(), "coder");
    // A step that makes only tests is a tester's.
    let tests = format!("**produces:**\n- tests/a.sh\n{}", open());
    check(&["coder", "developer", "tester"], &tests, "tester");
}

#[test]
fn who_failed_just_now_is_not_the_first_choice() {
    let step = format!("{}**on_fail:** retry(1), then escalate\n", open());
    let project = project(&["coder", "developer"], &[&step], &select("developer"));
    project.write("fails", "developer");
    // After that only one is left, so that nobody is asked again.
    check(&project, "developer coder", 1);
    project
        .signoff(["log"])
        .assert_stdout_contains("attempt 1: developer at work")
        .assert_stdout_contains("attempt 2: coder at work");
}

#[test]
fn only_a_choice_changes_anything() {
    let roles = ["coder", "developer"];
    for (decision, worker) in [
        (select("developer"), "developer"),
        (json!({"action": "continue"}), "default"),
        (json!({"action": "retry", "reason": "again"}), "default"),
        (json!({"action": "complete", "reason": "done"}), "default"),
        (select("root"), "default"),
        // The arbiter does no steps, and a reviewer makes nothing.
        (select("arbiter"), "default"),
        (json!("developer"), "default"),
    ] {
        check(&project(&roles, &[&open()], &decision), worker, 1);
    }
}

#[test]
fn the_same_role_tries_again_if_the_arbiter_says_so() {
    let step = format!("{}**on_fail:** retry(2), then escalate\n", open());
    let roles = ["coder", "developer", "junior"];
    let project = project(&roles, &[&step], &json!({"action": "retry"}));
    // It fails once: two are left then, so that the arbiter is asked, and it means the same one.
    project.write(
        "worker.sh",
        &WORKER.replace("if [ ", "if [ $(wc -l < ledger) -gt 1 ] && [ "),
    );
    project.signoff(["trust"]).assert_success();
    check(&project, "default default", 2);
}

#[test]
fn an_arbiter_is_told_what_happened_so_far() {
    let one = agent("Make it.", "out");
    let two = format!(
        "{}**accept:**\n- it is whole\n**on_fail:** retry(1), then escalate\n",
        open().replace(" out ", " two ").replace("\"out", "\"two")
    );
    let roles = ["coder", "developer", "junior"];
    let project = project(&roles, &[&one, &two, &one], &select("developer"));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let told = project.read("told.txt");
    for part in [
        "Progress: 1/3 steps",
        "Step 2: Step 2",
        "Suggested agent: any",
        "it is whole",
        "Step 3: Step 3",
        "Step 1: Step 1 by coder: complete after 1 attempt",
        "Step 2: Step 2 by developer: not done after 1 attempt",
        "two is missing",
        "coder\njunior\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // What it would be told now: the step has been tried once more.
    let shown = project.signoff(["prompt", "arbiter"]);
    shown
        .assert_success()
        .assert_stdout_contains("not done after 2 attempts")
        .assert_stdout_contains("two is missing")
        .assert_stdout_contains("Status: in_progress");
}
