//! The failure of a machine that confines less than before.

use signoff_runtime::error::{LostLevel, WeakerConfinement};

use super::Failure;
use crate::style::sanitize;

/// The command that accepts the weaker level.
pub(crate) const ACCEPT: &str = "signoff doctor --accept-level";

pub(super) fn weaker_level(weaker: &WeakerConfinement) -> Failure {
    let failure = Failure::new(4, "weaker-level", weaker_headline(weaker));
    let failure = weaker
        .why
        .iter()
        .fold(failure, |failure, why| failure.detail(sanitize(why)));
    failure
        .hint(format!(
            "`{ACCEPT}` accepts this from now on; nothing has started"
        ))
        .hint("`signoff doctor` shows what each level enforces, and why the stronger ones do not work")
}

/// What became weaker, on one line.
pub(crate) fn weaker_headline(weaker: &WeakerConfinement) -> String {
    let lost: Vec<String> = weaker.lost.iter().map(lost_level).collect();
    format!(
        "this machine confines less than it did before: {}",
        lost.join("; ")
    )
}

fn lost_level(lost: &LostLevel) -> String {
    let LostLevel { what, before, now } = lost;
    format!("the {what} was `{before}` and is `{now}`")
}
