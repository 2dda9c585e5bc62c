//! What the guard reads and writes: the scope of a step, the decisions it logs, and what it reports about them.

mod report;
mod scope;

pub use self::report::{
    CHECK_SCHEMA, GuardCheck, GuardReport, LOG_SCHEMA, LoggedDecision, REPORT_SCHEMA, ReportRow,
};
pub use self::scope::{GuardScope, SCOPE_SCHEMA, SCOPE_VARIABLE};
