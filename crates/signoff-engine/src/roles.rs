//! Which role does a step that names none: rules decide first, an arbiter only if several roles fit.

use signoff_plan::model::{Step, Work};

use crate::state::Run;

/// The role of steps that name none and for which none is chosen.
pub(crate) const DEFAULT_ROLE: &str = "default";
/// Roles that ask and judge; they do no steps while others can.
const ADVISERS: [&str; 3] = ["planner", "critic", "arbiter"];
/// Roles for steps that change nothing.
const READERS: [&str; 1] = ["reviewer"];
const TESTERS: [&str; 1] = ["tester"];

/// The roles that fit a step, in the order of the configuration. Of several an arbiter chooses; one does it; none = as configured.
pub fn fitting_roles(run: &Run, at: usize) -> Vec<&str> {
    let Some((step, state)) = run.step(at) else {
        return Vec::new();
    };
    if !matches!(step.work, Work::Agent { role: None, .. }) {
        return Vec::new();
    }
    let mut roles: Vec<&str> = run.settings.roles.iter().map(String::as_str).collect();
    keep_if_any(&mut roles, |role| !ADVISERS.contains(&role));
    if writes_tests(step) {
        keep_if_any(&mut roles, |role| TESTERS.contains(&role));
    } else if step.contract.is_none() && step.produces.is_empty() {
        // Nothing is to be made, so there is nothing to verify.
        keep_if_any(&mut roles, |role| READERS.contains(&role));
    } else {
        keep_if_any(&mut roles, |role| !READERS.contains(&role));
    }
    // The role that just failed is not the first choice.
    let failed = state.usage.agent.as_deref();
    let failed = failed.filter(|_| state.advice.failure.is_some());
    keep_if_any(&mut roles, |role| Some(role) != failed);
    roles
}

impl Run {
    /// The role that does the step: the one that it names, else the one that was chosen for this attempt, else the only
    /// one that the rules leave. Without any it is `default`.
    pub fn role_of(&self, at: usize) -> Option<&str> {
        let (definition, state) = self.step(at)?;
        let Work::Agent { role, .. } = &definition.work else {
            return None;
        };
        match (role, &state.activation.role) {
            (Some(role), _) => Some(role),
            (None, Some(chosen)) => chosen.role.as_deref(),
            (None, None) => match *fitting_roles(self, at) {
                [role] => Some(role),
                _ => None,
            },
        }
    }
}

/// Does the arbiter have to be asked before the step's agent starts?
pub(crate) fn wants_arbiter(run: &Run, at: usize) -> bool {
    let asked = (run.steps.get(at)).is_some_and(|step| step.activation.role.is_some());
    !asked && fitting_roles(run, at).len() > 1 && !crate::budget::is_used_up(run)
}

fn keep_if_any<'r>(roles: &mut Vec<&'r str>, fits: impl Fn(&'r str) -> bool) {
    if roles.iter().any(|role| fits(role)) {
        roles.retain(|role| fits(role));
    }
}

/// Does the step make nothing but tests?
fn writes_tests(step: &Step) -> bool {
    let is_test = |path: &String| {
        let mut parts = path.split(['/', '.', '_', '-']);
        parts.any(|part| matches!(part, "test" | "tests" | "spec" | "specs"))
    };
    !step.produces.is_empty() && step.produces.iter().all(is_test)
}
