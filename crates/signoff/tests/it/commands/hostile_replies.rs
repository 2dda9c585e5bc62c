//! Answers of models that are broken, or meant to do harm, to each question that is asked of a model. Nothing of them is kept,
//! and nothing waits for ever.

use signoff_testkit::Project;

use crate::support::{BINARY, agent, plan, replannable};

const ENDLESS: &str = "yes '{'";

/// What a model says, as a shell script, by its name.
fn hostile() -> Vec<(&'static str, String)> {
    let good = agent("Make it.", "out");
    let whole = plan(&[&good]);
    let cut = whole.len() - 60;
    vec![
        ("nothing", "true".to_owned()),
        ("prose", "echo 'I would rather talk: {it} is [fine], \"really\".'".to_owned()),
        ("cut json", "printf '{\"steps\": [{\"id\": \"a\", '".to_owned()),
        ("cut plan", format!("cat <<'END'\n````markdown\n{}\nEND", &whole[..cut])),
        ("two plans", format!("cat <<'END'\n````\n{whole}````\n\n````\n{whole}````\nEND")),
        ("wrong types", "echo '{\"action\": 7, \"steps\": {}, \"contracts\": \"none\", \"objections\": 1, \"questions\": {}}'".to_owned()),
        ("unknown members", "echo '{\"action\": \"root\", \"run\": \"rm -rf /\", \"approve\": true}'".to_owned()),
        ("repeated keys", "echo '{\"action\": \"abort\", \"action\": \"skip\", \"reason\": \"x\", \"objections\": [], \"objections\": []}'".to_owned()),
        ("deep", "head -c 200000 /dev/zero | tr '\\0' '['; head -c 200000 /dev/zero | tr '\\0' '{'".to_owned()),
        ("10 MB", "head -c 10485760 /dev/zero | tr '\\0' 'x'".to_owned()),
        ("no utf-8", "printf '{\"action\": \"sk\\377ip\", \\300\\200 \\355\\240\\200}'".to_owned()),
        ("control characters", "printf '\\033[2J\\033]0;x\\007\\000{\"action\":\\000}'".to_owned()),
        ("endless", ENDLESS.to_owned()),
        ("fails", "echo 'broken' >&2; exit 9".to_owned()),
    ]
}

/// A project in which every role of a model says this.
fn project(said: &str) -> Project {
    let project = Project::new(BINARY);
    project
        .write("model.sh", &format!("cat > /dev/null\n{said}\n"))
        .write(
            ".signoff/config.toml",
            &format!(
                "{}\n[agents.planner]\ndriver = 'command'\ncommand = ['sh', 'model.sh']\n\n\
             [agents.coder]\ndriver = 'command'\ncommand = ['sh', '-c', 'echo x > out']\n",
                limits(said, "")
            ),
        );
    project.signoff(["trust"]).assert_success();
    project
}

/// What does not end by itself ends soon; everything else has all the time that a busy machine may need.
fn limits(said: &str, more: &str) -> String {
    let time = if said == ENDLESS { "8s" } else { "2m" };
    format!("[llm]\nmax_rounds = 1\ntimeout = '{time}'\nidle_timeout = '{time}'\n{more}")
}

fn plans(project: &Project) -> usize {
    let entries = std::fs::read_dir(project.path().join(".signoff/plans"));
    let entries = entries.into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("PLAN-"))
        .count()
}

#[test]
fn no_draft_comes_of_it() {
    for (name, said) in hostile() {
        let project = project(&said);
        let planned = project.signoff(["plan", "write out"]);
        assert!(matches!(planned.code, Some(1 | 6)), "{name}: {planned}");
        assert_eq!(plans(&project), 0, "{name}: {planned}");
        // What it says to the terminal is shown, not obeyed.
        let shown = format!("{}{}", planned.stdout, planned.stderr);
        assert!(!shown.contains('\u{1b}'), "{name}: {planned}");
        assert!(shown.len() < 64 * 1024, "{name}: {} bytes", shown.len());
    }
}

/// What is no list of questions asks nothing: the planner's word counts for nothing, and no plan comes of it either.
#[test]
fn nobody_is_asked_anything_by_it() {
    for (name, said) in hostile() {
        let project = project(&said);
        let planned = project.signoff(["plan", "write out", "--interview"]);
        assert!(matches!(planned.code, Some(1 | 6)), "{name}: {planned}");
        let items = project.json(["inbox"])["items"].clone();
        assert_eq!(items.as_array().map(Vec::len), Some(0), "{name}: {items}");
        assert_eq!(plans(&project), 0, "{name}: {planned}");
    }
}

#[test]
fn no_open_step_is_written_out_by_it() {
    let open = "### 2–N. Greet one\n\n**target:** coder\n**subscriptions:**\n- file:names.txt\n\n\
                **task:** Greet [name].\n\n**contract:**\n```shell\ntest -s name.txt\n```\n";
    let text = format!("{}\n{open}", plan(&[&agent("Make it.", "out")]));
    for (name, said) in hostile() {
        let project = project(&said);
        project.write("plan.md", &text).write("names.txt", "ann\n");
        let before = project.read("plan.md");
        let expanded = project.signoff(["plan", "--expand", "plan.md"]);
        assert!(matches!(expanded.code, Some(1 | 6)), "{name}: {expanded}");
        assert_eq!(project.read("plan.md"), before, "{name}");
    }
}

#[test]
fn no_plan_is_revised_by_it() {
    let text = plan(&[&agent("Make it.", "out")]);
    for (name, said) in hostile() {
        let project = project(&said);
        project.write("plan.md", &text);
        project
            .signoff(["reject", "plan.md", "--feedback", "no"])
            .assert_success();
        let before = project.read("plan.md");
        let revised = project.signoff(["revise", "plan.md", "--plan"]);
        assert!(matches!(revised.code, Some(1 | 6)), "{name}: {revised}");
        assert_eq!(project.read("plan.md"), before, "{name}");
    }
}

#[test]
fn no_contract_is_proposed_by_it() {
    for (name, said) in hostile() {
        let project = project(&said);
        project.write("tasks.md", "- [ ] Write out\n");
        let imported = project.signoff(["import", "tasks.md", "--plan", "-o", "draft.md"]);
        assert_eq!(imported.code, Some(6), "{name}: {imported}");
        assert!(!project.exists("draft.md"), "{name}");
    }
}

#[test]
fn a_critic_that_says_it_costs_nothing() {
    let text = plan(&[&agent("Make it.", "out")]);
    for (name, said) in hostile() {
        let project = project(&said);
        project
            .write(
                "good.sh",
                &format!("cat <<'END'\n````markdown\n{text}````\nEND\n"),
            )
            .write(
                ".signoff/config.toml",
                &format!(
                    "{}\n[agents.planner]\ndriver = 'command'\ncommand = ['sh', 'good.sh']\n\n\
                 [agents.critic]\ndriver = 'command'\ncommand = ['sh', 'model.sh']\n\n\
                 [agents.coder]\ndriver = 'command'\ncommand = ['true']\n",
                    limits(&said, "critic = 'critic'\n")
                ),
            );
        project.signoff(["trust"]).assert_success();
        let planned = project.signoff(["plan", "write out"]);
        planned
            .assert_success()
            .assert_stderr_contains("the critic gave no answer");
        assert_eq!(plans(&project), 1, "{name}");
    }
}

/// A run whose step failed, and whose planner says this.
fn failed_run(policy: &str, said: &str) -> Project {
    let project = replannable(BINARY, policy);
    let config = project.read(".signoff/config.toml");
    project
        .write("planner.sh", &format!("cat > /dev/null\n{said}\n"))
        .write(
            ".signoff/config.toml",
            &format!("{}\n{config}", limits(said, "")),
        );
    project.signoff(["trust"]).assert_success();
    project
}

#[test]
fn a_run_asks_a_person_instead() {
    for policy in ["replan", "recover"] {
        for (name, said) in hostile() {
            let project = failed_run(policy, &said);
            let ran = project.signoff(["run", "plan.md"]);
            assert_eq!(ran.code, Some(3), "{policy} {name}: {ran}");
            let items = project.json(["inbox"])["items"].clone();
            assert_eq!(items.as_array().map(Vec::len), Some(1), "{name}: {items}");
            assert_eq!(items[0]["kind"], "escalation", "{policy} {name}: {items}");
            assert!(!project.exists("plan-v2.md"), "{name}");
        }
    }
}

#[test]
fn an_arbiter_that_says_it_changes_nothing() {
    let step = agent("Make it.", "out").replace("**target:** coder\n", "");
    for (name, said) in hostile() {
        let project = project(&said);
        project.write("plan.md", &plan(&[&step])).write(
            ".signoff/config.toml",
            &format!(
                "{}\n[agents.arbiter]\ndriver = 'command'\ncommand = ['sh', 'model.sh']\n\n\
                 [agents.coder]\ndriver = 'command'\ncommand = ['false']\n\n\
                 [agents.developer]\ndriver = 'command'\ncommand = ['false']\n\n\
                 [agents.default]\ndriver = 'command'\ncommand = ['sh', '-c', 'echo x > out']\n",
                limits(&said, "arbiter = 'arbiter'\n")
            ),
        );
        project.signoff(["trust"]).assert_success();
        project.signoff(["approve", "plan.md"]).assert_success();
        let ran = project.signoff(["run", "plan.md"]);
        assert_eq!(ran.code, Some(0), "{name}: {ran}");
    }
}
