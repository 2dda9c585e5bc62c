//! A run in which nothing has happened yet.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::expression::{Scope, StepRead, read};
use signoff_plan::model::{Depends, Plan, Step, Work};
use signoff_plan::reference::{Token, TokenKind, scan};
use signoff_plan::signed::SignedPlan;

use super::{
    Inbox, LandingState, Rechecks, Reviews, Run, Schedule, SharedLimits, StepStates, TreeState,
    Usage,
};
use crate::event::Settings;
use crate::template::render_step;

impl Run {
    /// A run in which nothing has happened yet. Only a signed plan can be run.
    pub fn new(signed: SignedPlan) -> Self {
        let plan = signed.plan();
        let index: BTreeMap<String, usize> = (0..)
            .zip(&plan.steps)
            .map(|(at, step)| (step.id.clone(), at))
            .collect();
        let named: Vec<Vec<usize>> = (0..plan.steps.len())
            .map(|at| named_dependencies(plan, at))
            .collect();
        Self {
            steps: StepStates::waiting_for(named.iter().map(Vec::len)),
            rendered: rendered_steps(plan),
            expanded: Vec::new(),
            children: BTreeMap::new(),
            dependents: dependents(&named),
            read: read_steps(plan, &index),
            index,
            used: BTreeMap::new(),
            earlier: BTreeMap::new(),
            schedule: Schedule {
                ready: ready_steps(plan, &named),
                ..Schedule::default()
            },
            last_evidence: None,
            tree: TreeState::default(),
            landing: LandingState::default(),
            rechecks: Rechecks::default(),
            reviews: Reviews::default(),
            inbox: Inbox::default(),
            usage: Usage::default(),
            id: String::new(),
            settings: Settings::before_start(),
            started: false,
            pausing: None,
            is_given_up: false,
            was_reopened: false,
            pause: None,
            trouble: None,
            outcome: None,
            aborting: false,
            replan: None,
            replans: 0,
            outside: SharedLimits::default(),
            next: None,
            signed,
        }
    }
}

/// The dependencies that a step names. One that waits for all before it names none.
fn named_dependencies(plan: &Plan, at: usize) -> Vec<usize> {
    match plan.steps.get(at).map(|step| &step.depends_on) {
        Some(Depends::On(_)) => plan.dependencies(at).collect(),
        Some(Depends::AllBefore) | None => Vec::new(),
    }
}

/// For each step, the steps that name it.
fn dependents(named: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut dependents = vec![Vec::new(); named.len()];
    for (at, named) in named.iter().enumerate() {
        for &dependency in named {
            if let Some(list) = dependents.get_mut(dependency) {
                list.push(at);
            }
        }
    }
    dependents
}

/// The steps that wait for nothing.
fn ready_steps(plan: &Plan, named: &[Vec<usize>]) -> BTreeSet<usize> {
    let steps = plan.steps.iter().zip(named).enumerate();
    let ready = steps.filter(|(at, (step, named))| {
        named.is_empty() && (*at == 0 || step.depends_on != Depends::AllBefore)
    });
    ready.map(|(at, _)| at).collect()
}

/// Steps that something reads: the `stdout` or `output` of a condition or loop, or the value behind
/// a reference.
pub(crate) fn read_steps(plan: &Plan, index: &BTreeMap<String, usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for step in &plan.steps {
        for text in step.when.iter().chain(&step.for_each) {
            let reads = steps_read(text);
            let ids = reads.iter().map(|read| read.id);
            found.extend(ids.filter_map(|id| index.get(id).copied()));
        }
        if let Work::Tool { args, .. } = &step.work {
            for_each_reference(args, &mut |id| found.extend(index.get(id).copied()));
        }
    }
    found
}

/// The steps whose values an expression reads. An invalid expression reads nothing; evaluating it reports why.
pub(crate) fn steps_read(text: &str) -> Vec<StepRead<'_>> {
    read(text).map(|reads| reads.steps).unwrap_or_default()
}

/// Calls `each` with every step that arguments refer to.
pub(crate) fn for_each_reference(args: &serde_json::Value, each: &mut dyn FnMut(&str)) {
    match args {
        serde_json::Value::String(text) => {
            for Token { kind, .. } in scan(text) {
                if let TokenKind::Whole(reference) | TokenKind::Inside(reference) = kind {
                    each(reference.id);
                }
            }
        }
        serde_json::Value::Array(items) => {
            for item in items {
                for_each_reference(item, each);
            }
        }
        serde_json::Value::Object(members) => {
            for value in members.values() {
                for_each_reference(value, each);
            }
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

/// Steps whose texts hold parameters, with the values in them. Loops are rendered with their items.
pub(crate) fn rendered_steps(plan: &Plan) -> BTreeMap<usize, Step> {
    let scope = Scope {
        params: plan.params.clone(),
        ..Scope::default()
    };
    let steps = (0..).zip(&plan.steps);
    let without_loop = steps.filter(|(_, step)| step.for_each.is_none());
    // `unrenderable` reports what cannot be rendered before the run starts.
    without_loop
        .filter_map(|(at, step)| Some((at, render_step(step, &scope).ok()??)))
        .collect()
}
