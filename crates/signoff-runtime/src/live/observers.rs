//! Everything that observes a run on this machine besides the caller: marks, costs, notifications, telemetry.

use std::sync::Arc;

use signoff_sandbox::Sandbox;

use super::notify::Notify;
use super::telemetry_observer::TelemetryObserver;
use super::webhook::Webhook;
use crate::drive::Observe;
use crate::error::Error;
use crate::notifications::Notifier;
use crate::project::Project;
use crate::runs::OpenedRun;
use crate::runs::day_costs::{CostKeeper, DayLedger};
use crate::runs::marks::Projection;

/// The observers of one run.
pub(super) struct RunObservers {
    marks: Projection,
    costs: CostKeeper,
    /// Only where no person is present.
    notify: Option<Notify>,
    /// Only where no person is present.
    webhook: Option<Webhook>,
    telemetry: Option<TelemetryObserver>,
}

impl RunObservers {
    /// `plan` is the name of the plan in messages.
    pub(super) fn start(
        opened: &mut OpenedRun<'_>,
        plan: &str,
        sandbox: Arc<Sandbox>,
        is_attended: bool,
    ) -> Result<Self, Error> {
        let project = opened.project;
        let notifier = (!is_attended).then(|| Notifier::new(project)).flatten();
        let ledger = DayLedger::of(project, &opened.id);
        Ok(Self {
            marks: opened.mark_projection(),
            costs: CostKeeper::new(ledger, std::mem::take(&mut opened.costs))?,
            notify: (!is_attended)
                .then(|| Notify::new(project, sandbox, plan))
                .flatten(),
            webhook: notifier.map(|notifier| Webhook {
                notifier,
                plan: opened.key.clone(),
            }),
            telemetry: TelemetryObserver::new(project, &opened.id),
        })
    }

    pub(super) fn all(&mut self) -> Vec<&mut dyn Observe> {
        let mut all: Vec<&mut dyn Observe> = vec![&mut self.marks, &mut self.costs];
        all.extend(
            self.notify
                .as_mut()
                .map(|notify| notify as &mut dyn Observe),
        );
        all.extend(
            self.webhook
                .as_mut()
                .map(|webhook| webhook as &mut dyn Observe),
        );
        all.extend(self.telemetry.as_mut().map(|sent| sent as &mut dyn Observe));
        all
    }

    /// Waits until everything is sent that may be; returns why the person could not be notified.
    pub(super) fn finish(&mut self, project: &Project) -> Vec<String> {
        if let Some(webhook) = self.webhook.take() {
            webhook.notifier.finish();
        }
        let mut notes = self.notify.take().map_or_else(Vec::new, Notify::finish);
        notes.extend(self.telemetry.take().and_then(|_| flush_telemetry(project)));
        notes
    }

    /// Why marks could not be written, if so.
    pub(super) fn mark_trouble(&mut self) -> Option<String> {
        self.marks.trouble.take()
    }
}

/// Sends what telemetry still holds; returns why it could not.
fn flush_telemetry(project: &Project) -> Option<String> {
    let telemetry = project.process.services.telemetry.as_ref()?;
    telemetry.flush().err()
}
