//! Failures of drafting a plan.

use signoff_runtime::error::PlanningError;

use super::Failure;

impl From<PlanningError> for Failure {
    fn from(error: PlanningError) -> Self {
        match error {
            PlanningError::EmptyTask => Self::new(2, "empty-task", "the task is empty")
                .hint("say what is to be done: `signoff plan \"make the tests pass\"`"),
            PlanningError::NoAgent { role, known } => no_agent(&role, &known),
            PlanningError::NoModel { provider } => Self::new(
                6,
                "no-model",
                format!(
                    "`[llm] provider` is `{provider}`, and `[llm] model` names none of its models"
                ),
            )
            .hint("add `model = \"…\"` to `[llm]`"),
            PlanningError::NoKey { provider, variable } => {
                Self::new(6, "no-key", format!("the key of `{provider}` is not known")).hint(
                    format!(
                        "set {variable}, or `key_command` in `[llm]` of your own configuration"
                    ),
                )
            }
            PlanningError::KeyCommand { why } => Self::new(
                6,
                "key-command",
                format!("`[llm] key_command` gave no key: {why}"),
            ),
            PlanningError::NoPlannerFor { dialect } => Self::new(
                6,
                "no-planner",
                format!("planners do not write the dialect `{dialect}`"),
            )
            .hint("edit the plan, then type `signoff revise`"),
            PlanningError::NothingSaid => {
                Self::new(2, "nothing-said", "nobody has said what is to be changed")
                    .hint("say it: `--feedback TEXT`, or `signoff comment`")
            }
            PlanningError::ChangedMeanwhile => Self::new(
                5,
                "changed",
                "the plan was changed while the planner wrote; nothing was written",
            )
            .hint("give the command again"),
            PlanningError::Prompt(error) => {
                let path = format!(".signoff/prompts/{}", error.file);
                Self::new(6, "prompt", error.to_string()).hint(format!(
                    "correct {path}, or remove it: the built-in one is used then"
                ))
            }
            PlanningError::NoAnswer { why, .. } => Self::new(6, "no-answer", why),
            PlanningError::Stopped => Self::new(130, "stopped", "the planner was stopped")
                .hint("nothing was written; give the command again"),
        }
    }
}

fn no_agent(role: &str, known: &[String]) -> Failure {
    let failure = Failure::new(
        6,
        "no-agent",
        format!("no agent is configured for the role `{role}`"),
    );
    match known {
        [] => failure.hint("`signoff init` writes the agents that are installed here"),
        known => {
            let roles: Vec<String> = known.iter().map(|role| format!("`{role}`")).collect();
            failure.hint(format!("`--agent ROLE` takes one of {}", roles.join(", ")))
        }
    }
}
