//! `[approval] from`, `count`, `not_author` and a plan's `approval_required_from`: who has to sign, through the binary.

use signoff_testkit::{Output, Project};

use crate::support::{
    BINARY, agent, allow_narrowing, leave_out_last, makes_out, newest_run, plan, project,
    replannable,
};

/// A project that is trusted, with these settings of the person's own.
fn with_settings(settings: &str) -> Project {
    with_plan(settings, &plan(&[&agent("Make it.", "out")]))
}

fn with_plan(settings: &str, plan: &str) -> Project {
    let project = project(&makes_out(), plan);
    add_settings(&project, settings);
    project.signoff(["trust"]).assert_success();
    project
}

fn add_settings(project: &Project, settings: &str) {
    let path = project.home().join(".config/signoff/config.toml");
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("the home is ours");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, format!("{before}\n{settings}\n")).expect("the home is ours");
}

fn approve(project: &Project, person: &str) -> Output {
    project.signoff_with(&[("SIGNOFF_ACCOUNT", person)], ["approve", "plan.md"])
}

const TWO: &str = "[approval]\nfrom = [\"Ada\", \"Bob\"]\ncount = 2";

#[test]
fn one_account_is_one_person_whatever_its_variables_say() {
    let project = with_settings("[approval]\nfrom = [\"tester\", \"Bob\"]\ncount = 2");
    for name in ["USER", "LOGNAME", "GIT_AUTHOR_NAME"] {
        let signed = project.signoff_with(&[(name, "Bob")], ["approve", "plan.md"]);
        assert!(!signed.stderr.contains("2 of 2"), "{name}: {signed:?}");
    }
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(shown["approval"]["signed"], serde_json::json!(["tester"]));
    project.signoff(["run", "plan.md"]).assert_code(4);
}

#[test]
fn two_named_people_have_to_sign() {
    let project = with_settings(TWO);
    approve(&project, "Eve")
        .assert_code(4)
        .assert_stderr_contains("`Eve` is not among those who have to sign it")
        .assert_stderr_contains("Ada, Bob");
    approve(&project, "Ada")
        .assert_success()
        .assert_stderr_contains("1 of 2: waits for Bob");
    let shown = project.json(["show", "plan.md"]);
    assert_eq!(shown["status"], "verified");
    assert_eq!(shown["approval"]["signed"], serde_json::json!(["Ada"]));
    assert_eq!(shown["approval"]["waits_for"], serde_json::json!(["Bob"]));
    project
        .signoff(["show", "plan.md"])
        .assert_stdout_contains("signatures: 1 of 2: waits for Bob");
    project
        .signoff(["list"])
        .assert_stdout_contains("(1 of 2: waits for Bob)");
    let listed = project.json(["list"]);
    assert_eq!(
        listed["plans"][0]["approval"]["summary"],
        "1 of 2: waits for Bob"
    );
    // Signing twice adds nothing, and a run is refused.
    approve(&project, "Ada")
        .assert_code(5)
        .assert_stderr_contains("`Ada` has signed plan.md as it is");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("more people have to sign (1 of 2: waits for Bob)");
    approve(&project, "Bob")
        .assert_success()
        .assert_stderr_contains("signatures: 2 of 2");
    project.signoff(["run", "plan.md"]).assert_success();
    assert!(project.exists("out"));
    let report = project.json(["report", &newest_run(&project)]);
    let by: Vec<_> = report["signatures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signature| &signature["by"])
        .collect();
    assert_eq!(by, ["Ada", "Bob"]);
}

#[test]
fn an_edit_voids_every_signature() {
    let project = with_settings(TWO);
    approve(&project, "Ada").assert_success();
    let text = project.read("plan.md");
    project.write("plan.md", &text.replace("Make it.", "Make it well."));
    approve(&project, "Bob")
        .assert_success()
        .assert_stderr_contains("1 of 2: waits for Ada");
    project.signoff(["run", "plan.md"]).assert_code(4);
}

#[test]
fn a_rejection_takes_the_earlier_signatures_with_it() {
    let project = with_settings(TWO);
    approve(&project, "Ada").assert_success();
    project
        .signoff(["reject", "plan.md", "--feedback", "Not yet."])
        .assert_success();
    let text = project.read("plan.md");
    project.write("plan.md", &text.replace("Make it.", "Make it well."));
    project.signoff(["revise", "plan.md"]).assert_success();
    project.write("plan.md", &text);
    project.signoff(["revise", "plan.md"]).assert_success();
    // It is what Ada signed once, before it was rejected.
    approve(&project, "Bob")
        .assert_success()
        .assert_stderr_contains("1 of 2: waits for Ada");
    approve(&project, "Ada").assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

/// The plan as it was, without the log that tells of its end.
fn forget(project: &Project, text: &str) {
    let log = project.path().join(".signoff/log");
    std::fs::remove_dir_all(log).expect("it is there");
    project.write("plan.md", text);
}

#[test]
fn what_was_signed_before_it_was_taken_back_counts_for_nothing_without_the_log_either() {
    let project = with_settings("");
    let text = project.read("plan.md");
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["cancel", "plan.md"]).assert_success();
    forget(&project, &text);
    let shown = project.json(["show", "plan.md"]);
    assert_ne!(shown["status"], "approved");
    project.signoff(["run", "plan.md"]).assert_code(4);
    // It can be signed again.
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_rejection_takes_signatures_with_it_without_the_log_either() {
    let project = with_settings(TWO);
    let text = project.read("plan.md");
    approve(&project, "Ada").assert_success();
    project
        .signoff(["reject", "plan.md", "--feedback", "Not yet."])
        .assert_success();
    forget(&project, &text);
    approve(&project, "Bob")
        .assert_success()
        .assert_stderr_contains("1 of 2: waits for Ada");
}

#[test]
fn the_rule_is_looked_at_again_when_a_run_goes_on() {
    let project = with_settings("");
    project.write(
        "plan.md",
        &plan(&[&agent("Make it.", "out"), "**ask:** Ship it?\n"]),
    );
    approve(&project, "Ada").assert_success();
    project.signoff(["run", "plan.md"]).assert_code(3);
    add_settings(&project, TWO);
    project
        .signoff(["resume"])
        .assert_code(4)
        .assert_stderr_contains("1 of 2: waits for Bob");
    approve(&project, "Bob");
    project.signoff(["status"]).assert_success();
}

#[test]
fn a_plan_narrows_who_signs_and_never_widens() {
    let text = plan(&[&agent("Make it.", "out")]);
    let named = |names: &str| {
        text.replacen(
            "---\n",
            &format!("---\napproval_required_from: {names}\n"),
            1,
        )
    };
    let project = with_plan(
        "[approval]\nfrom = [\"Ada\", \"Bob\"]",
        &named("[Bob, Eve]"),
    );
    for person in ["Ada", "Eve"] {
        approve(&project, person)
            .assert_code(4)
            .assert_stderr_contains("these people can: Bob");
    }
    approve(&project, "Bob").assert_success();
    project.write("plan.md", &named("[Eve]"));
    approve(&project, "Bob")
        .assert_code(4)
        .assert_stderr_contains("1 people have to sign it, and nobody can");
    let free = with_plan("", &named("[Eve]"));
    approve(&free, "Ada")
        .assert_code(4)
        .assert_stderr_contains("these people can: Eve");
    approve(&free, "Eve").assert_success();
}

#[test]
fn whoever_wrote_it_does_not_sign_it() {
    let project = with_settings("[approval]\nnot_author = true");
    project
        .signoff_with(&[("SIGNOFF_ACCOUNT", "Ada")], ["propose", "plan.md"])
        .assert_success();
    approve(&project, "Ada")
        .assert_code(4)
        .assert_stderr_contains("`Ada` wrote it, and somebody else has to sign it");
    approve(&project, "Bob").assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_project_only_tightens() {
    let project = with_settings(TWO);
    for loosened in [
        "from = []",
        "from = [\"Ada\", \"Bob\", \"Eve\"]",
        "count = 1",
    ] {
        project.write(".signoff/config.toml", &format!("[approval]\n{loosened}\n"));
        project
            .signoff(["list"])
            .assert_code(6)
            .assert_stderr_contains("cannot loosen");
    }
    project.write(".signoff/config.toml", "[approval]\ncount = 3\n");
    project
        .signoff(["list"])
        .assert_code(6)
        .assert_stderr_contains("asks for more people than `from` names");
}

#[test]
fn no_rule_signs_for_people() {
    let project = with_settings("[approval]\nrequired = false\nfrom = [\"Ada\"]");
    project.signoff(["propose", "plan.md"]).assert_success();
    assert_eq!(project.json(["show", "plan.md"])["status"], "verified");
    approve(&project, "Ada").assert_success();
    // The settings sign new versions that only leave out; not where people are named.
    let project = replannable(BINARY, "replan");
    allow_narrowing(&project);
    leave_out_last(&project);
    add_settings(&project, "count = 2\n");
    project.signoff(["run", "plan.md"]).assert_code(4);
    approve(&project, "Ada").assert_success();
    project.signoff(["run", "plan.md"]).assert_code(3);
}

/// With the minimum `key` a name is bound to a key.
#[test]
fn names_are_bound_to_keys() {
    let project = with_settings(
        "[approval]\nminimum = \"key\"\nfrom = [\"Ada <ada@example.org>\", \"bob@example.org\"]\ncount = 2",
    );
    let key = |person: &str| {
        format!(
            "mkdir -p ~/.ssh && ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/{person} \
             && echo \"{person}@example.org $(cat ~/.ssh/{person}.pub)\" >> ~/.ssh/allowed_signers"
        )
    };
    for person in ["ada", "bob", "eve"] {
        project.bash(&key(person), &project.path()).assert_success();
    }
    let list = "git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers";
    project.bash(list, &project.path()).assert_success();
    let sign = |key: &str, name: &str| {
        let line = format!(
            "git config --global user.email {key}@example.org && git config --global user.signingkey ~/.ssh/{key}"
        );
        project.bash(&line, &project.path()).assert_success();
        approve(&project, name)
    };
    // Eve says that she is Ada, and has a key of her own that counts.
    sign("eve", "Ada")
        .assert_code(4)
        .assert_stderr_contains("`eve@example.org` is not among those");
    sign("ada", "Ada")
        .assert_success()
        .assert_stderr_contains("1 of 2: waits for bob@example.org");
    // Ada's key under another name is Ada.
    sign("ada", "Bob")
        .assert_code(5)
        .assert_stderr_contains("`ada@example.org` has signed");
    project.signoff(["run", "plan.md"]).assert_code(4);
    sign("bob", "Robert").assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
}
