//! This machine confines less than it did before.

use signoff_store::trust::levels::RecordedLevels;

/// This machine gives less than it did when a run last began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeakerConfinement {
    /// What there is less of.
    pub lost: Vec<LostLevel>,
    /// Why, a line for each reason.
    pub why: Vec<String>,
    /// What there is now, to be remembered once a person accepts it.
    pub(crate) now: RecordedLevels,
}

impl std::fmt::Display for WeakerConfinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("this machine confines less than it did before: ")?;
        for (at, LostLevel { what, before, now }) in self.lost.iter().enumerate() {
            let comma = if at > 0 { "; " } else { "" };
            write!(f, "{comma}the {what} was `{before}` and is `{now}`")?;
        }
        Ok(())
    }
}

/// What was better before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostLevel {
    /// `sandbox` or `room` (the overlay), as `doctor` shows it.
    pub what: &'static str,
    /// What this machine had.
    pub before: String,
    /// What it has now.
    pub now: String,
}
