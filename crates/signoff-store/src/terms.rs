//! The terms of a signature: what, besides the plan, decides how it runs.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::config::Config;

/// Name and version of this shape.
pub const SCHEMA: &str = "signoff.terms/1";

/// The terms under which a plan using these roles would run now.
///
/// Only the agents that these roles lead to; a step that names none uses the role `default`. A role
/// that leads nowhere adds nothing, so configuring it later changes the terms.
pub fn terms<'a>(config: &Config, roles: impl Iterator<Item = &'a str>) -> Value {
    let used: BTreeSet<&str> = roles.collect();
    let mut agents = Map::new();
    for role in used {
        if let Some((name, agent)) = config.agent(Some(role)) {
            agents.insert(
                name.to_owned(),
                json!({"driver": agent.driver.name(), "command": agent.command}),
            );
        }
    }
    // A set: the order in which variables are let through decides nothing.
    let env: BTreeSet<&String> = config.sandbox.env.value.iter().collect();
    json!({
        "schema": SCHEMA,
        "agents": agents,
        "contract": {
            "shell": config.contract.shell.value,
            "timeout_s": seconds(config.contract.timeout.value),
            "baseline": config.contract.baseline.value,
        },
        "run": {"step_timeout_s": seconds(config.run.step_timeout.value)},
        "sandbox": {"env": env},
    })
}

fn seconds(duration: Duration) -> Value {
    if duration.subsec_nanos() == 0 {
        return duration.as_secs().into();
    }
    duration.as_secs_f64().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Agent, Driver, Origin, Setting};

    fn agent(program: &str) -> Setting<Agent> {
        Setting {
            value: Agent {
                driver: Driver::Command,
                command: vec![program.to_owned(), "{task}".to_owned()],
            },
            origin: Origin::User,
        }
    }

    #[test]
    fn only_the_agents_that_the_plan_uses() {
        let mut config = Config::default();
        config.agents.insert("default".to_owned(), agent("anyone"));
        config.agents.insert("tester".to_owned(), agent("tester"));
        config.agents.insert("unused".to_owned(), agent("unused"));
        let value = terms(&config, ["coder", "tester", "coder"].into_iter());
        let expected = json!({
            "schema": "signoff.terms/1",
            "agents": {
                "default": {"driver": "command", "command": ["anyone", "{task}"]},
                "tester": {"driver": "command", "command": ["tester", "{task}"]},
            },
            "contract": {"shell": "bash", "timeout_s": 600, "baseline": true},
            "run": {"step_timeout_s": 600},
            "sandbox": {"env": ["HOME", "LANG", "PATH", "TERM"]},
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn parts_of_a_second_count() {
        assert_eq!(seconds(Duration::from_millis(1500)), json!(1.5));
        assert_eq!(seconds(Duration::from_secs(2)), json!(2));
    }
}
