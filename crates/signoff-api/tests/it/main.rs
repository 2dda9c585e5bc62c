//! What every version of this program wrote is read and written as it was.

mod event_samples;
mod question_samples;
