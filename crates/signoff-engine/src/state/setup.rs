//! A run in which nothing has happened yet.

use std::collections::{BTreeMap, BTreeSet};

use signoff_plan::expression::{Scope, StepRead, read};
use signoff_plan::model::{Depends, Plan, Step, Work};
use signoff_plan::reference::{Token, TokenKind, scan};
use signoff_plan::signed::SignedPlan;

use super::{Run, StepState, Usage};
use crate::event::{AcceptAt, Isolation, OnGreenBaseline, Settings};
use crate::template::render_step;

impl Run {
    /// A run in which nothing has happened yet. Only a signed plan can be run.
    pub fn new(signed: SignedPlan) -> Self {
        let plan = signed.plan();
        let index: BTreeMap<String, usize> = (0..)
            .zip(&plan.steps)
            .map(|(at, step)| (step.id.clone(), at))
            .collect();
        let read = read_steps(plan, &index);
        let rendered = rendered_steps(plan);
        let mut dependents = vec![Vec::new(); plan.steps.len()];
        let mut steps = Vec::with_capacity(plan.steps.len());
        let mut ready = BTreeSet::new();
        for (at, step) in plan.steps.iter().enumerate() {
            let named = match &step.depends_on {
                Depends::AllBefore => Vec::new(),
                Depends::On(_) => plan.dependencies(at).collect(),
            };
            for &dependency in &named {
                if let Some(list) = dependents.get_mut(dependency) {
                    list.push(at);
                }
            }
            if named.is_empty() && (at == 0 || step.depends_on != Depends::AllBefore) {
                ready.insert(at);
            }
            steps.push(StepState {
                waits_for: named.len(),
                ..StepState::default()
            });
        }
        Self {
            id: String::new(),
            settings: Settings {
                backoff: 0,
                baseline: true,
                green: OnGreenBaseline::Run,
                accept: AcceptAt::Step,
                jobs: 1,
                sandbox: String::new(),
                isolation: Isolation::Shared,
                land: crate::event::LandAt::End,
                cache: crate::event::ContractCache::Cold,
            },
            steps,
            rendered,
            expanded: Vec::new(),
            children: BTreeMap::new(),
            index,
            dependents,
            used: BTreeMap::new(),
            frontier: 0,
            ready,
            read,
            active: BTreeSet::new(),
            gather: BTreeSet::new(),
            provisional: BTreeSet::new(),
            tree: None,
            head: None,
            latest_tree: None,
            landing: None,
            landed_head: None,
            held: Vec::new(),
            undone: false,
            tree_version: 0,
            joined: BTreeMap::new(),
            verdicts: BTreeSet::new(),
            unconfirmed: BTreeSet::new(),
            done: 0,
            items: BTreeMap::new(),
            items_opened: 0,
            usage: Usage::default(),
            started: false,
            pausing: None,
            pause: None,
            outcome: None,
            aborting: false,
            next: None,
            signed,
        }
    }
}

/// Steps that something reads: the `stdout` or `output` of a condition or loop, or the value behind
/// a reference.
fn read_steps(plan: &Plan, index: &BTreeMap<String, usize>) -> BTreeSet<usize> {
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
fn rendered_steps(plan: &Plan) -> BTreeMap<usize, Step> {
    let scope = Scope {
        params: plan.params.clone(),
        ..Scope::default()
    };
    let steps = (0..).zip(&plan.steps);
    let single = steps.filter(|(_, step)| step.for_each.is_none());
    // `unrenderable` reports what cannot be rendered before the run starts.
    single
        .filter_map(|(at, step)| Some((at, render_step(step, &scope).ok()??)))
        .collect()
}
