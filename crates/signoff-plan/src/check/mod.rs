//! Finds every problem of a plan in one pass, and resolves it.
//!
//! One module per code: its documentation is the page users see, and its wording and tests stand
//! together. Problems that a dialect meets while reading are worded here too.

pub mod agents_one_by_one;
pub mod bad_condition;
pub mod bad_expect;
pub mod bad_filename;
pub mod bad_id;
pub mod bad_loop;
pub mod bad_on_fail;
pub mod bad_reference;
pub mod bad_value;
pub mod budget_invalid;
pub mod budget_missing;
pub mod budget_unrealistic;
pub mod confusable_characters;
pub mod contract_command_missing;
pub mod contract_command_shadowed;
pub mod contract_runs_task_file;
pub mod contract_script_unknown;
pub mod contract_syntax;
pub mod contract_vacuous;
pub mod dependency_cycle;
pub mod duplicate_id;
pub mod duplicate_index;
pub mod empty_task;
pub mod frontmatter_invalid;
pub mod frontmatter_missing;
pub mod hidden_characters;
pub mod invalid_args;
pub mod mark_ignored;
pub mod missing_artifact;
pub mod missing_contract;
pub mod missing_field;
pub mod missing_file;
pub mod missing_title;
pub mod missing_tool;
pub mod missing_topic;
pub mod no_steps;
pub mod not_utf8;
pub mod order_error;
pub mod path_outside_workspace;
pub mod protects_nothing;
pub mod template_injection;
pub mod too_large;
pub mod tool_out_of_scope;
pub mod unexpanded_step;
pub mod unknown_agent;
pub mod unknown_dependency;
pub mod unknown_field;
pub mod unknown_param;
pub mod unknown_reference;
pub mod unknown_status;
pub mod unknown_tool;
pub mod unreachable_step;
pub mod unterminated_fence;
pub mod untrusted_condition;
pub mod write_overlap;

mod availability;
mod context;
mod glob_overlap;
mod misspelling;
mod plan_references;
mod positions;
pub(crate) mod resolve;
#[cfg(test)]
mod testing;
mod text_arguments;
#[cfg(test)]
mod typos;
mod unread;

use std::sync::{Arc, OnceLock};

use self::context::Context;
use crate::Workspace;
use crate::diagnostic::{Diagnostic, Severity};
use crate::digest::Digest;
use crate::draft::Draft;
use crate::model::Plan;
use crate::signed::CheckedPlan;
use crate::spelling::Dialect;

/// A plan after the checks: resolved as far as possible, with every problem.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The resolved plan; where there are errors, the best guess for showing it. Shared by all who go on with it.
    pub plan: Arc<Plan>,
    /// The spelling it was read from.
    pub dialect: Dialect,
    /// Every problem, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Of the plan, once it was computed.
    digest: OnceLock<Digest>,
}

/// The digest follows from the plan, whether or not anybody has asked.
impl PartialEq for Checked {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
            && self.dialect == other.dialect
            && self.diagnostics == other.diagnostics
    }
}

impl Checked {
    /// What a signature of this plan names.
    pub fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of_plan(&self.plan))
    }

    /// Number of problems that stop signing.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// Number of problems that do not, and are worth a look.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        let same = |problem: &&Diagnostic| problem.severity == severity;
        self.diagnostics.iter().filter(same).count()
    }

    /// The same plan on the point of being signed or run: what depends on the surroundings is an
    /// error now.
    #[must_use]
    pub fn strict(mut self) -> Self {
        for problem in &mut self.diagnostics {
            if problem.code.is_environmental() {
                problem.severity = Severity::Error;
            }
        }
        self
    }

    /// The plan, ready to be signed; or every problem, if one of them is an error.
    pub fn accept(self) -> Result<CheckedPlan, Vec<Diagnostic>> {
        if self.errors() > 0 {
            return Err(self.diagnostics);
        }
        let digest = self.digest();
        Ok(CheckedPlan::new(self.plan, self.dialect, digest))
    }
}

/// The plan as it stands, without any of the checks: enough to tell whether it is one that was checked before.
pub fn resolved_plan(draft: &Draft) -> Plan {
    resolve::resolve(draft, &mut Vec::new())
}

/// Which steps read what other steps give, in `$…` and in expressions: pairs of reader and read step.
pub(crate) fn used_steps(draft: &Draft, ids: &[String]) -> Vec<(usize, usize)> {
    let positions = positions::Positions::new(ids.iter().map(String::as_str));
    let steps = draft.steps.iter().enumerate();
    let used = steps.flat_map(|(at, step)| {
        let used = plan_references::used_steps(step, &positions);
        used.into_iter().map(move |used| (at, used))
    });
    used.collect()
}

/// Resolves a plan and reports every problem at once.
pub fn check(draft: &Draft, workspace: &dyn Workspace) -> Checked {
    let mut problems = draft.problems.clone();
    let plan = resolve::resolve(draft, &mut problems);
    let shells = context::shells(&plan);
    let context = Context::new(draft, &plan, &shells, workspace);
    for check in CHECKS {
        check(&context, &mut problems);
    }
    problems.extend(too_large::unfinished_comparison(&context));
    misspelling::remove_follow_ups(draft.dialect, &mut problems);
    unread::remove_follow_ups(&mut problems);
    unterminated_fence::remove_follow_ups(&mut problems);
    crate::diagnostic::sort(&mut problems);
    Checked {
        plan: Arc::new(plan),
        dialect: draft.dialect,
        diagnostics: problems,
        digest: OnceLock::new(),
    }
}

/// A check over the whole plan.
type Check = fn(&Context<'_>, &mut Vec<Diagnostic>);

const CHECKS: [Check; 43] = [
    agents_one_by_one::check,
    bad_condition::check,
    bad_loop::check,
    bad_reference::check,
    budget_missing::check,
    budget_unrealistic::check,
    confusable_characters::check,
    contract_command_missing::check,
    contract_command_shadowed::check,
    contract_runs_task_file::check,
    contract_script_unknown::check,
    contract_syntax::check,
    contract_vacuous::check,
    dependency_cycle::check,
    duplicate_id::check,
    empty_task::check,
    hidden_characters::check,
    invalid_args::check,
    mark_ignored::check,
    missing_artifact::check,
    missing_contract::check,
    missing_field::check,
    missing_file::check,
    missing_title::check,
    missing_tool::check,
    missing_topic::check,
    no_steps::check,
    order_error::check,
    path_outside_workspace::check,
    bad_value::check,
    protects_nothing::check,
    template_injection::check,
    too_large::check,
    tool_out_of_scope::check,
    unexpanded_step::check,
    unknown_agent::check,
    unknown_param::check,
    unknown_reference::check,
    unknown_status::check,
    unknown_tool::check,
    unreachable_step::check,
    untrusted_condition::check,
    write_overlap::check,
];
