//! What docs/many-machines.md promises, with machines that have nothing in common but the database and the git repository:
//! homes, keys and configurations are each one's own. A plan of eight steps runs on two workers while the person answers from
//! a laptop; whatever is killed comes up again, and it completes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use signoff_testkit::{PATIENCE, Reply, Running, Script};

use super::fleet::Fleet;
use crate::support::{agent, only_item, plan};

/// A machine of its own: a home with a configuration, and the process that runs there.
struct Terminal {
    home: PathBuf,
    words: &'static [&'static str],
}

const DRIVES: &[&str] = &["orchestrator", "--lease", "2"];
const CODES: &[&str] = &["worker", "--lease", "2", "--roles", "coder,tools"];
const WRITES: &[&str] = &["worker", "--lease", "2", "--roles", "writer,tools"];

impl Terminal {
    /// A home that knows the person's public key, and has no key of its own yet.
    fn new(fleet: &Fleet, name: &str, words: &'static [&'static str]) -> Self {
        let home = fleet.project.home().with_file_name(name);
        let line = format!(
            "mkdir -p {home}/.config && cp -r ~/.config/signoff {home}/.config/ && cp ~/.gitconfig {home}/ \
             && mkdir {home}/.ssh && cp ~/.ssh/allowed_signers {home}/.ssh/ && sed -i s%$HOME/.ssh/id_ed25519%/nonexistent% {home}/.gitconfig",
            home = home.display()
        );
        fleet
            .project
            .bash(&line, &fleet.project.path())
            .assert_success();
        Self { home, words }
    }

    fn key(&self, fleet: &Fleet) -> String {
        let line = format!("HOME={} signoff worker --key", self.home.display());
        let said = fleet.project.bash(&line, &fleet.project.path());
        said.assert_success().stdout.trim().to_owned()
    }

    /// Whom this machine believes besides itself.
    fn trusts(&self, whom: &str, keys: &[String]) {
        let path = self.home.join(".config/signoff/config.toml");
        let text = std::fs::read_to_string(&path).expect("it was copied");
        let listed = format!("[engine]\n{whom} = {keys:?}\n");
        let text = text.replacen("[engine]\n", &listed, 1);
        std::fs::write(&path, text).expect("the folder is ours");
    }

    fn start(&self, fleet: &Fleet) -> Running {
        let home = self.home.to_string_lossy();
        let mut process = fleet.project.spawn_with(&[("HOME", &home)], self.words);
        let begun = Instant::now();
        while !process.stderr_so_far().contains("its key is") {
            let said = process.stderr_so_far();
            assert!(process.is_running() && begun.elapsed() < PATIENCE, "{said}");
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        process
    }

    fn kill_and_start(&self, fleet: &Fleet, running: Running) -> Running {
        running.kill();
        self.start(fleet)
    }
}

/// Six steps of agents for two roles in two chains, one of them approved; a call, and a check.
fn eight_steps() -> (Script, String) {
    let mut script = Script::new();
    let mut steps = Vec::new();
    for number in 1..=6 {
        let (task, file) = (format!("Make part {number}."), format!("part{number}"));
        let works = Reply::when([task.clone()]).pause_ms(150);
        script = script.reply(works.write(&file, "x\n").say("done"));
        let before = match number {
            1 | 2 => "none".to_owned(),
            _ => (number - 2).to_string(),
        };
        let role = if number % 2 == 0 { "writer" } else { "coder" };
        let body = agent(&task, &file).replace("coder", role);
        let approval = if number == 5 {
            "**approval:** required\n"
        } else {
            ""
        };
        steps.push(format!("**depends_on:** {before}\n{body}{approval}"));
    }
    let args = serde_json::json!({"path": "list", "content": "all\n"});
    steps.push(format!(
        "**depends_on:** 5, 6\n**tool:** write_file\n**tools:** write_file\n**args:**\n```json\n{args}\n```\n"
    ));
    steps.push("**depends_on:** 7\n**contract:**\n```shell\ngrep -q all list\n```\n".to_owned());
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    (script, plan(&steps))
}

#[test]
fn three_terminals_and_a_laptop_complete_a_plan_whatever_is_killed() {
    let (script, text) = eight_steps();
    let Some(fleet) = Fleet::new(&script, &text) else {
        return;
    };
    let drives = Terminal::new(&fleet, "one", DRIVES);
    let workers = [("two", CODES), ("three", WRITES)];
    let [codes, writes] = workers.map(|(name, words)| Terminal::new(&fleet, name, words));
    drives.trusts("workers", &[codes.key(&fleet), writes.key(&fleet)]);
    for worker in [&codes, &writes] {
        worker.trusts("orchestrators", &[drives.key(&fleet)]);
    }
    let [first, second, third] = [&drives, &codes, &writes].map(|terminal| terminal.start(&fleet));
    let run = fleet.hand_over();
    let under_way = "SELECT count(*) > 0 FROM signoff.orders WHERE claim > 0 AND report IS NULL";
    fleet.wait_for_sql(under_way, "t");
    let _second = codes.kill_and_start(&fleet, second);
    let reported = "SELECT count(*) > 3 FROM signoff.orders WHERE report IS NOT NULL";
    fleet.wait_for_sql(reported, "t");
    let _first = drives.kill_and_start(&fleet, first);
    let _third = writes.kill_and_start(&fleet, third);
    fleet.wait_for(&run, "waiting");
    let item = only_item(&fleet.project);
    let id = item["id"].as_str().expect("items have names");
    let answered = fleet.project.signoff(["answer", id, "approve"]);
    answered.assert_success();
    fleet.wait_for(&run, "completed");
    let mut completed: BTreeMap<String, usize> = BTreeMap::new();
    let events = fleet.project.signoff(["log", &run, "--format", "json"]);
    for event in events.assert_success().json_lines() {
        if event["type"] == "step_completed" {
            let step = event["step"].as_str().unwrap_or_default();
            *completed.entry(step.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(completed.len(), 8, "{completed:?}");
    assert!(completed.values().all(|count| *count == 1), "{completed:?}");
    fleet.project.signoff(["land"]).assert_success();
    assert_eq!(fleet.project.read("list"), "all\n");
}
