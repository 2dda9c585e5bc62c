//! An agent that bends what judges it gains nothing, whatever is cut off when: what a step changed is judged, in the
//! checkout and on trees of the run's own, and not only what its last attempt is seen to have done.

use std::path::PathBuf;

use serde_json::Value;
use signoff_testkit::{Project, Reply, Running, Script};

use crate::support::{events, plan, project};

const RETRY: &str = "The previous attempt failed";
const FAULT: &str = "it changed what configures the runner of a contract";
const HONEST: &str = "check:\n\ttest -s made.txt\n";
const BENT: &str = "check:\n\ttrue\n";

/// Where a run works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setup {
    /// On trees of its own.
    Trees,
    /// The same in a project of which no git knows.
    BareTrees,
    Checkout,
    /// In the checkout, of which no git knows.
    BareCheckout,
}

const SETUPS: [Setup; 4] = [
    Setup::Trees,
    Setup::BareTrees,
    Setup::Checkout,
    Setup::BareCheckout,
];

impl Setup {
    fn on_trees(self) -> bool {
        matches!(self, Self::Trees | Self::BareTrees)
    }

    fn has_git(self) -> bool {
        matches!(self, Self::Trees | Self::Checkout)
    }

    fn run(self) -> [&'static str; 4] {
        let isolation = if self.on_trees() {
            "worktree"
        } else {
            "shared"
        };
        ["run", "plan.md", "--isolation", isolation]
    }
}

/// A signed plan of one step, whose contract is the target of a make file that it does not say it makes.
fn prepared(setup: Setup, script: &Script, policy: &str) -> Project {
    let step = format!(
        "**target:** coder\n**task:**\nMake it.\n\n**contract:**\n```shell\nmake -s check\n```\nexit_code == 0\n**on_fail:** {policy}\n"
    );
    let mut project = project(script, &plan(&[&step]));
    if setup.on_trees() {
        project = project.on_trees();
    }
    let path = project.outside("script.json");
    let text = std::fs::read_to_string(&path).expect("it was just written");
    let began = project.outside("began").to_string_lossy().into_owned();
    let go = project.outside("go").to_string_lossy().into_owned();
    // As a whole: the name of a temporary directory may have these letters in it.
    let text = text.replace("BEGAN", &began);
    let text = text.replace("\"GO\"", &format!("\"{go}\""));
    std::fs::write(&path, text).expect("the folder is ours");
    project
        .write("Makefile", HONEST)
        .write("guard.txt", "shut\n");
    if setup.has_git() {
        let git = "git init -q -b main && git add -A && git -c user.name=p -c user.email=p@x commit -qm base";
        project.bash(git, &project.path()).assert_success();
    }
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// Bends its judge and works on; tried again, it does `then`.
fn bends_and_is_cut_off(then: Reply) -> Script {
    Script::new().reply(then).reply(
        Reply::always()
            .write("Makefile", BENT)
            .append("BEGAN", "x")
            .wait_for("never-there"),
    )
}

#[track_caller]
fn begun(project: &Project, setup: Setup) -> Running {
    let mut running = project.spawn(setup.run());
    assert!(running.wait_until(|| project.outside("began").exists()));
    running
}

/// What spoke against each attempt that was judged.
fn unmet(project: &Project) -> Vec<String> {
    let judged = events(project, "contract_finished");
    judged
        .iter()
        .map(|event| event["unmet"].to_string())
        .collect()
}

#[track_caller]
fn assert_found_out(project: &Project, setup: Setup) {
    let unmet = unmet(project);
    let first = unmet.first().expect("it was judged");
    assert!(
        first.contains(FAULT) && first.contains("Makefile"),
        "{setup:?}: {first}"
    );
    let retries = events(project, "retry_scheduled");
    assert_eq!(retries[0]["counted"], true, "{setup:?}: {retries:?}");
    assert_eq!(
        events(project, "step_completed"),
        Vec::<Value>::new(),
        "{setup:?}"
    );
}

#[test]
fn an_attempt_that_was_killed_is_judged_like_any_other() {
    for setup in SETUPS {
        let script = bends_and_is_cut_off(Reply::when([RETRY]).say("done"));
        let project = prepared(setup, &script, "retry(1), then escalate");
        begun(&project, setup).kill();
        project.signoff(["resume"]).assert_code(3);
        assert_found_out(&project, setup);
    }
}

#[test]
fn an_attempt_that_was_stopped_is_judged_like_any_other() {
    for setup in SETUPS {
        let script = bends_and_is_cut_off(Reply::when([RETRY]).say("done"));
        let project = prepared(setup, &script, "retry(1), then escalate");
        let running = begun(&project, setup);
        let stop = format!("kill -INT {}", running.id());
        project.bash(&stop, &project.path()).assert_success();
        running.wait();
        project.signoff(["resume"]).assert_code(3);
        assert_found_out(&project, setup);
    }
}

#[test]
fn whoever_puts_it_back_and_does_the_work_is_done() {
    for setup in SETUPS {
        let honest = Reply::when([RETRY])
            .write("Makefile", HONEST)
            .write("made.txt", "x\n");
        let project = prepared(
            setup,
            &bends_and_is_cut_off(honest),
            "retry(1), then escalate",
        );
        begun(&project, setup).kill();
        project.signoff(["resume"]).assert_success();
        let completed = events(&project, "step_completed");
        // Where the agent could write to what judged it, nothing is proved.
        let grade = if setup.on_trees() { "proved" } else { "held" };
        assert_eq!(completed[0]["evidence"], grade, "{setup:?}");
        let facts = &completed[0]["facts"];
        // The Makefile asks for it.
        let named = serde_json::json!(["made.txt"]);
        assert_eq!(facts["judge_changed"], named, "{setup:?}: {facts}");
        assert_eq!(project.read("Makefile"), HONEST, "{setup:?}");
    }
}

#[test]
fn what_a_cut_off_attempt_changed_honestly_counts_and_is_named() {
    for setup in SETUPS {
        let script = Script::new().reply(
            Reply::always()
                .write("made.txt", "x\n")
                .write("tests/test_it.py", "\n")
                .append("BEGAN", "x")
                .wait_for("never-there"),
        );
        let project = prepared(setup, &script, "retry(1), then escalate");
        begun(&project, setup).kill();
        project.signoff(["resume"]).assert_success();
        let completed = events(&project, "step_completed");
        let facts = &completed[0]["facts"];
        assert_eq!(completed[0]["attempts"], 1, "{setup:?}");
        assert_eq!(facts["interrupted"], true, "{setup:?}: {facts}");
        let named = serde_json::json!(["made.txt", "tests/test_it.py"]);
        assert_eq!(facts["judge_changed"], named, "{setup:?}: {facts}");
    }
}

#[test]
fn a_retry_that_does_nothing_does_not_make_it_good() {
    for setup in SETUPS {
        let script = Script::new()
            .reply(Reply::when([RETRY]).say("done"))
            .reply(Reply::always().write("Makefile", BENT));
        let project = prepared(setup, &script, "retry(1), then escalate");
        project.signoff(setup.run()).assert_code(3);
        assert_found_out(&project, setup);
        let unmet = unmet(&project);
        assert!(unmet[1].contains(FAULT), "{setup:?}: {unmet:?}");
    }
}

#[test]
fn a_retry_that_is_cut_off_does_not_make_it_good() {
    for setup in SETUPS {
        let script = Script::new()
            .reply(
                Reply::when([RETRY])
                    .append("BEGAN", "x")
                    .wait_for("never-there"),
            )
            .reply(Reply::always().write("Makefile", BENT));
        let project = prepared(setup, &script, "retry(1), then escalate");
        begun(&project, setup).kill();
        project.signoff(["resume"]).assert_code(3);
        assert_found_out(&project, setup);
        let unmet = unmet(&project);
        assert!(unmet[1].contains(FAULT), "{setup:?}: {unmet:?}");
    }
}

#[test]
fn what_a_void_attempt_left_is_still_of_the_step() {
    for setup in SETUPS {
        // Not seen red, so the attempt that is cut off is not judged, and the next finds the file as it was left.
        let bends = Reply::always().write("Makefile", BENT);
        let script = Script::new().reply(bends.append("BEGAN", "x").wait_for("GO"));
        let project = prepared(setup, &script, "retry(1), then escalate\n**baseline:** no");
        begun(&project, setup).kill();
        std::fs::write(project.outside("go"), "").expect("the folder is ours");
        project.signoff(["resume"]).assert_code(3);
        assert_eq!(events(&project, "attempt_interrupted").len(), 1);
        assert_found_out(&project, setup);
    }
}

#[test]
fn a_cut_off_attempt_that_changed_a_protected_file_does_not_count() {
    for setup in SETUPS {
        // On a tree of its own an agent cannot write to one that is there.
        let guard = if setup.on_trees() {
            "guard-2.txt"
        } else {
            "guard.txt"
        };
        let script = Script::new().reply(
            Reply::always()
                .write(guard, "open\n")
                .write("made.txt", "x\n")
                .append("BEGAN", "x")
                .wait_for("GO"),
        );
        let policy = "retry(1), then escalate\n**protects:** guard*.txt";
        let project = prepared(setup, &script, policy);
        begun(&project, setup).kill();
        std::fs::write(project.outside("go"), "").expect("the folder is ours");
        // In the checkout a person is told first: who changed what was signed cannot be known there.
        let code = if setup.on_trees() { 3 } else { 4 };
        project.signoff(["resume"]).assert_code(code);
        assert_eq!(
            events(&project, "step_completed"),
            Vec::<Value>::new(),
            "{setup:?}"
        );
    }
}

/// The question that waits, and where the step is to be repaired.
#[track_caller]
fn to_repair(project: &Project) -> (String, PathBuf) {
    let inbox = project.json(["inbox"]);
    let item = &inbox["items"][0];
    let worktree = item["worktree"].as_str().map(PathBuf::from);
    let id = item["id"].as_str().expect("it has a name").to_owned();
    (id, worktree.unwrap_or_else(|| project.path()))
}

#[test]
fn what_a_person_repaired_is_named() {
    for setup in SETUPS {
        let script = Script::new().reply(Reply::always().say("done"));
        let project = prepared(setup, &script, "escalate");
        project.signoff(setup.run()).assert_code(3);
        let (item, root) = to_repair(&project);
        std::fs::write(root.join("Makefile"), BENT).expect("it is there");
        let answer = ["answer", &item, "fixed", "--resume"];
        project.signoff(answer).assert_success();
        let completed = events(&project, "step_completed");
        let facts = &completed[0]["facts"];
        let named = serde_json::json!(["Makefile"]);
        assert_eq!(facts["judge_changed"], named, "{setup:?}: {facts}");
        assert_ne!(facts["no_change"], true, "{setup:?}: {facts}");
    }
}

#[test]
fn what_an_agent_bent_is_not_good_because_a_person_says_fixed() {
    for setup in SETUPS {
        let script = Script::new().reply(Reply::always().write("Makefile", BENT));
        let project = prepared(setup, &script, "escalate");
        project.signoff(setup.run()).assert_code(3);
        let (item, root) = to_repair(&project);
        project
            .signoff(["answer", &item, "fixed", "--resume"])
            .assert_code(3);
        std::fs::write(root.join("Makefile"), HONEST).expect("it is there");
        std::fs::write(root.join("made.txt"), "x\n").expect("it is there");
        let (item, _) = to_repair(&project);
        project
            .signoff(["answer", &item, "fixed", "--resume"])
            .assert_success();
    }
}
