//! What files say, and what commands say of them.

use signoff_testkit::{Project, Script};

use crate::support::{BINARY, pi_store, plan, project};

const CHECK: &str = "**contract:**\n```shell\ntrue\n```\n";

#[test]
fn verify_marks_a_clean_draft_of_a_project_and_nothing_else() {
    let text = plan(&[CHECK]);
    let project = project(&Script::new(), &text);
    for format in ["json", "concise", "github", "sarif"] {
        project
            .signoff(["verify", "plan.md", "--format", format])
            .assert_success();
        assert_eq!(project.read("plan.md"), text, "{format}");
    }
    project.signoff(["verify", "plan.md"]).assert_success();
    let marked = text.replacen("status: draft", "status: verified", 1);
    assert_eq!(project.read("plan.md"), marked);
    let broken = text.replace("true", "if");
    project.write("broken.md", &broken);
    project.signoff(["verify", "broken.md"]).assert_code(1);
    assert_eq!(project.read("broken.md"), broken);
    let outside = Project::new(BINARY);
    outside.write("plan.md", &text);
    outside.signoff(["verify", "plan.md"]).assert_success();
    assert_eq!(outside.read("plan.md"), text);
}

fn foreign(id: &str, status: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: A\nstatus: {status}\nversion: 3\ntools_required: []\n---\n\n## Steps\n1. Look\n   - contract: `true`\n"
    )
}

#[test]
fn every_rejection_is_shown_once() {
    let project = pi_store();
    let text = foreign("p", "proposed");
    let text = format!("{text}\n## Rejection (v1)\nfirst\n\n## Rejection (v2)\nsecond\n");
    project.write(".pi/plans/p.md", &text);
    project
        .signoff(["reject", "p", "--feedback", "third"])
        .assert_success();
    let shown = project.json(["show", "p"]);
    let rejections = shown["rejections"].as_array().expect("a list").iter();
    let said: Vec<_> = rejections.map(|one| one["feedback"].clone()).collect();
    assert_eq!(said, ["first", "second", "third"]);
    let lines = project.signoff(["show", "p"]);
    for words in ["first", "second", "third"] {
        lines.assert_stdout_contains(&format!("rejected   {words}"));
    }
}

#[test]
fn what_another_tool_seems_to_run_is_said() {
    let project = pi_store();
    for word in ["executing", "failed", "stalled"] {
        project.write(format!(".pi/plans/{word}.md"), &foreign(word, word));
    }
    let listed = project.signoff(["list"]);
    let shapes = project.json(["list"]);
    let shapes = shapes["plans"].as_array().expect("a list").iter();
    let mut said: Vec<_> = shapes.map(|plan| plan["file_says"].as_str()).collect();
    said.sort_unstable();
    assert_eq!(said, [Some("executing"), Some("failed"), Some("stalled")]);
    for word in ["executing", "failed", "stalled"] {
        listed.assert_stdout_contains(&format!("(its file says {word})"));
        for command in ["show", "approve"] {
            project
                .signoff([command, word])
                .assert_success()
                .assert_stderr_contains(&format!("says `{word}`, and no run of it is known here"));
        }
    }
    // Once it is signed, its file says that.
    let listed = project.signoff(["list"]);
    assert!(!listed.stdout.contains("its file says"), "{listed}");
    let shapes = project.json(["list"]);
    assert_eq!(shapes["plans"][0]["file_says"], serde_json::Value::Null);
}

#[test]
fn what_lies_beside_a_thread_s_plan_is_named() {
    let project = Project::new(BINARY);
    project
        .write(
            ".signoff/config.toml",
            "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n",
        )
        .write("t/plan.md", "---\ntitle: A thread\n---\n\nWhy.\n")
        .write("t/notes.md", "Mine.\n")
        .write("t/task/02-b.md", "x\n")
        .write(
            "t/tasks/01-a.md",
            "---\nid: a\ncontract: \"true\"\n---\n\nLook around.\n",
        );
    project.signoff(["trust"]).assert_success();
    let approved = project.signoff(["approve", "t"]);
    approved.assert_success();
    for name in ["notes.md", "task/"] {
        approved.assert_stderr_contains(&format!("`{name}` is not part of the plan"));
    }
    project
        .signoff(["clone", "t"])
        .assert_success()
        .assert_stderr_contains(
            "not copied, because it is not part of the plan: `notes.md`, `task/`",
        );
    let refused = project.signoff(["convert", "t", "--to", "workunit"]);
    refused.assert_code(1);
    for name in ["notes.md", "task/"] {
        refused.assert_stderr_contains(name);
    }
}

#[test]
fn a_copy_says_which_fields_it_leaves_out() {
    let project = Project::new(BINARY);
    let config = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    let step = "- index: 0\n  description: Look\n  contract: \"true\"\n  mood: good\n";
    let plan = format!(
        "id: deploy\ntask: Deploy\nstatus: draft\nversion: 1\nfollowers: [me]\nsteps:\n{step}"
    );
    project
        .write(".signoff/config.toml", config)
        .write("deploy.yaml", &plan);
    project.signoff(["trust"]).assert_success();
    let cloned = project.signoff(["clone", "deploy.yaml"]);
    cloned
        .assert_success()
        .assert_stderr_contains("`record` has no such field: `followers`, `mood`");
    // Where they are read as text nothing is lost.
    let noted = format!(
        "{}**mood:** good\n",
        crate::support::agent("Make it.", "out")
    );
    project.write("plan.md", &crate::support::plan(&[&noted]));
    let cloned = project.signoff(["clone", "plan.md"]);
    cloned.assert_success();
    assert!(!cloned.stderr.contains("not copied"), "{cloned}");
}

#[test]
fn a_replanned_record_is_found_by_its_own_id() {
    let project = Project::new(BINARY);
    let config = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    let first = "id: deploy\ntask: Deploy\nstatus: draft\nversion: 1\nsteps:\n- index: 0\n  description: Look\n  status: pending\n  contract: \"true\"\n";
    project
        .write(".signoff/config.toml", config)
        .write("deploy.yaml", first);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "deploy.yaml"]).assert_success();
    let second = first
        .replace("id: deploy", "id: deploy-v2\npreviousPlanId: deploy")
        .replace("version: 1", "version: 2")
        .replace("Look", "Look again");
    project.write("deploy.yaml", &second);
    project.signoff(["approve", "deploy-v2"]).assert_success();
    project
        .signoff(["approve", "deploy-v3"])
        .assert_code(2)
        .assert_stderr_contains("not found");
}

#[test]
fn the_list_says_which_plans_ask_something() {
    let project = Project::new(BINARY);
    project.write(
        ".signoff/plans/asks.md",
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Ask\n\n## Steps\n\n### 1. Which\n\n**ask:** Red or blue?\n",
    );
    project
        .signoff(["run", ".signoff/plans/asks.md", "--approve"])
        .assert_code(3);
    project
        .signoff(["list"])
        .assert_stdout_contains("(asks you 1 question)")
        .assert_stderr_contains("`signoff inbox` shows what they ask");
    assert_eq!(project.json(["list"])["plans"][0]["questions"], 1);
    project
        .signoff(["answer", "step-1", "red"])
        .assert_success();
    let listed = project.signoff(["list"]);
    assert!(!listed.stdout.contains("asks you"), "{listed}");
}

#[test]
fn errors_that_were_just_shown_are_not_said_to_be_shown_elsewhere() {
    let project = Project::new(BINARY);
    project.write(".signoff/.keep", "").write(
        "plan.md",
        "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# A\n\n**Budget:** much\n\n## Steps\n\n### 1. A\n\n**contract:**\n```shell\ntest -d .\n```\n",
    );
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(1)
        .assert_stderr_contains("error[budget-invalid]")
        .assert_stderr_contains("`signoff verify plan.md` checks it again");
}
