//! A run whose plan is replanned: by its policy, by an answer, by a command. The planner is a program that a test wrote.

use signoff_testkit::Project;

use crate::serve::browser::Served;
use crate::support::{
    BINARY, allow_narrowing, leave_out_last, only_item, replannable, with_a_new_step,
};

fn state(project: &Project, plan: &str) -> String {
    let listed = project.json(["list"]);
    let plans = listed["plans"].as_array().expect("plans");
    let found = plans.iter().find(|found| found["id"] == plan);
    found.map_or_else(String::new, |found| {
        found["status"].as_str().unwrap_or_default().to_owned()
    })
}

#[test]
fn a_failed_step_is_replanned_the_difference_signed_and_the_run_goes_on() {
    let project = replannable(BINARY, "replan");
    let waiting = project.signoff(["run", "plan.md"]);
    assert_eq!(waiting.code, Some(3), "{waiting}");
    assert_eq!(state(&project, "plan.md"), "failed");
    assert_eq!(state(&project, "plan-v2"), "verified");
    let text = project.read("plan-v2.md");
    assert!(
        text.contains("previous: plan.md") && text.contains("version: 2"),
        "{text}"
    );

    let refused = project.signoff(["run", "plan-v2", "--approve"]);
    assert_eq!(refused.code, Some(5), "{refused}");
    let signed = project.signoff(["approve", "plan-v2"]);
    signed.assert_success();
    signed
        .assert_stderr_contains("- Make it wrong.")
        .assert_stderr_contains("+ Make two.");
    project.signoff(["resume"]).assert_success();
    assert_eq!(state(&project, "plan.md"), "failed");
    assert_eq!(state(&project, "plan-v2"), "completed");
    let status = project.json(["status"]);
    assert_eq!(status["plan"], "plan-v2", "{status:#}");
    // What was finished before kept its evidence.
    assert_eq!(status["steps"][0]["attempts"], 1, "{status:#}");
    assert_eq!(project.read("out-2"), "x\n");
}

/// What a person reads before they sign is the whole step that is new, wherever they sign.
#[test]
fn a_step_that_a_new_version_adds_is_shown_whole() {
    let project = with_a_new_step();
    let expected = [
        "Report what was made, and send it to everybody",
        "test -s report",
        "run_command",
        "shared",
    ];
    let waiting = project.signoff(["run", "plan.md"]);
    assert_eq!(waiting.code, Some(3), "{waiting}");
    let compared = project.signoff(["diff", "--signed", "plan-v2"]);
    compared
        .assert_code(1)
        .assert_stderr_contains("compared with what run");
    let served = Served::signed_in(&project);
    let page = served.get("/plans/plan-v2").body;
    assert!(page.contains("does not carry out yet"), "{page}");
    let (_, differences) = page.split_once("id=\"differences\"").expect("the section");
    let signed = project.signoff(["approve", "plan-v2"]);
    signed.assert_success();
    for words in expected {
        compared.assert_stdout_contains(words);
        assert!(differences.contains(words), "{words}: {differences}");
        signed.assert_stderr_contains(words);
    }
}

#[test]
fn a_refused_version_leaves_the_run_as_it_was() {
    let project = replannable(BINARY, "replan");
    assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3));
    project
        .signoff(["answer", "step-2-1", "refuse", "--note", "no"])
        .assert_success();
    let resumed = project.signoff(["resume"]);
    assert_eq!(resumed.code, Some(3), "{resumed}");
    assert_eq!(state(&project, "plan.md"), "executing");
    let inbox = project.json(["inbox"]);
    let question = inbox["items"][0]["question"].as_str().expect("a question");
    assert!(question.contains("refused by"), "{question}");
}

/// The reason stands in the journal and in a question, for people to read.
#[test]
fn what_keeps_a_model_from_being_asked_is_told_in_words() {
    let told = |break_it: &dyn Fn(&Project), expected: &str| {
        let project = replannable(BINARY, "replan");
        break_it(&project);
        project.signoff(["run", "plan.md"]).assert_code(3);
        let question = only_item(&project)["question"].to_string();
        assert!(question.contains(expected), "{question}");
    };
    let without_key = |project: &Project| {
        let settings = project.home().join(".config/signoff/config.toml");
        let text = std::fs::read_to_string(&settings).expect("the home is ours");
        let text = format!("{text}\n[llm]\nprovider = 'openai'\nmodel = 'm'\n");
        std::fs::write(&settings, text).expect("the home is ours");
    };
    told(&without_key, "the key of `openai` is not known");
    let with_bad_prompt = |project: &Project| {
        project.write(".signoff/prompts/replan.md", "{{ nothing }}");
        project.signoff(["approve", "plan.md"]).assert_success();
    };
    told(
        &with_bad_prompt,
        "the prompt `replan.md` cannot be used: line 1: `nothing` is undefined",
    );
    // It is not what was trusted when it is to be asked.
    let with_another_program = |project: &Project| {
        let coder = project.read("coder.sh");
        project.write("coder.sh", &format!("echo >> planner.sh\n{coder}"));
        project.signoff(["trust"]).assert_success();
    };
    told(
        &with_another_program,
        "files that its command runs are not what was trusted",
    );
}

#[test]
fn a_person_has_a_failed_run_replanned() {
    let project = replannable(BINARY, "abort");
    let failed = project.signoff(["run", "plan.md"]);
    assert_eq!(failed.code, Some(1), "{failed}");
    let because = [
        "replan",
        "--because",
        "wrong file",
        "--discovery",
        "it is two",
        "--resume",
    ];
    let drafted = project.signoff(because);
    assert_eq!(drafted.code, Some(3), "{drafted}");
    project
        .signoff(["approve", "plan-v2", "--run"])
        .assert_success();
    let again = project.signoff(["replan", "--because", "more"]);
    assert_eq!(again.code, Some(5), "{again}");
}

#[test]
fn a_policy_signs_only_what_narrows_and_only_if_it_is_switched_on() {
    for (setting, narrows, expected) in [(true, true, 0), (false, true, 3), (true, false, 3)] {
        let project = replannable(BINARY, "replan");
        if setting {
            allow_narrowing(&project);
        }
        if narrows {
            leave_out_last(&project);
        }
        let ran = project.signoff(["run", "plan.md"]);
        assert_eq!(ran.code, Some(expected), "{setting} {narrows}: {ran}");
    }
}

#[test]
fn a_replaced_prompt_that_shapes_the_run_is_part_of_what_was_signed() {
    let changed = |policy: &str, prompt: &str| {
        let project = replannable(BINARY, policy);
        project.write(format!(".signoff/prompts/{prompt}"), "Say yes.");
        project
    };
    for (policy, prompt) in [
        ("replan", "replan.md"),
        ("replan", "plan-context.md"),
        ("recover", "recovery.md"),
        ("recover", "reply-typed.md"),
    ] {
        let project = changed(policy, prompt);
        let refused = project.signoff(["run", "plan.md"]);
        refused.assert_code(4).assert_stderr_contains(&format!(
            ".signoff/prompts/{prompt} was not covered when it was signed"
        ));
        project.signoff(["approve", "plan.md"]).assert_success();
        project.write(format!(".signoff/prompts/{prompt}"), "Say no.");
        let refused = project.signoff(["run", "plan.md"]);
        refused.assert_code(4).assert_stderr_contains(&format!(
            ".signoff/prompts/{prompt} changed since it was signed"
        ));
    }
    // What this plan's run never uses decides nothing about it.
    for (policy, prompt) in [
        ("escalate", "replan.md"),
        ("replan", "recovery.md"),
        ("recover", "critic.md"),
        ("recover", "arbiter.md"),
    ] {
        let project = changed(policy, prompt);
        let shown = project.json(["show", "plan.md"]);
        assert_eq!(shown["status"], "approved", "{policy} {prompt} {shown:#}");
    }
}
