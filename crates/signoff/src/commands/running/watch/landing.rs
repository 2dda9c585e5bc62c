//! What a run changed, brought into the checkout or taken out of it again.

use signoff_runtime::SystemClock;
use signoff_runtime::live::landing::{SettleOptions, land, undo};
use signoff_runtime::project::Project;
use signoff_tui::watch::Settling;

use crate::commands::running::{land as landing_text, undo as undo_text};
use crate::commands::sign::review::without_colours;
use crate::failure::{Failure, not_landed, not_undone};

/// Lands the run; files that are held are settled as the person says.
pub(super) fn land_run(
    project: &Project,
    run: &str,
    settling: Settling,
) -> Result<String, Failure> {
    let (take, keep) = match settling {
        Settling::Later => (Vec::new(), Vec::new()),
        Settling::Take(file) => (vec![file], Vec::new()),
        Settling::Keep(file) => (Vec::new(), vec![file]),
    };
    let settlement = SettleOptions { take, keep };
    let landing = land(project, Some(run), &settlement, &SystemClock::new())?;
    if landing.refused.is_empty() {
        return Ok(without_colours(vec![landing_text::summary(&landing)]).join(" "));
    }
    Err(not_landed(&landing))
}

/// Undoes the run.
pub(super) fn undo_run(project: &Project, run: &str) -> Result<String, Failure> {
    let undone = undo(project, Some(run), &SystemClock::new())?;
    if undone.refused.is_empty() {
        return Ok(without_colours(vec![undo_text::summary(&undone)]).join(" "));
    }
    Err(not_undone(&undone))
}
