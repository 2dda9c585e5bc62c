//! What the guard reads and writes: the scope of a step, the decisions it logs, and what it reports about them.

mod report;
mod scope;

pub use self::report::{
    CHECK_SCHEMA, GuardCheck, GuardPlanMode, GuardReport, LOG_SCHEMA, LoggedDecision,
    PLAN_MODE_SCHEMA, REPORT_SCHEMA, ReportRow,
};
pub use self::scope::{GuardScope, SCOPE_SCHEMA, SCOPE_VARIABLE};
