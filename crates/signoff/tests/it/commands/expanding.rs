//! `plan --expand`: steps that stand for others are written out. The planner is a program that a test wrote.

use signoff_testkit::Project;

use crate::support::BINARY;

const HEAD: &str = "---
type: plan
status: draft
owner: me
---

# Tidy up

**Budget:** max 100k tokens

## Steps

### 1. List the names

**target:** coder
**task:** LIST the names in `list.txt`.

**contract:**
```shell
test -s list.txt
```
";

const OPEN: &str = "
### 2–N. Tidy a name

**target:** coder
**subscriptions:**
- file:list.txt

**task:** TIDY [name].

**contract:**
```shell
test -s out-name
```

### N+1. End

**id:** end
**target:** coder
**task:** END it.

**contract:**
```shell
test -s end
```
";

const CODER: &str = "prompt=$(cat)
case $prompt in
  *'LIST the'*) printf 'alpha\\nbeta\\n' > list.txt ;;
  *'TIDY alpha'*) echo x > out-alpha ;;
  *'TIDY beta'*) echo x > out-beta ;;
  *'END it'*) echo x > end ;;
esac
";

/// Answers badly first, and keeps what it was asked.
const PLANNER: &str = "prompt=$(cat)
case $prompt in
  *'# Your last answer'*) cat second.txt ;;
  *'alpha'*) cat first.txt ;;
esac
";

fn step(number: u32, name: &str) -> String {
    format!(
        "
### {number}. Tidy {name}

**target:** coder
**task:** TIDY {name}.

**contract:**
```shell
test -s out-{name}
```
"
    )
}

fn expanded() -> String {
    let end = OPEN.find("\n### N+1").expect("it is there");
    let end = OPEN[end..].replace("N+1", "4");
    format!("{HEAD}{}{}{end}", step(2, "alpha"), step(3, "beta"))
}

fn fenced(plan: &str) -> String {
    format!("````markdown\n{plan}````\n")
}

fn project() -> Project {
    let project = Project::new(BINARY);
    let changed = expanded().replace("test -s list.txt", "true || test -s list.txt");
    project
        .write("plan.md", &format!("{HEAD}{OPEN}"))
        .write("coder.sh", CODER)
        .write("planner.sh", PLANNER)
        .write("first.txt", &fenced(&changed))
        .write("second.txt", &fenced(&expanded()))
        .write(
            ".signoff/config.toml",
            "[agents.planner]\ndriver = 'command'\ncommand = ['sh', 'planner.sh']\n\n\
             [agents.coder]\ndriver = 'command'\ncommand = ['sh', 'coder.sh']\n",
        );
    project.signoff(["trust"]).assert_success();
    project
}

#[test]
fn a_run_stops_at_open_steps_and_goes_on_once_their_expansion_is_signed() {
    let project = project();
    project
        .signoff(["approve", "plan.md"])
        .assert_success()
        .assert_stderr_contains("stands for steps that are not written yet");
    let stopped = project.signoff(["run", "plan.md"]);
    assert_eq!(stopped.code, Some(3), "{stopped}");
    let inbox = project.json(["inbox"]);
    let question = inbox["items"][0]["question"].as_str().expect("a question");
    assert!(question.contains("signoff plan --expand"), "{question}");

    let prompt = project.signoff(["plan", "--expand", "plan.md", "--dry-run"]);
    prompt.assert_success();
    assert!(prompt.stdout.contains("\nalpha\nbeta\n"), "{prompt}");

    let drafted = project.signoff(["plan", "--expand", "plan.md"]);
    assert_eq!(drafted.code, Some(3), "{drafted}");
    let text = project.read("plan-v2.md");
    assert!(text.contains("### 3. Tidy beta"), "{text}");
    // The first answer touched a finished step, so it was sent back.
    assert!(!text.contains("true ||"), "{text}");
    let signed = project.signoff(["approve", "plan-v2"]);
    signed
        .assert_success()
        .assert_stderr_contains("+ step step-2: Tidy alpha")
        .assert_stderr_contains("+ step step-3: Tidy beta");
    project.signoff(["resume"]).assert_success();
    let status = project.json(["status"]);
    assert_eq!(status["plan"], "plan-v2", "{status:#}");
    let attempts: Vec<_> = (status["steps"].as_array().expect("steps").iter())
        .map(|step| step["attempts"].clone())
        .collect();
    assert_eq!(attempts, [1, 1, 1, 1], "{status:#}");
    assert_eq!(project.read("end"), "x\n");
}

#[test]
fn without_a_run_the_plan_itself_is_expanded_once_its_files_are_there() {
    let project = project();
    let early = project.signoff(["plan", "--expand", "plan.md"]);
    early
        .assert_code(5)
        .assert_stderr_contains("file:list.txt")
        .assert_stderr_contains("sign the plan and run it");
    project.write("list.txt", "alpha\nbeta\n");
    project
        .signoff(["plan", "--expand", "plan.md"])
        .assert_success();
    let text = project.read("plan.md");
    assert!(text.contains("### 3. Tidy beta"), "{text}");
    assert!(text.contains("owner: me"), "{text}");
    let again = project.signoff(["plan", "--expand", "plan.md"]);
    again
        .assert_code(5)
        .assert_stderr_contains("no step of the plan stands for others");
}

#[test]
fn a_run_has_only_its_own_open_steps_expanded() {
    let project = project();
    project.signoff(["approve", "plan.md"]).assert_success();
    assert_eq!(project.signoff(["run", "plan.md"]).code, Some(3));
    // The planner never mends it: the run stands where it stood.
    project.write(
        "second.txt",
        &fenced(&expanded().replace("### 3. Tidy beta", "### 3–N. Tidy beta")),
    );
    let drafted = project.signoff(["plan", "--expand", "plan.md"]);
    assert_eq!(drafted.code, Some(3), "{drafted}");
    assert!(
        drafted.stderr.contains("no new version of the plan"),
        "{drafted}"
    );
    assert!(!project.path().join("plan-v2.md").exists());
    let inbox = project.json(["inbox"]);
    assert_eq!(
        inbox["items"].as_array().map(Vec::len),
        Some(1),
        "{inbox:#}"
    );
    // A person may do without them.
    let id = inbox["items"][0]["id"].as_str().expect("an id").to_owned();
    project.signoff(["answer", &id, "skip"]).assert_success();
    let resumed = project.signoff(["resume"]);
    assert_eq!(resumed.code, Some(3), "{resumed}");
}

#[test]
fn other_dialects_cannot_leave_steps_open() {
    let project = project();
    project
        .signoff(["convert", "plan.md", "--to", "record"])
        .assert_code(1)
        .assert_stderr_contains("stands for steps that are not written yet");
    project
        .signoff(["convert", "plan.md", "--to", "workunit"])
        .assert_success();
}
