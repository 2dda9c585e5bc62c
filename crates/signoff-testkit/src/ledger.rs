//! The ledger: what scripted agents append outside the run, and so what really happened, whatever
//! the journal says.
//!
//! ```text
//! start <run>/<step>/<attempt> <pid>
//! end <run>/<step>/<attempt>
//! ```

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::{fmt, fs};

/// One attempt at one step of one run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    pub run: String,
    pub step: String,
    pub number: u32,
}

impl FromStr for Attempt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not run/step/attempt");
        let (rest, number) = text.rsplit_once('/').ok_or_else(wrong)?;
        let (run, step) = rest.rsplit_once('/').ok_or_else(wrong)?;
        Ok(Self {
            run: run.to_owned(),
            step: step.to_owned(),
            number: number.parse().map_err(|_| wrong())?,
        })
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.run, self.step, self.number)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Start { attempt: Attempt, pid: u32 },
    End { attempt: Attempt },
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["start", attempt, pid] => Ok(Self::Start {
                attempt: attempt.parse()?,
                pid: pid.parse().map_err(|_| format!("`{pid}` is not a pid"))?,
            }),
            ["end", attempt] => Ok(Self::End {
                attempt: attempt.parse()?,
            }),
            _ => Err(format!("`{line}` is not a line of a ledger")),
        }
    }
}

/// Every entry, in the order of writing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    pub entries: Vec<Entry>,
}

impl Ledger {
    /// Reads the file; one that does not exist is empty, for no agent has started yet.
    #[track_caller]
    pub fn read(path: impl AsRef<Path>) -> Self {
        match Self::parse(&fs::read_to_string(path).unwrap_or_default()) {
            Ok(ledger) => ledger,
            Err(problem) => panic!("{problem}"),
        }
    }

    /// A last line without its end was cut off by a kill and counts as never written.
    pub fn parse(text: &str) -> Result<Self, String> {
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        // An agent that is asked for a plan makes no attempt at a step.
        let attempts = whole.lines().filter(|line| {
            let is_planning = [" plan-", " signoff-plan-"];
            !is_planning.iter().any(|name| line.contains(name))
        });
        let entries = attempts.map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self { entries })
    }

    /// Attempts that started, in order; one that started twice is there twice.
    pub fn started(&self) -> Vec<&Attempt> {
        self.entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Start { attempt, .. } => Some(attempt),
                Entry::End { .. } => None,
            })
            .collect()
    }

    /// Attempts whose agent came to its end, in order.
    pub fn ended(&self) -> Vec<&Attempt> {
        self.entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::End { attempt } => Some(attempt),
                Entry::Start { .. } => None,
            })
            .collect()
    }

    /// How often an agent was started on this step.
    pub fn starts_of(&self, step: &str) -> usize {
        let started = self.started();
        started
            .iter()
            .filter(|attempt| attempt.step == step)
            .count()
    }

    /// Process ids of the agents, in order of their start.
    pub fn pids(&self) -> Vec<u32> {
        self.entries
            .iter()
            .filter_map(|entry| match entry {
                Entry::Start { pid, .. } => Some(*pid),
                Entry::End { .. } => None,
            })
            .collect()
    }

    /// Attempt numbers are never reused: each started at most once, and ended at most once, after
    /// its start.
    #[track_caller]
    pub fn assert_each_attempt_once(&self) -> &Self {
        let mut seen: BTreeMap<&Attempt, bool> = BTreeMap::new();
        for entry in &self.entries {
            let sound = match entry {
                Entry::Start { attempt, .. } => seen.insert(attempt, false).is_none(),
                Entry::End { attempt } => seen.insert(attempt, true) == Some(false),
            };
            assert!(sound, "{entry:?} comes out of turn in\n{self}");
        }
        self
    }

    /// No two agents worked at the same time: each attempt ended, or was never heard of again,
    /// before the next one started.
    #[track_caller]
    pub fn assert_one_at_a_time(&self) -> &Self {
        let mut current = None;
        for entry in &self.entries {
            match entry {
                Entry::Start { attempt, .. } => current = Some(attempt),
                Entry::End { attempt } => assert!(
                    current == Some(attempt),
                    "{attempt} ended while another one worked\n{self}"
                ),
            }
        }
        self
    }

    /// None of these steps started again since the earlier look at the ledger.
    #[track_caller]
    pub fn assert_not_started_since(&self, earlier: &Self, steps: &[&str]) -> &Self {
        for step in steps {
            assert!(
                self.starts_of(step) == earlier.starts_of(step),
                "`{step}` was done and started again\n{self}"
            );
        }
        self
    }

    /// This step was started exactly so often.
    #[track_caller]
    pub fn assert_starts(&self, step: &str, times: usize) -> &Self {
        let found = self.starts_of(step);
        assert!(found == times, "`{step}` started {found} times\n{self}");
        self
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in &self.entries {
            match entry {
                Entry::Start { attempt, pid } => writeln!(f, "start {attempt} {pid}")?,
                Entry::End { attempt } => writeln!(f, "end {attempt}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(text: &str) -> Ledger {
        Ledger::parse(text).unwrap()
    }

    #[test]
    fn reads_what_it_prints_and_forgets_a_torn_line() {
        let text = "start r1/build/1 17\nend r1/build/1\nstart r1/test/1 18\n";
        let whole = ledger(text);
        assert_eq!(whole.to_string(), text);
        assert_eq!(ledger(&format!("{text}end r1/te")), whole);
        assert_eq!((whole.starts_of("build"), whole.pids()), (1, vec![17, 18]));
        assert!(Ledger::parse("begin r1/build/1\n").is_err());
        assert!(Ledger::parse("start build/1 17\n").is_err());
    }

    #[test]
    fn the_same_attempt_may_not_start_twice() {
        ledger("start r/a/1 1\nstart r/a/2 2\nend r/a/2\n").assert_each_attempt_once();
        let twice = ledger("start r/a/1 1\nstart r/a/1 2\n");
        assert!(
            std::panic::catch_unwind(|| twice.assert_each_attempt_once().starts_of("a")).is_err()
        );
    }

    #[test]
    fn a_finished_step_may_not_start_again() {
        let before = ledger("start r/a/1 1\nend r/a/1\nstart r/b/1 2\n");
        let after = ledger("start r/a/1 1\nend r/a/1\nstart r/b/1 2\nstart r/b/2 3\n");
        after.assert_not_started_since(&before, &["a"]);
        let again = || {
            after
                .assert_not_started_since(&before, &["b"])
                .starts_of("b")
        };
        assert!(std::panic::catch_unwind(again).is_err());
    }

    #[test]
    fn an_end_belongs_to_the_last_start() {
        ledger("start r/a/1 1\nstart r/b/1 2\nend r/b/1\n").assert_one_at_a_time();
        let overlap = ledger("start r/a/1 1\nstart r/b/1 2\nend r/a/1\n");
        assert!(std::panic::catch_unwind(|| overlap.assert_one_at_a_time().pids()).is_err());
    }
}
