//! `cargo xtask guard-table`: what becomes of calls with a hook in front of real agents, into `docs/guard.md`.

use std::fs;

use serde_json::Value;

use crate::generate::build_program;
use crate::invocation::{Invocation, root};
use crate::{Command, agent_clis};

pub(crate) const COMMAND: Command = Command {
    name: "guard-table",
    summary: "Make calls through five real agents with the guard in front, and write the table of docs/guard.md",
    flag: Some(("--check", "change nothing; only fail if a denied call was made")),
    details: "\
Installs the agents where they are missing (1.3 GB) and runs `signoff doctor guard --answers` with them: each agent makes one call
in each situation, with a model on loopback. Takes some minutes.",
    run,
};

const FILE: &str = "docs/guard.md";
const OPEN: &str = "<!-- guard:table -->\n";
const CLOSE: &str = "<!-- /guard -->";

fn run(check_only: bool) -> Result<(), String> {
    let agents = agent_clis::install(agent_clis::Selection::All)?;
    let path = std::env::var("PATH").unwrap_or_default();
    let arguments = ["doctor", "guard", "--answers", "--format", "json"];
    let doctor = Invocation::new(build_program("signoff")?, arguments)
        .env("PATH", format!("{}:{path}", agents.display()));
    let printed = doctor.stdout()?;
    let report: Value = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
    let probes = report["guard"]
        .as_array()
        .ok_or("no report about the guard")?;
    let table = table(probes);
    println!("{table}");
    if check_only {
        return Ok(());
    }
    let file = root().join(FILE);
    let text = fs::read_to_string(&file).map_err(|error| format!("{FILE}: {error}"))?;
    let missing = || format!("{FILE}: the markers of the table are missing");
    let (before, rest) = text.split_once(OPEN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(CLOSE).ok_or_else(missing)?;
    let text = format!("{before}{OPEN}{table}{CLOSE}{after}");
    fs::write(&file, text).map_err(|error| format!("{FILE}: {error}"))
}

/// One line for each situation, one column for each agent; first what the guard does.
fn table(probes: &[Value]) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let mut situations: Vec<(bool, String)> = Vec::new();
    for canary in probes.iter().flat_map(canaries) {
        let row = (canary["ours"] != true, text(&canary["situation"]));
        if !situations.contains(&row) {
            situations.push(row);
        }
    }
    situations.sort_by_key(|(others, _)| *others);
    let titles = probes
        .iter()
        .map(|probe| format!(" {} {} |", text(&probe["name"]), text(&probe["version"])));
    let mut table = format!("| situation |{}\n", titles.collect::<String>());
    table += &["|---|", &"---|".repeat(probes.len()), "\n"].concat();
    for (others, situation) in situations {
        let cells = probes.iter().map(|probe| {
            let mut found = canaries(probe);
            let found = found.find(|canary| canary["situation"] == situation.as_str());
            match found.map(|canary| &canary["ran"]) {
                Some(Value::Bool(true)) => " made |",
                Some(Value::Bool(false)) => " not made |",
                Some(_) => " ? |",
                None => " – |",
            }
        });
        let cells: String = cells.collect();
        let shown = if others {
            format!("*{situation}*")
        } else {
            situation.clone()
        };
        table += &["| ", &shown, " |", &cells, "\n"].concat();
    }
    table
}

fn canaries(probe: &Value) -> impl Iterator<Item = &Value> {
    probe["canaries"].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_guard_does_comes_first() {
        let canary = |situation: &str, ours: bool, ran: Value| json!({"situation": situation, "ours": ours, "ran": ran});
        let probes = [
            json!({"name": "a", "version": "1.0", "canaries": [canary("ask", false, json!(true)), canary("denied", true, json!(false))]}),
            json!({"name": "b", "version": null, "canaries": [canary("denied", true, Value::Null)]}),
        ];
        assert_eq!(
            table(&probes),
            "| situation | a 1.0 | b ? |\n|---|---|---|\n| denied | not made | ? |\n| *ask* | made | – |\n"
        );
    }
}
