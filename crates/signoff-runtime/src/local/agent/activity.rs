//! What an agent at work has reported so far, collected from the events of its stream.

use signoff_api::progress::{AgentProgress, Todo, TodoState};
use signoff_engine::{LiveUsage, ModelUsage, PricedBy, TokenUsage};
use signoff_work::agent::{self, AgentEvent, PricedUsage, Prices, Spending};

use crate::runs::todo_entry;

/// How much of a sentence or an argument is shown.
const SHOWN: usize = 120;

/// What one agent has reported so far.
#[derive(Debug)]
pub(super) struct AgentActivity {
    driver: &'static str,
    prices: Prices,
    doing: String,
    todo: Vec<Todo>,
    model: Option<String>,
    session: Option<String>,
    version: Option<String>,
    denied: Vec<String>,
    spending: Spending,
}

impl AgentActivity {
    pub(super) fn new(driver: &'static str, prices: Prices) -> Self {
        Self {
            driver,
            prices,
            doing: "starting".to_owned(),
            todo: Vec::new(),
            model: None,
            session: None,
            version: None,
            denied: Vec::new(),
            spending: Spending::default(),
        }
    }

    /// Takes in one event of the agent's stream.
    pub(super) fn note(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Session { id } => self.session = Some(id),
            AgentEvent::Model { name } => self.model = Some(name),
            AgentEvent::Version { text } => self.version = Some(text),
            AgentEvent::Said { text } => {
                if let Some(line) = text.lines().find(|line| !line.trim().is_empty()) {
                    self.doing = format!("says: {}", shorten(line));
                }
            }
            AgentEvent::ToolStarted { tool, about, .. } => self.doing = action_text(&tool, &about),
            AgentEvent::ToolEnded { .. } => "thinking".clone_into(&mut self.doing),
            AgentEvent::FileChanged { path } => self.doing = format!("editing {}", shorten(&path)),
            AgentEvent::Todo { entries } => {
                self.todo = entries.into_iter().map(todo_entry).collect();
            }
            AgentEvent::Usage(usage) => self.add_usage(usage),
            AgentEvent::Denied { tool, .. } => {
                self.doing = format!("was denied {}", shorten(&tool));
                if !self.denied.contains(&tool) {
                    self.denied.push(tool);
                }
            }
            AgentEvent::Problem { message } => {
                self.doing = format!("has trouble: {}", shorten(&message));
            }
        }
    }

    /// It waits for a person's answer.
    pub(super) fn note_question(&mut self, what: &str) {
        self.doing = format!("asks: {}", shorten(what));
    }

    fn add_usage(&mut self, mut used: agent::ModelUsage) {
        used.model = used.model.or_else(|| self.model.clone());
        self.spending.add(&used);
    }

    fn usage(&self) -> Vec<ModelUsage> {
        let models = self.spending.by_model(&self.prices);
        models.into_iter().map(model_usage).collect()
    }

    /// What counts against a budget.
    pub(super) fn live_usage(&self) -> LiveUsage {
        let mut sum = TokenUsage::default();
        for usage in self.usage() {
            sum.add(TokenUsage::of_model(&usage));
        }
        LiveUsage {
            tokens: sum.tokens(),
            usd_e6: sum.has_known_cost.then_some(sum.usd_e6),
        }
    }

    /// The share of its to-dos that are done.
    fn progress(&self) -> Option<u8> {
        let done = self
            .todo
            .iter()
            .filter(|todo| todo.state == TodoState::Done);
        let share = (done.count() * 100).checked_div(self.todo.len())?;
        u8::try_from(share).ok()
    }

    /// As other processes read it.
    pub(super) fn snapshot(&self, at: String) -> AgentProgress {
        AgentProgress {
            at,
            driver: self.driver.to_owned(),
            doing: self.doing.clone(),
            progress: self.progress(),
            todo: self.todo.clone(),
            model: self.model.clone(),
            session: self.session.clone(),
            version: self.version.clone(),
            denied: self.denied.clone(),
            usage: self.usage(),
        }
    }
}

/// As it is journaled.
fn model_usage(priced: PricedUsage) -> ModelUsage {
    let PricedUsage { usage, is_by_table } = priced;
    let priced_by = if is_by_table {
        PricedBy::Table
    } else {
        PricedBy::Agent
    };
    ModelUsage {
        model: usage.model,
        input_tokens: usage.input,
        cached_tokens: usage.cached,
        cache_write_tokens: usage.cache_write,
        output_tokens: usage.output,
        usd_e6: usage.usd_e6,
        priced_by: usage.usd_e6.map(|_| priced_by),
    }
}

/// What an agent does with a tool, in a few words. Agents name their tools differently.
fn action_text(tool: &str, about: &str) -> String {
    let about = shorten(about);
    let name = tool.to_ascii_lowercase();
    let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let verb = if is(&["todo", "plan"]) {
        return "planning".to_owned();
    } else if is(&["edit", "write", "patch", "replace", "file_change"]) {
        "editing"
    } else if is(&["bash", "shell", "exec", "command", "terminal"]) {
        "running"
    } else if is(&["grep", "glob", "search", "find", "list", "ls"]) {
        "searching"
    } else if is(&["read", "view", "cat"]) {
        "reading"
    } else if is(&["fetch", "web", "http"]) {
        "fetching"
    } else {
        return format!("using {} {about}", shorten(tool))
            .trim_end()
            .to_owned();
    };
    if about.is_empty() {
        format!("{verb} ({})", shorten(tool))
    } else {
        format!("{verb} {about}")
    }
}

/// The first line of a text, as far as it is shown.
fn shorten(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or("");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use signoff_work::agent::TodoEntry;

    use super::*;

    fn activity() -> AgentActivity {
        AgentActivity::new("claude", Prices::built_in())
    }

    fn used(model: &str, output: u64, usd_e6: Option<u64>) -> AgentEvent {
        AgentEvent::Usage(agent::ModelUsage {
            model: Some(model.to_owned()),
            output,
            usd_e6,
            ..agent::ModelUsage::default()
        })
    }

    #[test]
    fn it_says_what_the_agent_does() {
        for (tool, about, expected) in [
            ("Edit", "src/parse.rs", "editing src/parse.rs"),
            ("run_shell_command", "cargo test\nls", "running cargo test"),
            ("Read", "a.rs", "reading a.rs"),
            ("Grep", "fn main", "searching fn main"),
            ("TodoWrite", "", "planning"),
            ("write_file", "", "editing (write_file)"),
            ("mcp__github__issue", "#3", "using mcp__github__issue #3"),
        ] {
            assert_eq!(action_text(tool, about), expected);
        }
    }

    #[test]
    fn a_cost_that_the_agent_says_covers_what_came_before() {
        let mut activity = activity();
        activity.note(used("no-such-model", 10, None));
        assert_eq!(activity.usage()[0].usd_e6, None);
        activity.note(used("no-such-model", 5, Some(750)));
        let usage = &activity.usage()[0];
        assert_eq!((usage.output_tokens, usage.usd_e6), (15, Some(750)));
        assert_eq!(usage.priced_by, Some(PricedBy::Agent));
        activity.note(used("no-such-model", 1, None));
        let usage = &activity.usage()[0];
        assert_eq!((usage.usd_e6, usage.priced_by), (None, None));
    }

    #[test]
    fn models_are_counted_apart_and_one_without_a_name_is_the_agents() {
        let mut activity = activity();
        activity.note(AgentEvent::Model {
            name: "a".to_owned(),
        });
        activity.note(used("b", 1, Some(1)));
        let usage = agent::ModelUsage {
            output: 2,
            ..agent::ModelUsage::default()
        };
        activity.note(AgentEvent::Usage(usage));
        let counted: Vec<_> = activity
            .usage()
            .into_iter()
            .map(|usage| (usage.model, usage.output_tokens))
            .collect();
        assert_eq!(
            counted,
            [(Some("b".to_owned()), 1), (Some("a".to_owned()), 2)]
        );
    }

    #[test]
    fn progress_is_the_share_of_to_dos_that_are_done() {
        let mut activity = activity();
        assert_eq!(activity.progress(), None);
        let entry = |state| TodoEntry {
            text: "x".to_owned(),
            state,
        };
        activity.note(AgentEvent::Todo {
            entries: vec![
                entry(agent::TodoState::Done),
                entry(agent::TodoState::InProgress),
                entry(agent::TodoState::Pending),
            ],
        });
        assert_eq!(activity.progress(), Some(33));
    }
}
