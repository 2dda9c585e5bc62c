//! Tells the webhook of the settings what a run asks of an absent person, and how it ended.

use signoff_api::notification::NotificationKind;
use signoff_engine::{Event, Outcome, RecordedEvent, Run};

use crate::drive::Observe;
use crate::error::Error;
use crate::notifications::{NotifiedEvent, Notifier};

/// One run's.
pub(super) struct Webhook {
    pub(super) notifier: Notifier,
    /// The plan's key.
    pub(super) plan: String,
}

impl Observe for Webhook {
    fn event(&mut self, run: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        let (kind, item, question) = match &recorded.event {
            Event::InboxOpened { item, question, .. } => {
                let item = format!("{}/{item}", run.id());
                (
                    NotificationKind::Waiting,
                    Some(item),
                    Some(question.as_str()),
                )
            }
            Event::RunFinished { outcome } => match outcome {
                Outcome::Completed | Outcome::Partial => (NotificationKind::Completed, None, None),
                Outcome::Failed => (NotificationKind::Failed, None, None),
            },
            _ => return Ok(()),
        };
        self.notifier.notify(NotifiedEvent {
            kind,
            at: recorded.at,
            plan: &self.plan,
            title: run.plan().display_title(),
            run: Some(run.id()),
            item: item.as_deref(),
            question,
        });
        Ok(())
    }
}
