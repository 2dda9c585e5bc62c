//! What a runner says at its end, by what became of the tests.

/// The closing words of one call of a runner, or of several added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    pub passed: u64,
    /// Tests that were run and did not pass, those in error and those that were cut off included.
    pub failed: u64,
    /// What never became a test: a module that cannot be loaded, a package that cannot be built.
    pub errors: u64,
    /// Tests that say nothing about the work: skipped, ignored, pending, or expected to fail.
    pub skipped: u64,
}

/// What became of the tests that a word of a summary counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountedAs {
    Passed,
    Failed,
    Error,
    Skipped,
    /// The word counts no tests, or tests that were not selected.
    Nothing,
}

impl Summary {
    /// A runner that had nothing to do.
    pub(super) const NOTHING: Self = Self {
        passed: 0,
        failed: 0,
        errors: 0,
        skipped: 0,
    };

    /// Tests whose body was run to an end that says something: a test that is switched off must show
    /// as one fewer.
    pub fn ran(&self) -> u64 {
        self.passed.saturating_add(self.failed)
    }

    /// Whether the runner itself says that not all went well, whatever its exit code is.
    pub fn is_red(&self) -> bool {
        self.failed > 0 || self.errors > 0
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            errors: self.errors.saturating_add(other.errors),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }

    pub(super) fn add(&mut self, fate: CountedAs, count: u64) {
        let sum = match fate {
            CountedAs::Passed => &mut self.passed,
            CountedAs::Failed => &mut self.failed,
            CountedAs::Error => &mut self.errors,
            CountedAs::Skipped => &mut self.skipped,
            CountedAs::Nothing => return,
        };
        *sum = sum.saturating_add(count);
    }
}
