//! Failures of drafting a plan.

use signoff_runtime::error::PlanningError;

use super::Failure;
use crate::style::sanitize;

impl From<PlanningError> for Failure {
    fn from(error: PlanningError) -> Self {
        let message = sanitize(&error.to_string());
        let failure = |exit: u8, code: &'static str| Self::new(exit, code, message);
        match error {
            PlanningError::EmptyTask => failure(2, "empty-task")
                .hint("say what is to be done: `signoff plan \"make the tests pass\"`"),
            PlanningError::LongTask { .. } => failure(2, "long-task")
                .hint("say it shorter, and show what belongs to it with `--memory FILE`"),
            PlanningError::NoAgent { role, known } => {
                failure(6, "no-agent").hint(how_to_have_agent(&role, &known))
            }
            PlanningError::NoModel { .. } => {
                failure(6, "no-model").hint("add `model = \"…\"` to `[llm]`")
            }
            PlanningError::NoKey { variable, .. } => failure(6, "no-key").hint(format!(
                "set {variable}, or `key_command` in `[llm]` of your own configuration"
            )),
            PlanningError::KeyCommand { .. } => failure(6, "key-command"),
            PlanningError::NoPlannerFor { .. } => {
                failure(6, "no-planner").hint("edit the plan, then type `signoff revise`")
            }
            PlanningError::NothingSaid => {
                failure(2, "nothing-said").hint("say it: `--feedback TEXT`, or `signoff comment`")
            }
            PlanningError::NothingToExpand => failure(5, "nothing-to-expand")
                .hint("such a step has a heading like `### 3–N. Migrate a batch`"),
            PlanningError::NotProduced { files } => {
                let mut failure = failure(5, "not-produced");
                failure.details.extend(files);
                failure.hint("sign the plan and run it: the run stops where they are needed")
            }
            PlanningError::UnderWay => failure(5, "planner-busy").hint("wait until it is done"),
            PlanningError::NotStarted { .. } => failure(6, "not-started"),
            PlanningError::ChangedMeanwhile => {
                failure(5, "changed").hint("give the command again")
            }
            PlanningError::NoSuchPlanning { .. } => failure(2, "no-such-planning").hint(
                "`signoff plan \"TASK\" --interview` says the name; once its plan is drafted it is gone",
            ),
            PlanningError::Prompt(error) => {
                let path = format!(".signoff/prompts/{}", error.file);
                failure(6, "prompt").hint(format!(
                    "correct {path}, or remove it: the built-in one is used then"
                ))
            }
            PlanningError::NoAnswer { .. } => failure(6, "no-answer"),
            PlanningError::Stopped => {
                failure(130, "stopped").hint("nothing was written; give the command again")
            }
        }
    }
}

/// The role that plans where nobody names another one.
const PLANNER: &str = "planner";

fn how_to_have_agent(role: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "`signoff init` writes the agents that are installed here".to_owned();
    }
    let roles: Vec<String> = known.iter().map(|role| format!("`{role}`")).collect();
    let roles = roles.join(", ");
    if role == PLANNER {
        return format!(
            "configure a role `{PLANNER}`, `[llm] agent` or `[llm] provider`; `signoff plan` also takes `--agent ROLE`, one of {roles}"
        );
    }
    format!("`--agent ROLE` takes one of {roles}")
}
