//! `[approval] auto`: plans that need no person, by conditions that must all hold.

use signoff_plan::dialect::Dialect;
use signoff_plan::glob;
use signoff_plan::model::{Plan, Step, Work};
use signoff_plan::tools::allows;
use toml::de::DeValue;

use crate::config::read::Reader;
use crate::config::value::Value;

/// Conditions on a plan. A condition that is not given always holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    /// The plan's owner is exactly this. The plan's writer says who that is.
    pub owner: Option<String>,
    /// The plan is written in this dialect.
    pub dialect: Option<String>,
    /// The plan's title fits this pattern, in which `*` stands for any text.
    pub title: Option<String>,
    /// Whatever the plan can call is among these tools.
    pub tools: Option<Vec<String>>,
}

const CONDITIONS: [&str; 4] = ["owner", "dialect", "title", "tools"];

/// What running a contract amounts to: it is shell text.
const SHELL: &str = "run_command";

impl Policy {
    /// Whether every condition holds for this plan.
    pub fn covers(&self, dialect: Dialect, plan: &Plan) -> bool {
        let title = plan.title.as_deref().unwrap_or_default();
        self.owner
            .as_ref()
            .is_none_or(|owner| plan.owner.as_ref() == Some(owner))
            && self
                .dialect
                .as_ref()
                .is_none_or(|wanted| wanted == dialect.as_str())
            && self
                .title
                .as_ref()
                .is_none_or(|pattern| matches_title(pattern, title))
            && self.tools.as_ref().is_none_or(|tools| {
                plan.steps
                    .iter()
                    .all(|step| stays_within(tools, plan, step))
            })
    }

    /// Whether it covers nothing that the other does not.
    pub(in crate::config) fn is_within(&self, other: &Self) -> bool {
        let same =
            |mine: &Option<String>, theirs: &Option<String>| theirs.is_none() || mine == theirs;
        let fewer_tools = match (&self.tools, &other.tools) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(mine), Some(theirs)) => mine.iter().all(|tool| theirs.contains(tool)),
        };
        same(&self.owner, &other.owner)
            && same(&self.dialect, &other.dialect)
            && same(&self.title, &other.title)
            && fewer_tools
    }
}

/// Whether a step can call nothing but these tools. An agent without a scope can call everything,
/// and a contract is a shell command.
fn stays_within(tools: &[String], plan: &Plan, step: &Step) -> bool {
    let allowed = |tool: &str| allows(tools, tool).is_some();
    let work = match &step.work {
        Work::Tool { tool, .. } => allowed(tool),
        Work::Agent { .. } => step
            .tools
            .as_ref()
            .or(plan.tools.as_ref())
            .is_some_and(|scope| {
                scope
                    .iter()
                    .all(|tool| tools.contains(tool) || allowed(tool))
            }),
        Work::Ask { .. } | Work::Check => true,
    };
    work && (step.contract.is_none() || allowed(SHELL))
}

/// `*` stands for any text, slashes included.
fn matches_title(pattern: &str, title: &str) -> bool {
    let plain = |text: &str| text.replace('/', "\u{1}");
    glob::matches(&plain(pattern), &plain(title))
}

impl Reader<'_> {
    /// A list of policies.
    pub(in crate::config) fn policies(&mut self, value: &Value<'_>) -> Option<Vec<Policy>> {
        let DeValue::Array(items) = value.get_ref() else {
            return self.wrong_type(value, "a list of policies", value.get_ref());
        };
        let before = self.problems.len();
        let policies: Vec<_> = items.iter().filter_map(|item| self.policy(item)).collect();
        (self.problems.len() == before).then_some(policies)
    }

    fn policy(&mut self, value: &Value<'_>) -> Option<Policy> {
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            let expected = "a policy like `{ owner = \"bot\" }`";
            return self.wrong_type(value, expected, value.get_ref());
        }
        let mut policy = Policy::default();
        let entries = self.entries("approval.auto", value, &CONDITIONS);
        if entries.is_empty() {
            let message = "a policy without a condition would sign everything".to_owned();
            let hint = "give it one, or write `required = false` if you mean that".to_owned();
            self.problem(value, message, Some(hint));
        }
        for (key, value) in entries {
            match key {
                "owner" => policy.owner = Some(self.text(value)?),
                "dialect" => policy.dialect = Some(self.dialect(value)?),
                "title" => policy.title = Some(self.text(value)?),
                _ => policy.tools = Some(self.tools(value)?),
            }
        }
        Some(policy)
    }

    fn dialect(&mut self, value: &Value<'_>) -> Option<String> {
        let names: Vec<_> = Dialect::ALL.iter().map(|one| one.as_str()).collect();
        let choices: Vec<_> = names.iter().map(|name| (*name, *name)).collect();
        self.choice(value, &choices).map(str::to_owned)
    }

    fn tools(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let texts = self.texts(value)?;
        Some(texts.into_iter().map(|(_, text)| text).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use signoff_plan::check::check;
    use signoff_plan::dialect::parse;
    use signoff_plan::source::Source;

    use super::*;
    use crate::config::Config;
    use crate::disk_workspace::DiskWorkspace;

    const TOOL: &str = r#"{"id": "t", "tool": "read_file", "args": {"path": "a"}, "description": "Read", "requiresApproval": false"#;

    /// A plan of one tool step with this at its end.
    fn plan(rest: &str) -> (Dialect, Plan) {
        let text = format!(r#"{{"id": "p", "title": "Nightly: a/b", "steps": [{TOOL}{rest}}}]}}"#);
        let draft = parse(&Source::new("plan.json", text.into_bytes()));
        let workspace = DiskWorkspace::new(Path::new("/"), OsStr::new(""), &Config::default());
        let checked = check(&draft, &workspace);
        let mut plan = Plan::clone(&checked.plan);
        assert_eq!(plan.steps.len(), 1);
        plan.owner = Some("bot".to_owned());
        (checked.dialect, plan)
    }

    fn policy(text: &str) -> Policy {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, format!("approval.auto = [{text}]")).unwrap();
        let layers = crate::config::Layers {
            user: Some(path),
            ..Default::default()
        };
        Config::load(&layers).unwrap().approval.auto.value.remove(0)
    }

    #[track_caller]
    fn covers(text: &str, (dialect, plan): &(Dialect, Plan), expected: bool) {
        assert_eq!(policy(text).covers(*dialect, plan), expected, "{text}");
    }

    #[test]
    fn every_condition_must_hold() {
        let plan = plan("");
        covers("{ owner = 'bot' }", &plan, true);
        covers("{ owner = 'bo' }", &plan, false);
        covers("{ dialect = 'toolplan' }", &plan, true);
        covers("{ dialect = 'thread', owner = 'bot' }", &plan, false);
        covers("{ title = 'Nightly: *' }", &plan, true);
        covers("{ title = 'Nightly' }", &plan, false);
        covers("{ tools = ['read_file', 'write_file'] }", &plan, true);
        covers("{ tools = ['read_*'] }", &plan, true);
        covers("{ tools = ['write_file'] }", &plan, false);
        covers("{ tools = [] }", &plan, false);
    }

    #[test]
    fn a_contract_is_a_shell_command() {
        let plan = plan(r#", "contract": {"command": "rm -rf x"}"#);
        assert!(plan.1.steps[0].contract.is_some());
        covers("{ tools = ['read_file'] }", &plan, false);
        covers("{ tools = ['read_file', 'run_command'] }", &plan, true);
    }

    #[test]
    fn an_agent_without_a_scope_can_do_everything() {
        let (dialect, mut plan) = plan("");
        plan.steps[0].work = Work::Agent {
            role: None,
            task: "x".to_owned(),
        };
        let reads = "{ tools = ['read_file'] }";
        plan.tools = None;
        covers(reads, &(dialect, plan.clone()), false);
        plan.tools = Some(vec!["read_file".to_owned()]);
        covers(reads, &(dialect, plan.clone()), true);
        plan.steps[0].tools = Some(vec!["http_request".to_owned()]);
        covers(reads, &(dialect, plan), false);
    }

    #[test]
    fn narrower_is_within() {
        let within = |narrow: &str, wide: &str| policy(narrow).is_within(&policy(wide));
        assert!(within("{ owner = 'a', title = 'x' }", "{ owner = 'a' }"));
        assert!(within("{ tools = ['a'] }", "{ tools = ['a', 'b'] }"));
        assert!(!within("{ owner = 'a' }", "{ owner = 'a', title = 'x' }"));
        assert!(!within("{ owner = 'b' }", "{ owner = 'a' }"));
        assert!(!within("{ tools = ['a', 'b'] }", "{ tools = ['a'] }"));
        assert!(!within("{ owner = 'a' }", "{ tools = ['a'] }"));
    }
}
