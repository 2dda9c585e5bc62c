//! A project with a plan, a scripted agent and a ledger outside the run.

pub(crate) mod busy_checkout;
pub(crate) mod chaos;
pub(crate) mod person;
pub(crate) mod seeds;
pub(crate) mod shop;
pub(crate) mod sums;
pub(crate) mod test_agents;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use signoff_testkit::{Project, Reply, Script};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_signoff");

/// Is this the long form, as `cargo xtask soak` asks for?
pub(crate) fn soak() -> bool {
    std::env::var_os("SIGNOFF_SOAK").is_some()
}

/// The points to kill a run at: all of them in the long form, else every third. The tests in `crashes` kill at every
/// named point in the short form too.
pub(crate) fn kill_points<'a>(points: &[&'a str]) -> Vec<&'a str> {
    let every = if soak() { 1 } else { 3 };
    points.iter().copied().step_by(every).collect()
}

/// A project whose roles `coder` and `writer` follow this script. Not yet trusted. A script whose
/// ledger is `LEDGER` writes it to the file of that name beside the project.
pub(crate) fn project(script: &Script, plan: &str) -> Project {
    project_in(&std::env::temp_dir(), script, plan)
}

/// The same in another place than where temporary files are.
pub(crate) fn project_in(place: &Path, script: &Script, plan: &str) -> Project {
    let project = Project::new_in(place, BINARY);
    let ledger = project.outside("ledger");
    let script = script
        .to_string()
        .replace("LEDGER", &ledger.to_string_lossy());
    let path = project.outside("script.json");
    std::fs::write(&path, script).expect("the test's folder is writable");
    let command = serde_json::json!([BINARY, "scripted-agent", path]);
    let role = |name: &str| format!("[agents.{name}]\ndriver = \"command\"\ncommand = {command}\n");
    let config = format!(
        "[run]\nbackoff = \"5ms\"\n\n{}\n{}",
        role("coder"),
        role("writer")
    );
    project
        .write(".signoff/config.toml", &config)
        .write("plan.md", plan);
    project
}

/// The same, trusted and with its plan signed.
pub(crate) fn signed(script: &Script, plan: &str) -> Project {
    let project = project(script, plan);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// A plan of these steps, each a body under its heading.
pub(crate) fn plan(steps: &[&str]) -> String {
    let mut text = "---\ntype: plan\nstatus: draft\nowner: orchestrator\n---\n\n# Test plan\n\n**Budget:** 1h\n\n## Steps\n".to_owned();
    for (at, body) in steps.iter().enumerate() {
        let number = at + 1;
        write!(text, "\n### {number}. Step {number}\n\n{body}\n")
            .expect("a string takes everything");
    }
    text
}

/// An agent step whose contract wants a file.
pub(crate) fn agent(task: &str, file: &str) -> String {
    format!(
        "**target:** coder\n**task:**\n{task}\n\n**contract:**\n```shell\ntest -s {file} || {{ echo \"{file} is missing\" >&2; exit 1; }}\n```\nexit_code == 0\n"
    )
}

/// An agent that does the step `agent("Make it.", "out")`.
pub(crate) fn makes_out() -> Script {
    Script::new().reply(Reply::when(["Make it"]).write("out", "x\n").say("done"))
}

/// The same work, but it writes `begun` and waits for the file `go` first.
pub(crate) fn waits_then_makes_out() -> Reply {
    Reply::when(["Make it"])
        .write("begun", "x")
        .wait_for("go")
        .write("out", "x\n")
}

/// Makes the project a git repository with everything committed.
pub(crate) fn commit_all(project: &Project) {
    for words in [
        "init -q -b main",
        "config user.name p",
        "config user.email p@x",
        "add -A",
        "commit -qm base",
    ] {
        project.git(words);
    }
}

/// Events of a type in the newest run; none if nothing has run yet.
pub(crate) fn events(project: &Project, kind: &str) -> Vec<Value> {
    let mut events = project.signoff(["log", "--format", "json"]).json_lines();
    events.retain(|event| event["type"] == kind);
    events
}

/// The id of the newest run.
pub(crate) fn newest_run(project: &Project) -> String {
    let run = project.json(["status"])["run"].clone();
    run.as_str().expect("runs have ids").to_owned()
}

/// The status of each step in the newest run.
pub(crate) fn statuses(project: &Project) -> Vec<Value> {
    let run = project.json(["status"]);
    let steps = run["steps"].as_array().expect("a run has steps");
    steps.iter().map(|step| step["status"].clone()).collect()
}

/// The only open item of the inbox.
#[track_caller]
pub(crate) fn only_item(project: &Project) -> Value {
    let items = project.json(["inbox"])["items"].clone();
    assert_eq!(items.as_array().map(Vec::len), Some(1), "{items}");
    items[0].clone()
}

/// The id of the first open item of the inbox.
pub(crate) fn first_item_id(project: &Project) -> String {
    let id = project.json(["inbox"])["items"][0]["id"].clone();
    id.as_str().expect("an item is open").to_owned()
}

/// A `.pi/plans` store in which approving only signs, with the role `executor`.
pub(crate) fn pi_store() -> Project {
    let project = Project::new(BINARY);
    std::fs::create_dir_all(project.path().join(".pi/plans")).expect("the project is ours");
    let user = project.home().join(".config/signoff");
    std::fs::create_dir_all(&user).expect("the home is ours");
    let config = "[approval]\nthen_run = false\n\n[agents.executor]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    std::fs::write(user.join("config.toml"), config).expect("the home is ours");
    project
}

/// Writes a thread with a good first task and this second one.
pub(crate) fn write_thread(project: &Project, directory: &str, second: &str) {
    project
        .write(
            format!("{directory}/plan.md"),
            "---\ntitle: A thread\n---\n\nWhy.\n",
        )
        .write(
            format!("{directory}/tasks/01-one.md"),
            "---\nid: one\n---\n\nDo one thing.\n",
        )
        .write(format!("{directory}/tasks/02-two.md"), second);
}

/// A planner that answers every question with `next.md`.
const PLANNER: &str = "cat > /dev/null
echo '````markdown'
cat next.md
echo '````'
";

/// An agent that does what it is told, and what is wrong only the second time.
const CODER: &str = "prompt=$(cat)
case $prompt in
  *'Make one.'*) echo x > out-1 ;;
  *'Make two.'*) echo x > out-2 ;;
  *'The previous attempt failed'*) echo x > out-2 ;;
esac
";

/// A signed plan whose second step fails, with this policy; the next version of it does not.
pub(crate) fn replannable(binary: &str, policy: &str) -> Project {
    let wrong = agent("Make it wrong.", "out-2");
    let check = "**contract:**\n```shell\ntest -s out-1\n```\n";
    let text = plan(&[
        &agent("Make one.", "out-1"),
        &format!("{wrong}**on_fail:** {policy}\n"),
        check,
    ]);
    let project = Project::new(binary);
    project
        .write("planner.sh", PLANNER)
        .write("coder.sh", CODER)
        .write("plan.md", &text)
        .write("next.md", &text.replace("Make it wrong.", "Make two."))
        .write(
            ".signoff/config.toml",
            "[agents.planner]\ndriver = 'command'\ncommand = ['sh', 'planner.sh']\n\n\
             [agents.coder]\ndriver = 'command'\ncommand = ['sh', 'coder.sh']\n",
        );
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project
}

/// The same with a planner that adds a step which asks for much.
pub(crate) fn with_a_new_step() -> Project {
    let project = replannable(BINARY, "replan");
    let step = "\n### 4. Tell\n\n**target:** coder\n**task:** Report what was made, and send it to everybody.\n\
                **tools:** read_file, run_command\n**isolation:** shared\n\n\
                **contract:**\n```shell\ntest -s report\n```\n";
    let next = format!("{}{step}", project.read("next.md"));
    project.write("next.md", &next);
    project
}

/// The same with a planner that leaves out the last step, and a policy that signs that.
pub(crate) fn narrowable() -> Project {
    let project = replannable(BINARY, "replan");
    allow_narrowing(&project);
    leave_out_last(&project);
    project
}

/// The failed step has begun, so that it cannot be left out; the one after it can.
pub(crate) fn leave_out_last(project: &Project) {
    let text = project.read("plan.md");
    let (kept, _) = text.split_once("### 3.").expect("three steps");
    project.write("next.md", kept);
}

/// The user's settings sign new versions that only leave something out.
pub(crate) fn allow_narrowing(project: &Project) {
    let path = project.home().join(".config/signoff/config.toml");
    let settings = std::fs::read_to_string(&path).expect("the user's settings");
    let settings = format!("{settings}\n[approval]\nnarrowing = true\n");
    std::fs::write(&path, settings).expect("the home is ours");
}
