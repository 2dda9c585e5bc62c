//! Shows a run as it happens: lines for people, or one JSON object per line.

use signoff_engine::{Event, Recorded, Run};
use signoff_runtime::Error;
use signoff_runtime::drive::Observe;
use signoff_runtime::view::streamed;

use crate::report::line::line;
use crate::session::Session;

/// Writes every event as it comes.
pub(crate) struct Live<'a> {
    pub(crate) session: &'a mut Session,
}

impl Observe for Live<'_> {
    fn event(&mut self, run: &Run, recorded: &Recorded) -> Result<(), Error> {
        if self.session.is_json() {
            self.session.json(&streamed(run, recorded));
        } else if let Some(text) = line(run, recorded) {
            // The end is told with the table.
            if !matches!(recorded.event, Event::RunFinished { .. }) {
                self.session.out.say(text);
            }
        }
        Ok(())
    }
}
