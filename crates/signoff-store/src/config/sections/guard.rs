//! `[guard]`: the hook in front of coding agents.

use signoff_plan::guard::GuardMode;

use crate::config::listing::ShownValue;
use crate::config::read::Reader;
use crate::config::value::Value;
use crate::config::{Config, Problem, Setting};

/// `[guard]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardSettings {
    /// What becomes of guarded tools and of commands that only people give.
    pub mode: Setting<GuardMode>,
    /// Whether sessions of agents are in plan mode until a person ends it.
    pub plan_mode: Setting<bool>,
    /// Tools that run only in signed plans: `name` or `name_*`. Every layer adds its own.
    pub tools: Setting<Vec<String>>,
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self {
            mode: Setting::built_in(GuardMode::Off),
            plan_mode: Setting::built_in(false),
            tools: Setting::built_in(Vec::new()),
        }
    }
}

impl ShownValue for GuardMode {
    fn shown_value(&self) -> serde_json::Value {
        self.name().into()
    }
}

impl Reader<'_> {
    /// Names of tools, added to those of the layers below.
    pub(in crate::config) fn guarded_tools(
        &mut self,
        value: &Value<'_>,
        below: &[String],
    ) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut tools = below.to_vec();
        for (item, text) in self.texts(value)? {
            if !is_pattern(&text) {
                let message = format!("`{}` is not the name of a tool", text.escape_debug());
                let hint = "write `name`, or `name_*` for all that begin so".to_owned();
                self.problem(item, message, Some(hint));
            } else if !tools.contains(&text) {
                tools.push(text);
            }
        }
        (self.problems.len() == before).then_some(tools)
    }
}

/// Whether it is `name` or `name_*`. A star alone would be every tool, the harmless ones too.
pub(in crate::config) fn is_pattern(text: &str) -> bool {
    let name = text.strip_suffix('*').unwrap_or(text);
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !name.is_empty() && name.chars().all(fits)
}

/// A note about a list that nothing is done with.
pub(in crate::config) fn idle_list(config: &Config) -> Option<Problem> {
    let GuardSettings { mode, tools, .. } = &config.guard;
    let location = tools.location.clone()?;
    let is_idle = mode.value == GuardMode::Off && !tools.value.is_empty();
    is_idle.then(|| Problem {
        location,
        message: "the guarded tools have no effect: `[guard] mode` is `off`".to_owned(),
        suggestion: Some("set it to `log` or `block`".to_owned()),
    })
}
