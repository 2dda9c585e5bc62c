//! A small project whose tests fail, what a model says about it, and what becomes of that: two drafts that are sent back,
//! one that is signed, a step that fails, and a new version whose difference is signed.

use serde_json::Value;
use signoff_stub::{Reply, Script, Stub};
use signoff_testkit::Project;

use super::{BINARY, commit_all, events, only_item};

const CALC: &str = "add() { echo \"$1$2\"; }\ntwice() { echo \"$1\"; }\n";

/// What step 2 asks for first, and what the new version of it asks for.
const WRONG: &str = "Make `twice` in `calc.sh` double its number with the program `bc`.";
const RIGHT: &str = "Make `twice` in `calc.sh` double its number in the shell itself.";

const ADDS: &str = "sed -i 's/$1$2/$(($1 + $2))/' calc.sh";
const DOUBLES: &str = "sed -i 's/twice() { echo \"$1\"/twice() { echo \"$(($1 * 2))\"/' calc.sh";

/// The key of the provider.
pub(crate) const KEY: &str = "sk-not-to-be-seen";

pub(crate) fn say(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

/// A project whose planner is this provider's model.
pub(crate) fn provided(provider: &str, stub: &Stub, more: &str) -> Project {
    let project = Project::new(BINARY);
    let base = match provider {
        "openai" => format!("{}/v1", stub.url()),
        _ => stub.url(),
    };
    let folder = project.home().join(".config/signoff");
    std::fs::create_dir_all(&folder).expect("the home is ours");
    let text = format!(
        "[llm]\nprovider = '{provider}'\nmodel = 'claude-sonnet-4-5'\nbase_url = '{base}'\n\
         key_command = ['echo', '{KEY}']\n{more}"
    );
    std::fs::write(folder.join("config.toml"), text).expect("the home is ours");
    project.write(
        ".signoff/config.toml",
        "[agents.coder]\ndriver = 'command'\ncommand = ['sh', '-c', 'echo x > out']\n",
    );
    project
}

/// Writes the project and commits it.
pub(crate) fn write_sums(project: &Project) {
    let test = |call: &str, sum: &str| {
        format!(
            ". ./calc.sh\n[ \"$({call})\" = {sum} ] || {{ echo \"{call} gave $({call})\" >&2; exit 1; }}\n"
        )
    };
    project
        .write("calc.sh", CALC)
        .write("tests/add.sh", &test("add 2 3", "5"))
        .write("tests/twice.sh", &test("twice 4", "8"));
    commit_all(project);
}

/// A plan for it, as a model writes it.
fn plan(role: &str, first_contract: &str, second_task: &str) -> String {
    let step = |number: u32, title: &str, task: &str, contract: &str| {
        format!(
            "### {number}. {title}\n\n**target:** {role}\n**task:** {task}\n\n\
             **contract:**\n```shell\n{contract}\n```\n\n**protects:**\n- tests/**\n\n**on_fail:** replan\n\n"
        )
    };
    let add = "Make `add` in `calc.sh` add its two numbers.";
    format!(
        "I would mend one function at a time.\n\n````markdown\n---\ntype: plan\nstatus: draft\nowner: planner\n---\n\n\
         # Make the tests pass\n\n**Context:** Two functions are wrong.\n\n**Budget:** max 60k tokens\n\n## Steps\n\n{}{}````\n",
        step(1, "Mend add", add, first_contract),
        step(2, "Mend twice", second_task, "sh tests/twice.sh"),
    )
}

/// What the planner says to each question: a contract that cannot fail, one that holds already, a good plan, and another
/// one once a step has failed.
pub(crate) fn planner(role: &str, script: fn(String) -> Script) -> Script {
    let red = "sh tests/add.sh";
    Script::default()
        .when_about("# A plan under way", script(plan(role, red, RIGHT)))
        .when_about("holds already, before", script(plan(role, red, WRONG)))
        .when_about(
            "contract-vacuous",
            script(plan(role, "test -s calc.sh", WRONG)),
        )
        .when_about("You are a planner", script(plan(role, "true", WRONG)))
}

/// The same, and an agent's work on the steps.
pub(crate) fn planner_and_worker(role: &str) -> Script {
    let works = |command: &str| {
        let command = command.to_owned();
        Script::new([Reply::Shell { command }, Reply::Text("Done.".to_owned())])
    };
    planner(role, |plan| Script::new([Reply::Text(plan)]))
        .when_about("add its two numbers", works(ADDS))
        .when_about("in the shell itself", works(DOUBLES))
        .when_about("with the program", works("echo there is no bc"))
}

/// The same work by a program that is told its task on stdin.
pub(crate) fn worker() -> String {
    format!(
        "prompt=$(cat)\ncase $prompt in\n  *'add its two numbers'*) {ADDS} ;;\n  \
         *'in the shell itself'*) {DOUBLES} ;;\nesac\n"
    )
}

/// The whole loop in this project, from the sentence to the last contract.
#[track_caller]
pub(crate) fn make_the_tests_pass(project: &Project, who: &str) {
    let planned = project.signoff([
        "plan",
        "make the tests pass",
        "--try-contracts",
        "--format",
        "json",
    ]);
    planned.assert_success();
    let planned = planned.json();
    assert_eq!(planned["outcome"], "verified", "{who}: {planned:#}");
    let sent_back = |round: usize| planned["rounds"][round]["problems"].to_string();
    assert!(
        sent_back(0).contains("contract-vacuous"),
        "{who}: {planned:#}"
    );
    assert!(sent_back(1).contains("holds already"), "{who}: {planned:#}");
    let name = planned["plan"]["name"].as_str().expect("a plan").to_owned();
    project.signoff(["approve", &name]).assert_success();

    let waits = project.signoff(["run", &name]);
    assert_eq!(waits.code, Some(3), "{who}: {waits}");
    assert_eq!(only_item(project)["kind"], "new_version", "{who}: {waits}");
    assert!(project.bash("sh tests/add.sh", &project.path()).code == Some(0));
    let second = format!("{name}-v2");
    project
        .signoff(["approve", &second])
        .assert_success()
        .assert_stderr_contains("in the shell itself");

    project.signoff(["resume"]).assert_success();
    for test in ["sh tests/add.sh", "sh tests/twice.sh"] {
        project.bash(test, &project.path()).assert_success();
    }
    let status = project.json(["status"]);
    assert_eq!(status["plan"], second.as_str(), "{who}: {status:#}");
    for step in status["steps"].as_array().expect("steps") {
        assert_eq!(step["evidence"], "proved", "{who}: {status:#}");
    }
    assert_eq!(status["steps"][0]["attempts"], 1, "{who}: {status:#}");
    let red = events(project, "baseline_finished").into_iter();
    let red = red.filter(|event| event["verdict"] == "fail");
    assert_eq!(
        red.map(|event| event["step"].clone())
            .collect::<Vec<Value>>()
            .len(),
        3,
        "{who}: each contract is red before its work, the second also under the new version"
    );
}
