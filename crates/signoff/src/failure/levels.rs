//! The failure of a machine that confines less than before.

use signoff_runtime::error::WeakerConfinement;

use super::Failure;
use crate::style::sanitize;

/// The command that accepts the weaker level.
pub(crate) const ACCEPT: &str = "signoff doctor --accept-level";

pub(super) fn weaker_level(weaker: &WeakerConfinement) -> Failure {
    let failure = Failure::of(4, "weaker-level");
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
