//! Questions in place, on a terminal of their own, and the command that tells whoever is not there.

use signoff_testkit::{Ledger, Project, Reply, Script};

use crate::support::{agent, first_item_id, plan, project, signed, statuses};

const QUESTION: &str = "**id:** name\n**ask:** What is it called?\n";

/// An agent that does it only with advice.
fn advised() -> Project {
    let script = Script::new()
        .ledger("LEDGER")
        .reply(Reply::when(["the left one"]).write("out", "x\n"))
        .reply(Reply::always().say("no"));
    let step = format!("{}**on_fail:** escalate\n", agent("Make it.", "out"));
    signed(&script, &plan(&[&step]))
}

#[test]
fn an_escalation_is_answered_in_place_with_advice() {
    let project = advised();
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("is not done after 1 attempt")
        .expect("[ret]ry [f]ixed [s]kip [rev]ise abort; empty: later")
        .expect("answer> ")
        .type_line("a")
        .expect("no: the possible answers are")
        .type_line("ret")
        .expect("retry> ")
        .type_line("the left one");
    run.wait().assert_success();
    Ledger::read(project.outside("ledger")).assert_starts("step-1", 2);
}

#[test]
fn nothing_typed_is_later_and_resume_asks_again() {
    let project = signed(&Script::new(), &plan(&[QUESTION]));
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("What is it called?")
        .expect("type the answer, or skip abort; empty: later")
        .expect("answer> ")
        .type_line("");
    run.wait().assert_code(3);
    let mut resumed = project.on_terminal("signoff resume");
    resumed.expect("answer> ").type_line("Émile {{ x }} `y`");
    resumed.wait().assert_success();
    assert_eq!(statuses(&project), ["completed"]);
    project
        .signoff(["log", "--format", "json"])
        .assert_stdout_contains(r#""note":"Émile {{ x }} `y`""#);
}

#[test]
fn an_answer_from_elsewhere_ends_the_question() {
    let project = signed(&Script::new(), &plan(&[QUESTION]));
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("answer> ");
    project
        .signoff(["answer", &first_item_id(&project), "Ada"])
        .assert_success()
        .assert_stdout_contains("the run continues");
    run.wait().assert_success();
    assert_eq!(statuses(&project), ["completed"]);
}

#[test]
fn the_inbox_says_which_plan_asks() {
    let project = signed(&Script::new(), &plan(&[QUESTION]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    project
        .signoff(["inbox"])
        .assert_success()
        .assert_stdout_contains("\n  Test plan, step `name`: Step 1\n");
    assert_eq!(project.json(["inbox"])["items"][0]["title"], "Test plan");
}

#[test]
fn ctrl_c_at_a_question_stops_the_run() {
    let project = signed(&Script::new(), &plan(&[QUESTION]));
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("answer> ").press("\u{3}");
    run.wait().assert_code(130);
    assert_eq!(project.json(["status"])["paused"], "interrupted");
}

#[test]
fn some_of_several_steps_are_refused_in_place() {
    let bare = |task: &str| format!("**target:** coder\n**task:**\n{task}\n");
    let script = Script::new().reply(Reply::always().say("done"));
    let steps = [bare("First."), bare("Second.")];
    let project = signed(&script, &plan(&[&steps[0], &steps[1]]));
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("[a]ccept [r]efuse; empty: later")
        .expect("answer> ")
        .type_line("r")
        .expect("which> ")
        .type_line("step-9")
        .expect("the question is not about `step-9`")
        .type_line("step-2")
        .expect("refuse> ")
        .type_line("no tests")
        // The other one is asked about before the run ends.
        .expect_times("answer> ", 2)
        .type_line("a");
    run.wait().assert_code(1);
    let shape = project.json(["status"]);
    assert_eq!(shape["steps"][0]["evidence"], "accepted");
    assert_eq!(shape["steps"][1]["status"], "failed");
}

/// A project that writes down what it is told of.
fn notified(command: &str) -> Project {
    let project = project(&Script::new(), &plan(&[QUESTION]));
    let config = project.read(".signoff/config.toml");
    let notify = format!("{config}\n[notify]\ncommand = [\"sh\", \"-c\", {command:?}]\n");
    project.write(".signoff/config.toml", &notify);
    project
}

const WRITE_DOWN: &str = "signoff inbox >/dev/null || exit 9; echo \"$SIGNOFF_NOTIFY_KIND|$SIGNOFF_NOTIFY_ITEM|$SIGNOFF_NOTIFY_RUN|$SIGNOFF_NOTIFY_PLAN|$SIGNOFF_NOTIFY_QUESTION\" >> told";

#[test]
fn whoever_is_not_there_is_told_once() {
    let project = notified(WRITE_DOWN);
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(4);
    assert!(!project.exists("told"), "nobody trusted it");
    project
        .signoff(["trust"])
        .assert_success()
        .assert_stderr_contains("when something waits on you: \"sh\"");
    // Makes `signoff` known to the command.
    project.bash("true", &project.path());
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(3);
    project.signoff(["resume"]).assert_code(3);
    let (item, run) = (
        first_item_id(&project),
        project.json(["status"])["run"].clone(),
    );
    let run = run.as_str().expect("runs have names");
    let notice = format!("question|{item}|{run}|plan.md|What is it called?\n");
    assert_eq!(project.read("told"), notice);
}

#[test]
fn whoever_is_asked_in_place_is_not_told() {
    let project = notified(WRITE_DOWN);
    project.signoff(["trust"]).assert_success();
    let mut run = project.on_terminal("signoff run plan.md --approve");
    run.expect("answer> ").type_line("x");
    run.wait().assert_success();
    assert!(!project.exists("told"));
}

#[test]
fn a_command_that_fails_is_a_note() {
    let project = notified("echo nobody home >&2; exit 7");
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(3)
        .assert_stderr_contains("`[notify]` failed: exit code 7: nobody home");
}

#[test]
fn an_approval_may_change_the_arguments() {
    let step = "**tool:** write_file\n**args:**\n```json\n{\"path\": \"out\", \"content\": \"as signed\"}\n```\n**approval:** required\n";
    let project = signed(&Script::new(), &plan(&[step]));
    let mut run = project.on_terminal("signoff run plan.md");
    run.expect("[a]pprove [d]eny; empty: later")
        .expect("answer> ")
        .type_line("a")
        .expect("other arguments, as JSON; empty: those shown")
        .expect("approve> ")
        .type_line("[1]")
        .expect("the arguments must be a JSON object")
        .type_line(r#"{"path": "out", "content": "as changed"}"#);
    run.wait().assert_success();
    assert_eq!(project.read("out"), "as changed");
}

#[test]
fn an_agent_with_a_terminal_is_not_asked() {
    let project = signed(&Script::new(), &plan(&[QUESTION]));
    let run = project.on_terminal("CODEX_CI=1 signoff run plan.md");
    run.wait().assert_code(3);
}

#[test]
fn nothing_is_drawn_over_a_question() {
    let project = advised();
    let mut run = project.on_terminal("signoff run plan.md --color always");
    run.expect("is not done after 1 attempt")
        .expect("answer> ")
        .type_line("ret")
        .expect("retry> ")
        .type_line("the left one");
    let screen = run.wait();
    let asked = screen.assert_success().stdout.clone();
    let (before, after) = asked.split_once("answer> ").expect("it was asked");
    let typed = after.split_once("retry> ").expect("it was answered").0;
    // What was still to be told was told first; the answer stands behind its question.
    let notice = before.matches("is not done after 1 attempt").count();
    assert_eq!(notice, 2, "{before:?}");
    assert!(!typed.contains("\u{1b}[J"), "{typed:?}");
}
