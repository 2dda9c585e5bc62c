//! The loop and the prompts, with a model that says what a test wrote down.

mod any_reply;
mod drafting;
mod exercise;
mod prompts;
mod providers;
mod typed;

use serde_json::json;
use signoff_llm::{
    Complete, CompleteError, Completion, Memory, PlanningContext, RejectedPlan, ToolDescription,
    Truncation, Usage,
};
use signoff_plan::dialect::Dialect;

/// A model that says what was written down, and keeps what it was asked.
struct Scripted {
    answers: Vec<String>,
    asked: Vec<String>,
    /// Why the first answer is no whole one.
    first_cut: Option<Truncation>,
}

impl Scripted {
    fn new(answers: &[&str]) -> Self {
        Self {
            answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
            asked: Vec::new(),
            first_cut: None,
        }
    }

    /// The same, with a limit that cuts the first answer off.
    fn cut_first(answers: &[&str]) -> Self {
        Self {
            first_cut: Some(Truncation::TokenLimit),
            ..Self::new(answers)
        }
    }
}

impl Complete for Scripted {
    fn complete(&mut self, prompt: &str) -> Result<Completion, CompleteError> {
        self.asked.push(prompt.to_owned());
        let usage = Usage {
            model: Some("scripted".to_owned()),
            tokens: Some(10),
            usd_e6: None,
        };
        if self.answers.is_empty() {
            return Err(CompleteError {
                message: "the model is gone".to_owned(),
                usage,
            });
        }
        Ok(Completion {
            text: self.answers.remove(0),
            cut: self.first_cut.take(),
            usage,
        })
    }
}

/// A context with every part.
fn context(dialect: Dialect) -> PlanningContext {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let memory = |name: &str, text: &str| Memory {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    PlanningContext {
        task: "Make the tests pass".to_owned(),
        dialect,
        files: "Cargo.toml\nsrc/lib.rs\nvendor/ (120 files)\n".to_owned(),
        languages: texts(&["Rust", "Python"]),
        test_commands: texts(&["cargo test"]),
        tools: vec![ToolDescription {
            name: "delete_file".to_owned(),
            description: "Deletes a file".to_owned(),
            asks: true,
            input_schema: json!({"type": "object", "required": ["path"]}),
        }],
        roles: texts(&["coder", "default"]),
        topics: texts(&["style"]),
        constraints: texts(&["No new dependencies"]),
        memories: vec![memory("notes.md", "The parser is slow.\n")],
        existing_code: vec![memory("src/lib.rs", "pub fn parse() {}\n")],
        rejected: vec![RejectedPlan {
            title: "Rewrite it".to_owned(),
            feedback: texts(&["too large"]),
        }],
        answers: Vec::new(),
        open_contracts: None,
        replan: None,
        expansion: None,
        revision: None,
    }
}
