//! A harness that is killed takes a confined agent along, and leaves nothing that the next one does not clear away.

use std::fs;
use std::time::Instant;

use serde_json::Value;
use signoff_testkit::{PATIENCE, Project};

/// The first attempt does not end, and has a part of it leave its session.
const AGENT: &str = "if [ -e @OUT@/begun ]; then echo done > out; exit; fi\n\
                     setsid -f env -u SIGNOFF_INSIDE sleep 1000\ntouch @OUT@/begun\nsleep 1000\n";

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: ada\n---\n\n# Cut off\n\n**Budget:** 1h\n\n## Steps\n\n\
                    ### 1. Work\n\n**task:** Do the work.\n\n**contract:**\n```shell\ntest -s out\n```\nexit_code == 0\n";

fn project() -> Project {
    let project = Project::new(env!("CARGO_BIN_EXE_signoff")).on_trees();
    let project = project.env("SIGNOFF_LEVEL", "namespaces");
    let user = project.home().join(".config/signoff/config.toml");
    let config = fs::read_to_string(&user).expect("it was made");
    let agents = "[agents.default]\ndriver = \"command\"\ncommand = [\"bash\", \"agent.sh\"]\n";
    fs::write(user, format!("{config}{agents}")).expect("the folder is ours");
    let outside = project.outside("").display().to_string();
    project
        .write(".signoff/config.toml", "")
        .write("agent.sh", &AGENT.replace("@OUT@", &outside))
        .write("plan.md", PLAN);
    project.signoff(["trust"]).assert_success();
    project
}

/// Processes in the same table of processes as this one, which is not ours.
fn beside(pid: u64) -> Vec<String> {
    let table = |process: &str| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
    let (ours, theirs) = (table("self"), table(&pid.to_string()));
    assert!(theirs.is_some() && theirs != ours, "it is not confined");
    let names = fs::read_dir("/proc").expect("it is Linux").flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| table(name) == theirs).collect()
}

fn is_there(pid: &str) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

#[test]
fn a_killed_harness_takes_a_confined_agent_along() {
    let project = project();
    let mut running = project.spawn(["run", "plan.md", "--approve", "--format", "json"]);
    assert!(running.wait_until(|| project.outside("begun").exists()));
    let events = running.stdout_so_far();
    let started: Value = events
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|event| event["type"] == "process_started")
        .expect("its process was told before it began");
    let agents = beside(started["process"]["pid"].as_u64().expect("a number"));
    // The shell and both that sleep, one of them far from it.
    assert!(agents.len() >= 3, "{agents:?}");
    let run = started["run"].as_str().expect("events name their run");
    let scratch = format!(".signoff/runs/{run}/scratch");
    assert!(project.exists(&scratch));

    running.kill();
    let killed = Instant::now();
    while agents.iter().any(|pid| is_there(pid)) {
        assert!(killed.elapsed() < PATIENCE, "{agents:?}");
        std::thread::yield_now();
    }
    project.signoff(["resume"]).assert_success();
    assert_eq!(project.json(["status"])["status"], "completed");
    assert!(!project.exists(&scratch));
}
