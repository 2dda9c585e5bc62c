//! What the checks look at.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::availability::Availability;
use super::plan_references::PlanReferences;
use super::positions::Positions;
use super::too_large;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Draft;
use crate::graph::Graph;
use crate::model::{Plan, Step, Subscription};
use crate::shell::{self, Analysis, Script};
use crate::source::{Span, Spanned};
use crate::spelling::Dialect;
use crate::{Workspace, draft, subscription};

/// A plan, as written and as resolved, in its surroundings.
pub(crate) struct Context<'a> {
    pub(super) draft: &'a Draft,
    pub(super) plan: &'a Plan,
    pub(super) workspace: &'a dyn Workspace,
    pub(super) graph: Graph<'a>,
    pub(super) available: Availability<'a>,
    /// What steps use of each other, of parameters and of loops.
    pub(super) references: PlanReferences<'a>,
    /// What each step's contract holds, by position.
    shells: &'a [Option<Arc<Analysis>>],
    /// Whether there were too many paths to compare each with each.
    pub(super) pairs_left_out: Cell<bool>,
    /// Positions by id, computed on demand.
    positions: OnceCell<Positions<'a>>,
}

/// What the contract of each step holds, by position.
pub(super) fn shells(plan: &Plan) -> Vec<Option<Arc<Analysis>>> {
    let mut known: BTreeMap<&str, Arc<Analysis>> = BTreeMap::new();
    let contracts = plan.steps.iter().map(|step| step.contract.as_ref());
    // One that is too long is reported as such, and not read.
    let contracts = contracts.map(|contract| {
        contract.filter(|contract| contract.command.len() <= too_large::CONTRACT_BYTES)
    });
    // Many steps have the same contract.
    let mut analysis = |command| {
        let shell = known.entry(command);
        Arc::clone(shell.or_insert_with(|| Arc::new(shell::analyse(command))))
    };
    contracts
        .map(|contract| contract.map(|contract| analysis(&contract.command)))
        .collect()
}

/// One step, as written and as resolved.
#[derive(Clone, Copy)]
pub(super) struct StepView<'a> {
    /// Position, from 0.
    pub(super) index: usize,
    pub(super) written: &'a draft::DraftStep,
    pub(super) resolved: &'a Step,
    /// What its contract holds.
    pub(super) shell: Option<&'a Analysis>,
    dialect: Dialect,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        draft: &'a Draft,
        plan: &'a Plan,
        shells: &'a [Option<Arc<Analysis>>],
        workspace: &'a dyn Workspace,
    ) -> Self {
        Self {
            draft,
            plan,
            workspace,
            graph: Graph::new(plan),
            available: Availability::new(plan, shells, workspace),
            references: PlanReferences::new(draft),
            shells,
            pairs_left_out: Cell::new(false),
            positions: OnceCell::new(),
        }
    }

    /// Every step, in plan order.
    pub(super) fn steps(&self) -> impl Iterator<Item = StepView<'_>> {
        let pairs = self
            .draft
            .steps
            .iter()
            .zip(&self.plan.steps)
            .zip(self.shells);
        pairs
            .enumerate()
            .map(|(index, ((written, resolved), shell))| StepView {
                index,
                written,
                resolved,
                shell: shell.as_deref(),
                dialect: self.draft.dialect,
            })
    }

    /// The step at a position.
    pub(super) fn step(&self, index: usize) -> Option<StepView<'_>> {
        Some(StepView {
            index,
            written: self.draft.steps.get(index)?,
            resolved: self.plan.steps.get(index)?,
            shell: self.shells.get(index)?.as_deref(),
            dialect: self.draft.dialect,
        })
    }

    /// Position of the step with this id.
    pub(super) fn position(&self, id: &str) -> Option<usize> {
        let positions = self
            .positions
            .get_or_init(|| Positions::new(self.plan.steps.iter().map(|step| step.id.as_str())));
        positions.of(id)
    }

    /// A problem of the plan itself.
    pub(super) fn problem(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.draft.dialect, span, message)
    }

    /// Where to point for the plan as a whole.
    pub(super) fn plan_span(&self) -> Span {
        self.draft
            .title
            .as_ref()
            .map_or(self.draft.anchors.header, |title| title.span)
    }
}

impl<'a> StepView<'a> {
    /// Its subscriptions, each with its place.
    pub(super) fn subscriptions(&self) -> impl Iterator<Item = (Subscription, Span)> + use<'a> {
        let written = self.written.subscriptions.iter();
        written.filter_map(|text| Some((subscription::parse(&text.value)?, text.span)))
    }

    /// The files that its contract runs.
    pub(super) fn scripts(&self) -> &'a [Spanned<Script>] {
        self.shell.map_or(&[], |shell| &shell.programs.scripts)
    }

    /// The files it subscribes to, each with its place.
    pub(super) fn files(&self) -> impl Iterator<Item = (String, Span)> + use<'a> {
        self.subscriptions()
            .filter_map(|(subscription, span)| match subscription {
                Subscription::File { path, .. } => Some((path, span)),
                Subscription::Topic(_) => None,
            })
    }
    /// The spelling it was read from.
    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// A problem of this step.
    pub(super) fn problem(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.dialect, span, message).step(self.id())
    }

    pub(super) fn id(&self) -> &str {
        &self.resolved.id
    }

    /// Where to point for the step as a whole.
    pub(super) fn span(&self) -> Span {
        let title = self.written.title.span;
        if title.is_empty() {
            self.written.heading
        } else {
            title
        }
    }
}
