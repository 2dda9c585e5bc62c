//! Contracts for steps that lack them, proposed by the planner. It names commands; they are put into the plan's text
//! here, so that whatever else the plan says stays, byte for byte.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use signoff_llm::{Objection, OpenContracts, PromptName, Usage};
use signoff_plan::check::{Checked, check};
use signoff_plan::diagnostic::{Code, Severity};
use signoff_plan::dialect::parse_as;
use signoff_plan::edit::{Edit, apply_to};
use signoff_plan::model::{Plan, Work};
use signoff_plan::source::Source;

use super::model::Model;
use super::{DraftOptions, ask_model, planning_context, prompts, request_of};
use crate::clock::Clock;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::Project;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Proposal {
    /// One for each step that lacks a contract.
    contracts: Vec<ProposedContract>,
}

/// What the planner proposes for a step.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedContract {
    /// Id of the step.
    pub step: String,
    /// The command, or null if none can show that the work is done.
    pub command: Option<String>,
    /// Conditions besides the exit code 0.
    #[serde(default)]
    pub expect: Vec<String>,
    /// Files that the step may not change.
    #[serde(default)]
    pub protects: Vec<String>,
    /// How the command shows it, or why none does.
    pub why: String,
}

impl ProposedContract {
    fn edits(&self) -> Vec<Edit> {
        let Some(command) = &self.command else {
            return Vec::new();
        };
        let lists = [
            ("contract.expect", &self.expect),
            ("protects", &self.protects),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(field, list)| (field, Value::from(list.clone())));
        let command = ("contract.command", Value::from(command.as_str()));
        let fields = std::iter::once(command).chain(lists);
        fields
            .map(|(field, value)| Edit::SetStep {
                step: self.step.clone(),
                field: field.to_owned(),
                value,
            })
            .collect()
    }
}

/// The result of asking for contracts.
#[derive(Debug, Clone)]
pub struct ContractsReport {
    /// The plan with the contracts.
    pub source: Source,
    /// What was proposed, in the order of the answer.
    pub proposed: Vec<ProposedContract>,
    /// How often the planner was asked.
    pub rounds: u32,
    /// What it used.
    pub usage: Usage,
}

/// Ids of the agent steps that have no contract, and that no other step has.
pub fn steps_without_contract(plan: &Plan) -> Vec<String> {
    let is_open = |work: &Work| matches!(work, Work::Agent { .. });
    let ids = |id: &str| plan.steps.iter().filter(|step| step.id == id).count();
    let open = plan.steps.iter();
    let open = open.filter(|step| step.contract.is_none() && is_open(&step.work));
    open.filter(|step| ids(&step.id) == 1)
        .map(|step| step.id.clone())
        .collect()
}

/// Asks the planner for the contracts that a plan lacks. Nothing else in the plan changes. `review` may object to a
/// plan that passes the checks.
pub fn propose_contracts(
    project: &Project,
    model: &mut Model<'_>,
    plan: &PlanFile,
    clock: &dyn Clock,
    review: &mut dyn FnMut(&Plan) -> Vec<Objection>,
) -> Result<ContractsReport, Error> {
    let known = &plan.checked.plan;
    let steps = steps_without_contract(known);
    let options = DraftOptions {
        task: request_of(known),
        dialect: plan.checked.dialect,
        memories: Vec::new(),
        existing_code: Vec::new(),
        constraints: known.constraints.clone(),
    };
    let mut told = planning_context(project, &options, clock)?;
    told.open_contracts = Some(OpenContracts {
        plan: plan.source.text().to_owned(),
        steps: steps.clone(),
    });
    let question = prompts(project)?.question_prompt(PromptName::Contracts, &told)?;
    let mut check = |proposal: &Proposal| {
        let mut problems = misnamed_steps(&proposal.contracts, &steps);
        if problems.is_empty() {
            problems = match with_contracts(project, plan, &proposal.contracts) {
                Ok((_, checked)) => new_problems(&plan.checked, &checked, review),
                Err(why) => vec![why],
            };
        }
        problems
    };
    let reply = ask_model(project, model, &question, &mut check)?;
    let proposed = reply.value.contracts;
    let (source, _) =
        with_contracts(project, plan, &proposed).map_err(|why| Error::Unwritable { why })?;
    Ok(ContractsReport {
        source,
        proposed,
        rounds: reply.rounds,
        usage: reply.usage,
    })
}

/// Steps that are not asked about, twice, or not at all.
fn misnamed_steps(proposed: &[ProposedContract], steps: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, one) in proposed.iter().enumerate() {
        let step = &one.step;
        if !steps.contains(step) {
            problems.push(format!(
                "`contracts[{index}].step`: `{step}` lacks no contract"
            ));
        } else if !seen.insert(step.as_str()) {
            problems.push(format!(
                "`contracts[{index}].step`: `{step}` is there twice"
            ));
        }
        if one
            .command
            .as_ref()
            .is_some_and(|text| text.trim().is_empty())
        {
            problems.push(format!(
                "`contracts[{index}].command` is empty; `null` leaves the step open"
            ));
        }
        if one.why.trim().is_empty() {
            problems.push(format!("`contracts[{index}].why` says nothing"));
        }
    }
    let missing = steps.iter().filter(|step| !seen.contains(step.as_str()));
    problems.extend(missing.map(|step| format!("step `{step}` is missing")));
    problems
}

/// The plan's text with these contracts, and what the checks make of it; or which of them has no place in it.
fn with_contracts(
    project: &Project,
    plan: &PlanFile,
    proposed: &[ProposedContract],
) -> Result<(Source, Checked), String> {
    let mut source = plan.source.clone();
    for one in proposed {
        source = apply_to(&source, &one.edits())
            .map_err(|why| format!("the contract of step `{}` has no place: {why}", one.step))?;
    }
    let draft = parse_as(&source, plan.checked.dialect);
    let checked = check(&draft, &project.workspace()).strict();
    Ok((source, checked))
}

/// The problems that the contracts caused; other problems of the plan are not the planner's.
fn new_problems(
    before: &Checked,
    after: &Checked,
    review: &mut dyn FnMut(&Plan) -> Vec<Objection>,
) -> Vec<String> {
    let old: BTreeSet<(Code, &str)> = (before.diagnostics.iter())
        .map(|one| (one.code, one.message.as_str()))
        .collect();
    let is_wrong = |severity: Severity, code: Code| {
        severity == Severity::Error || code == Code::ContractVacuous
    };
    let new = after.diagnostics.iter().filter(|one| {
        is_wrong(one.severity, one.code) && !old.contains(&(one.code, one.message.as_str()))
    });
    let problems: Vec<String> = new
        .map(|one| match &one.help {
            Some(help) => format!("[{}] {} ({help})", one.code, one.message),
            None => format!("[{}] {}", one.code, one.message),
        })
        .collect();
    if !problems.is_empty() {
        return problems;
    }
    let objections = review(&after.plan).into_iter();
    let blocking = objections.filter(|one| one.is_blocking);
    blocking.map(|one| one.message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(step: &str, command: Option<&str>) -> ProposedContract {
        ProposedContract {
            step: step.to_owned(),
            command: command.map(str::to_owned),
            expect: Vec::new(),
            protects: Vec::new(),
            why: "it shows".to_owned(),
        }
    }

    #[test]
    fn every_open_step_is_answered_once_and_no_other() {
        let steps = ["a", "b"].map(str::to_owned);
        let check = |answers: &[(&str, Option<&str>)], expected: &[&str]| {
            let answers: Vec<_> = (answers.iter())
                .map(|(step, command)| proposed(step, *command))
                .collect();
            assert_eq!(misnamed_steps(&answers, &steps), expected);
        };
        check(&[("b", Some("x")), ("a", None)], &[]);
        check(
            &[("a", Some("x")), ("a", Some("y")), ("c", Some("z"))],
            &[
                "`contracts[1].step`: `a` is there twice",
                "`contracts[2].step`: `c` lacks no contract",
                "step `b` is missing",
            ],
        );
        check(
            &[("a", Some(" ")), ("b", None)],
            &["`contracts[0].command` is empty; `null` leaves the step open"],
        );
    }
}
