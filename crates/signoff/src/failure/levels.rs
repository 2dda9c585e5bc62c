//! What to type where this machine confines less than it did before.

use signoff_runtime::error::WeakerConfinement;

use super::Failure;
use crate::commands::weaker::headline;
use crate::report::style::harmless;

/// The one command that accepts it.
pub(crate) const ACCEPT: &str = "signoff doctor --accept-level";

pub(super) fn weaker_level(weaker: &WeakerConfinement) -> Failure {
    let failure = Failure::new(4, "weaker-level", headline(weaker));
    let failure = weaker
        .why
        .iter()
        .fold(failure, |failure, why| failure.detail(harmless(why)));
    failure
        .hint(format!(
            "`{ACCEPT}` accepts it, from now on; nothing has been started"
        ))
        .hint("`signoff doctor` tells what each level enforces, and why the stronger ones do not work")
}
