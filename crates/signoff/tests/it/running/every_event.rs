//! Every type of event, every kind of question, every answer, outcome, verdict and grade happens in a
//! run of a real plan by the real binary. A new one without a run here fails.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use signoff_stub::{Script as StubScript, Stub};
use signoff_testkit::{Reply, Script};

use crate::support::seeds::Example;
use crate::support::seeds::catalogue::schema;
use crate::support::sums::{provided, say};
use crate::support::{BINARY, agent, first_item_id, makes_out, narrowable, plan, replannable};

type Events = Vec<Value>;

const CHECK: &str = "**contract:**\n```shell\ntest -d .\n```\n";

fn idle() -> Script {
    Script::new().reply(Reply::always().say("done"))
}

fn example(script: &Script, steps: &[&str]) -> Example {
    Example::new("plan.md", &[("plan.md", &plan(steps))], script).signed()
}

fn make() -> String {
    agent("Make it.", "out")
}

/// An agent step whose contract never holds by itself.
fn stubborn() -> String {
    format!("{}**on_fail:** retry(1), then escalate\n", make())
}

fn command(command: &str) -> String {
    let args = json!({"command": command});
    format!("**tool:** run_command\n**tools:** run_command\n**args:**\n```json\n{args}\n```\n")
}

/// Proved, held, a condition, a loop, a budget that is kept.
fn in_one_go() -> Events {
    let each = format!("**for_each:** [1, 2]\n{CHECK}");
    let when = format!("**when:** 1 == 1\n{CHECK}");
    let example = example(
        &makes_out(),
        &[&make(), CHECK, &each, &when, &command("true")],
    );
    example.run().assert_success();
    let mut events = example.events();
    let again = ["run", "plan.md", "--again"];
    example.project.signoff(again).assert_success();
    events.extend(example.events());
    events
}

/// An agent that only says so; what a person makes of it.
fn escalated(word: &str, code: i32) -> Events {
    let example = example(&idle(), &[&stubborn(), CHECK]);
    example.run().assert_code(3);
    if word == "fixed" {
        example.project.write("out", "x\n");
    }
    example.answer("escalation", word, &[]).assert_code(code);
    example.events()
}

fn accepted(word: &str, code: i32) -> Events {
    let bare = "**target:** coder\n**task:**\nMake it.\n";
    let example = example(&makes_out(), &[bare]);
    example.run().assert_code(3);
    example.answer("acceptance", word, &[]).assert_code(code);
    example.events()
}

fn approved(word: &str, code: i32) -> Events {
    let gated = format!("{}**approval:** required\n", make());
    let example = example(&makes_out(), &[&gated, CHECK]);
    example.run().assert_code(3);
    example.answer("approval", word, &[]).assert_code(code);
    example.events()
}

/// A call that a person agreed to with other arguments than the plan's.
fn approved_with_changes() -> Events {
    let call = command("exit 3").replace("**tools:** run_command\n", "");
    let example = example(&makes_out(), &[&call]);
    example.run().assert_code(3);
    let changed = ["--note", "{\"command\": \"echo changed\"}"];
    example
        .answer("approval", "approve", &changed)
        .assert_success();
    let events = example.events();
    let called = events.iter().find(|event| event["type"] == "call_started");
    let args = called.map(|event| event["call"]["args"].clone());
    assert_eq!(args, Some(json!({"command": "echo changed"})));
    events
}

fn asked() -> Events {
    let ask = "**id:** go\n**ask:** Ship it?\n**choices:** yes, no\n";
    let example = example(&makes_out(), &[ask]);
    example.run().assert_code(3);
    example.answer("question", "yes", &[]).assert_success();
    example.events()
}

/// The plan allows one agent, and two are needed.
fn over_budget() -> Events {
    let text = plan(&[&make(), &agent("Make it again.", "again")]);
    let text = text.replace("**Budget:** 1h", "**Budget:** 1h, 1 agents");
    let script = Script::new()
        .reply(Reply::when(["Make it again"]).write("again", "x\n"))
        .reply(Reply::always().write("out", "x\n"));
    let example = Example::new("plan.md", &[("plan.md", &text)], &script).signed();
    example.run().assert_code(3);
    example.answer("budget", "allow", &[]).assert_success();
    example.events()
}

/// Cut off inside a call that must not be repeated.
fn unknown_call(word: &str, code: i32) -> Events {
    let example = example(&makes_out(), &[&command("echo once >> once"), CHECK]);
    example.killed_at("effect.after:1").resume().assert_code(3);
    let note: &[&str] = match word {
        "happened" => &["--note", "{\"exit_code\": 0}"],
        _ => &[],
    };
    example.answer("unknown_call", word, note).assert_code(code);
    let events = example.events();
    let called = events.iter();
    let called = called.filter(|event| event["type"] == "call_started");
    let times = if word == "retry" { 2 } else { 1 };
    assert_eq!(called.count(), times, "{word}");
    // Whatever the first call did to the run's tree, the second begins anew there.
    let counts = matches!(word, "happened" | "retry");
    let written = std::fs::read_to_string(example.project.path().join("once")).ok();
    assert_eq!(written.as_deref(), counts.then_some("once\n"), "{word}");
    events
}

fn cut_off() -> Events {
    let example = example(&makes_out(), &[&make()]);
    example
        .killed_at("started.after:1")
        .resume()
        .assert_success();
    example.events()
}

/// A contract that gives no answer in time, not even in twice the time.
fn inconclusive() -> Events {
    let step = "**contract:**\n```shell\nsleep 50\n```\n**contract_timeout:** 50ms\n";
    let example = example(&makes_out(), &[step]);
    example.run().assert_code(3);
    example.answer("escalation", "abort", &[]).assert_code(1);
    example.events()
}

fn partial() -> Events {
    let minor = format!("**critical:** no\n**on_fail:** abort\n{}", make());
    let free = format!("**depends_on:** none\n{CHECK}");
    let example = example(&idle(), &[&minor, &free]);
    example.run().assert_success();
    example.events()
}

/// Nobody sees what an agent writes to its tree, nor does the agent see what others write to the checkout: where its
/// script says `BEGUN` and `GO`, files beside the project are meant.
fn signals_are_outside(example: &Example) {
    let at = |name: &str| example.project.outside(name).to_string_lossy().into_owned();
    let path = example.project.outside("script.json");
    let script = std::fs::read_to_string(&path).expect("it was written");
    let script = script
        .replace("BEGUN", &at("begun"))
        .replace("\"GO\"", &format!("\"{}\"", at("go")));
    std::fs::write(&path, script).expect("the folder is ours");
}

/// The agent that waits for `GO` may go on.
fn give_signal(example: &Example) {
    std::fs::write(example.project.outside("go"), "").expect("the folder is ours");
}

/// A run whose first agent works until the file `go` is there, and what is asked of it meanwhile.
fn while_working(ask: &str, code: i32) -> Events {
    let waits = Reply::when(["Make it"])
        .write("BEGUN", "")
        .wait_for("GO")
        .write("out", "x\n");
    let example = example(&Script::new().reply(waits), &[&make(), CHECK]);
    signals_are_outside(&example);
    let mut running = example.project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| example.project.outside("begun").exists()));
    example.project.signoff([ask]).assert_success();
    give_signal(&example);
    running.wait().assert_code(code);
    if code != 1 {
        example.resume().assert_success();
    }
    example.events()
}

/// The plan is changed while its first agent works; the second is not started.
fn edited() -> Events {
    let script = Script::new()
        .reply(Reply::when(["Make more"]).write("more", "x\n"))
        .reply(
            Reply::when(["Make it"])
                .write("BEGUN", "")
                .wait_for("GO")
                .write("out", "x\n"),
        );
    let example = example(&script, &[&make(), &agent("Make more.", "more")]);
    signals_are_outside(&example);
    let mut running = example.project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| example.project.outside("begun").exists()));
    let signed = example.text();
    let changed = signed.replace("Make more.", "Make much more.");
    example.project.write("plan.md", &changed);
    give_signal(&example);
    running.wait().assert_code(4);
    assert!(!example.project.exists("more"));
    // As it was signed, it goes on.
    example.project.write("plan.md", &signed);
    example.resume().assert_success();
    example.events()
}

/// The plan is changed and signed, and its run goes on with it to the end.
fn gone_on_mended(example: &Example) -> Events {
    let changed = example.text().replace("# Test plan", "# Test plan, mended");
    example.project.write("plan.md", &changed);
    example
        .project
        .signoff(["approve", "plan.md"])
        .assert_success();
    example.resume().assert_success();
    example.events()
}

/// A plan that is changed while its run stands still, and signed: the run goes on with it.
fn replanned() -> Events {
    let example = example(&makes_out(), &[CHECK, CHECK]);
    let until = ["run", "plan.md", "--until", "step-1"];
    example.project.signoff(until).assert_success();
    gone_on_mended(&example)
}

/// A person wants another plan, and gets the step again with it.
fn revised() -> Events {
    let script = Script::new()
        .reply(Reply::when(["Make it", "say where"]).write("out", "x\n"))
        .reply(Reply::when(["Make it"]).say("done"));
    let first = format!("{}**on_fail:** escalate\n", make());
    let example = example(&script, &[&first, CHECK]);
    example.run().assert_code(3);
    example
        .answer("escalation", "revise", &["--note", "say where"])
        .assert_code(3)
        .assert_stdout_contains("waits for another version of the plan (say");
    gone_on_mended(&example)
}

/// A planner drafts another version: a person refuses the first, and wants one more.
fn drafted() -> Events {
    let project = replannable(BINARY, "replan");
    project.signoff(["run", "plan.md"]).assert_code(3);
    let item = first_item_id(&project);
    project
        .signoff(["answer", &item, "refuse"])
        .assert_success();
    project.signoff(["resume"]).assert_code(3);
    let item = first_item_id(&project);
    project
        .signoff(["answer", &item, "replan"])
        .assert_success();
    project.signoff(["resume"]).assert_code(3);
    project.signoff(["log", "--format", "json"]).json_lines()
}

/// A provider's model drafts the plan and says what it used; while the plan waits on a person, another version is handed in.
fn planned() -> Events {
    let wrong = agent("Make it.", "other")
        .replace("**contract:**", "**on_fail:** escalate\n\n**contract:**");
    let answer = format!(
        "````markdown\n{}````\n",
        plan(&[&wrong]).replace("1h", "max 9k tokens")
    );
    let stub = Stub::start(StubScript::of_questions([say(&answer)])).expect("a stub");
    let project = provided("anthropic", &stub, "");
    project.signoff(["trust"]).assert_success();
    project
        .signoff(["plan", "write out", "-o", "plan.md"])
        .assert_success();
    project
        .signoff(["run", "plan.md", "--approve"])
        .assert_code(3);
    project.write("next.md", &project.read("plan.md").replace("other", "out"));
    project
        .signoff(["revise", "plan.md", "--with", "next.md"])
        .assert_success();
    project.signoff(["log", "--format", "json"]).json_lines()
}

/// A planner leaves out what has not begun, and a policy signs that.
fn narrowed() -> Events {
    let project = narrowable();
    project.signoff(["run", "plan.md"]).assert_success();
    project.signoff(["log", "--format", "json"]).json_lines()
}

/// A model is to say how a step goes on, and says nothing that can be used.
fn not_recovered() -> Events {
    let project = replannable(BINARY, "recover");
    project.signoff(["run", "plan.md"]).assert_code(3);
    project.signoff(["log", "--format", "json"]).json_lines()
}

fn limited() -> Events {
    let example = example(&makes_out(), &[CHECK, CHECK]);
    let until = ["run", "plan.md", "--until", "step-1"];
    example.project.signoff(until).assert_success();
    example.resume().assert_success();
    example.events()
}

/// A step that waits on a person is tried again while another one works.
fn retried() -> Events {
    let script = Script::new()
        .reply(Reply::when(["Make it", "look twice"]).write("out", "x\n"))
        .reply(Reply::when(["Make it"]).say("done"))
        .reply(
            Reply::when(["Take long"])
                .wait_for("GO")
                .write("long", "x\n"),
        );
    let long = format!("**depends_on:** none\n{}", agent("Take long.", "long"));
    let first = format!("{}**on_fail:** escalate\n", make());
    let example = example(&script, &[&first, &long]);
    signals_are_outside(&example);
    let mut running = example.project.spawn(["run", "plan.md"]);
    let waits = || {
        let inbox = example.project.signoff(["inbox", "--format", "json"]);
        inbox.code == Some(0) && inbox.json()["items"][0]["kind"] == "escalation"
    };
    assert!(running.wait_until(waits));
    let run = example.project.json(["status"])["run"].clone();
    let run = run.as_str().unwrap_or_default().to_owned();
    let retry = ["step", "retry", &run, "step-1", "--hint", "look twice"];
    example.project.signoff(retry).assert_success();
    give_signal(&example);
    running.wait().assert_success();
    example.events()
}

/// A project in a repository, whose runs work on trees of their own.
fn repository(script: &Script, steps: &[&str]) -> Example {
    let example = Example::new("plan.md", &[("plan.md", &plan(steps))], script);
    let make = "git init -q . && git add . && git -c user.name=T -c user.email=t@localhost commit -qm base";
    let made = example.project.bash(make, &example.project.path());
    made.assert_success();
    example.signed()
}

/// Two agents write the same file; the second does it again on top of the first, and both land.
fn side_by_side() -> Events {
    let step = |task: &str, word: &str| {
        format!(
            "**depends_on:** none\n**target:** coder\n**task:**\n{task}\n\n**contract:**\n```shell\ngrep -q {word} list\n```\n"
        )
    };
    let script = Script::new()
        .reply(Reply::when(["Write one"]).write("list", "one\n"))
        .reply(Reply::when(["Write two", "others changed"]).append("list", "two\n"))
        .reply(
            Reply::when(["Write two"])
                .wait_for("GO")
                .write("list", "two\n"),
        );
    let example = repository(
        &script,
        &[&step("Write one.", "one"), &step("Write two.", "two")],
    );
    signals_are_outside(&example);
    let mut running = example.project.spawn(["run", "plan.md"]);
    let merged = || {
        let log = example.project.signoff(["log", "--format", "json"]);
        log.code == Some(0)
            && log
                .json_lines()
                .iter()
                .any(|event| event["type"] == "merged")
    };
    assert!(running.wait_until(merged));
    assert!(
        !example.project.exists("list"),
        "the checkout is untouched until it lands"
    );
    give_signal(&example);
    running.wait().assert_success();
    assert_eq!(example.project.read("list"), "one\ntwo\n");
    example.events()
}

/// A contract reuses what it built before the work, and holds without it at the end.
fn confirmed() -> Events {
    let builds = make().replace(
        "```shell\n",
        "```shell\nmkdir -p target; echo x > target/built\n",
    );
    let example = repository(&makes_out(), &[&builds]);
    let config = example.project.read(".signoff/config.toml");
    let config = format!("{config}\n[contract]\ncache = \"warm\"\n");
    example
        .project
        .write(".signoff/config.toml", &config)
        .write(".gitignore", "target/\n");
    example.project.signoff(["trust"]).assert_success();
    example.run().assert_success();
    example.events()
}

/// A run that failed is taken back.
fn undone() -> Events {
    let own = format!("**isolation:** worktree\n**on_fail:** abort\n{}", make());
    let example = repository(&idle(), &[&own]);
    example.run().assert_code(1);
    example.project.signoff(["undo"]).assert_success();
    example.events()
}

/// Everything above, as (where it was seen, the word).
/// What other runs have: a lock that is given back, and the money of a day that is used up.
fn waiting_for_other_runs() -> Events {
    let step = format!("**locks:** db\n{}", make());
    let example = example(&makes_out(), &[&step]);
    let project = &example.project;
    let settings = project.home().join(".config/signoff/config.toml");
    let before = std::fs::read_to_string(&settings).expect("it was written");
    let limited = format!("{before}\n[engine]\nusd_per_day = 1\n");
    std::fs::write(settings, limited).expect("the folder is ours");
    let id: Value = serde_json::from_str(&project.read(".signoff/project.json")).expect("JSON");
    let state = project.home().join(".local/state/signoff");
    let locks = state
        .join("step-locks")
        .join(id["id"].as_str().expect("an id"));
    let day = project.bash("date -u +%F", &project.path()).stdout;
    let costs = state.join("costs").join(day.trim());
    for directory in [&locks, &costs] {
        std::fs::create_dir_all(directory).expect("the folder is ours");
    }
    let lock = std::fs::File::create(locks.join("db")).expect("the folder is ours");
    lock.lock().expect("nobody has it");
    std::fs::write(costs.join("another"), "1000000").expect("the folder is ours");
    let happened = |event: &str| {
        let log = project.signoff(["log", "--format", "json"]);
        log.stdout.contains(&format!("\"{event}\""))
    };
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| happened("lock_awaited")));
    lock.unlock().expect("it is held");
    assert!(running.wait_until(|| happened("day_limit_reached")));
    project.signoff(["stop"]).assert_success();
    running.wait().assert_code(130);
    std::fs::remove_dir_all(&costs).expect("it is there");
    example.resume().assert_success();
    example.events()
}

fn seen() -> BTreeSet<(&'static str, String)> {
    let runs = [
        in_one_go(),
        escalated("retry", 3),
        escalated("fixed", 0),
        escalated("skip", 0),
        escalated("abort", 1),
        accepted("accept", 0),
        accepted("refuse", 1),
        approved("approve", 0),
        approved("deny", 1),
        approved_with_changes(),
        asked(),
        over_budget(),
        unknown_call("happened", 0),
        unknown_call("retry", 0),
        unknown_call("skip", 0),
        unknown_call("abort", 1),
        cut_off(),
        inconclusive(),
        partial(),
        while_working("pause", 130),
        while_working("stop", 130),
        while_working("abort", 1),
        edited(),
        replanned(),
        revised(),
        drafted(),
        planned(),
        narrowed(),
        not_recovered(),
        limited(),
        retried(),
        side_by_side(),
        confirmed(),
        undone(),
        waiting_for_other_runs(),
        super::permissions::allowed(),
        super::agent_tools::called(),
        crate::trees::failing_git::stopped(),
    ];
    let mut seen = BTreeSet::new();
    for event in runs.iter().flatten() {
        let mut note = |name, value: &Value| {
            seen.extend(value.as_str().map(|word| (name, word.to_owned())));
        };
        note("type", &event["type"]);
        note("ItemKind", &event["kind"]);
        note("Choice", &event["choice"]);
        note("Outcome", &event["outcome"]);
        note("Verdict", &event["verdict"]);
        note("Grade", &event["evidence"]);
        note("status", &event["status"]);
        if event["type"] == "run_paused" {
            note("PauseReason", &event["reason"]);
        }
    }
    seen
}

/// The words of an enum: a list, or alternatives with a description each.
fn words(schema: &Value) -> Vec<&Value> {
    let list = schema["enum"].as_array().into_iter().flatten();
    let alternatives = schema["oneOf"].as_array().into_iter().flatten();
    list.chain(alternatives.map(|one| &one["const"])).collect()
}

/// Everything that the schema says can be seen.
fn expected() -> BTreeSet<(&'static str, String)> {
    let schema = schema();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let types = schema["oneOf"].as_array().into_iter().flatten();
    let types = types.map(|event| ("type", word(&event["properties"]["type"]["const"])));
    let mut expected: BTreeSet<_> = types.collect();
    for name in [
        "ItemKind",
        "Choice",
        "Outcome",
        "Verdict",
        "Grade",
        "PauseReason",
    ] {
        let words = words(&schema["$defs"][name]);
        assert!(!words.is_empty(), "{name} has no words");
        expected.extend(words.into_iter().map(|value| (name, word(value))));
    }
    // `pending` and `ready` are left at once: no event of a step shows them.
    let statuses = [
        "running",
        "verifying",
        "waiting",
        "completed",
        "failed",
        "skipped",
        "blocked",
    ];
    expected.extend(statuses.map(|word| ("status", word.to_owned())));
    expected
}

#[test]
fn every_event_question_answer_and_outcome_happens() {
    let (expected, seen) = (expected(), seen());
    let missing: Vec<_> = expected.difference(&seen).collect();
    assert!(missing.is_empty(), "never seen: {missing:?}");
}
