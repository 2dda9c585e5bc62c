//! What the checks look at.

use super::graph::Graph;
use super::provided::Mentions;
use super::resolve::{Resolved, subscription};
use super::too_large;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::draft::Draft;
use crate::model::{Plan, Step, Subscription};
use crate::shell::{self, Analysis};
use crate::source::Span;
use crate::{Workspace, draft};

/// A plan, as written and as resolved, in its surroundings.
pub(crate) struct Context<'a> {
    pub(super) draft: &'a Draft,
    pub(super) plan: &'a Plan,
    pub(super) workspace: &'a dyn Workspace,
    pub(super) graph: Graph,
    pub(super) mentions: Mentions,
    /// What each step's contract holds, by position.
    shells: Vec<Option<Analysis>>,
}

/// One step, as written and as resolved.
#[derive(Clone, Copy)]
pub(super) struct StepView<'a> {
    /// Position, from 0.
    pub(super) index: usize,
    pub(super) written: &'a draft::Step,
    pub(super) resolved: &'a Step,
    /// What its contract holds.
    pub(super) shell: Option<&'a Analysis>,
    dialect: Dialect,
}

impl<'a> Context<'a> {
    pub(super) fn new(
        draft: &'a Draft,
        resolved: &'a Resolved,
        workspace: &'a dyn Workspace,
    ) -> Self {
        let contracts = resolved
            .plan
            .steps
            .iter()
            .map(|step| step.contract.as_ref());
        // One that is too long is reported as such, and not read.
        let contracts = contracts.map(|contract| {
            contract.filter(|contract| contract.command.len() <= too_large::CONTRACT_BYTES)
        });
        let shells = contracts.map(|contract| contract.map(|c| shell::analyse(&c.command)));
        let shells: Vec<_> = shells.collect();
        Self {
            draft,
            plan: &resolved.plan,
            workspace,
            graph: Graph::new(&resolved.plan),
            mentions: Mentions::new(&resolved.plan, &shells),
            shells,
        }
    }

    /// Every step, in plan order.
    pub(super) fn steps(&self) -> impl Iterator<Item = StepView<'_>> {
        let pairs = self
            .draft
            .steps
            .iter()
            .zip(&self.plan.steps)
            .zip(&self.shells);
        pairs
            .enumerate()
            .map(|(index, ((written, resolved), shell))| StepView {
                index,
                written,
                resolved,
                shell: shell.as_ref(),
                dialect: self.draft.dialect,
            })
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
        written.filter_map(|text| Some((subscription(&text.value)?, text.span)))
    }

    /// The files it subscribes to, each with its place.
    pub(super) fn files(&self) -> impl Iterator<Item = (String, Span)> + use<'a> {
        self.subscriptions()
            .filter_map(|(subscription, span)| match subscription {
                Subscription::File { path, .. } => Some((path, span)),
                Subscription::Topic(_) => None,
            })
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
