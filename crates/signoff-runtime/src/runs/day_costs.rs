//! What all runs together cost in a day: each run writes the sum of its own journal where the others find it.
//!
//! A day is one of UTC, by the clock that stamps the events. Nothing is counted twice: a run writes its whole sum of a
//! day, and writes it again after a crash.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use signoff_engine::{DayLimit, Millis, RecordedEvent, Run};
use signoff_plan::digest::Digest;
use signoff_store::config::Dollars;

use crate::clock::timestamp;
use crate::cluster::Cluster;
use crate::drive::Observe;
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::own_state;

const DAY: Millis = 24 * 60 * 60 * 1000;

/// What a run cost, by day, in millionths of a dollar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DayCosts(BTreeMap<String, u64>);

impl DayCosts {
    /// Adds the cost of an event. Returns the day whose sum changes.
    pub(crate) fn note(&mut self, recorded: &RecordedEvent) -> Option<String> {
        let cost = recorded.event.known_cost();
        if cost == 0 {
            return None;
        }
        let day = day_of(recorded.at);
        *self.0.entry(day.clone()).or_default() += cost;
        Some(day)
    }
}

fn day_of(at: Millis) -> String {
    let text = timestamp(at);
    text.split('T').next().unwrap_or_default().to_owned()
}

/// Where all runs write their costs.
#[derive(Debug, Clone)]
pub(crate) struct DayLedger {
    place: LedgerStorage,
    limit: Option<u64>,
}

#[derive(Debug, Clone)]
enum LedgerStorage {
    /// A directory for each day, with a file for each run.
    Files {
        directory: PathBuf,
        name: String,
    },
    Cluster(Arc<dyn Cluster>),
}

impl DayLedger {
    pub(crate) fn of(project: &Project, run: &str) -> Self {
        let workspace = project.store.workspace().as_os_str().as_encoded_bytes();
        let place = match &project.cluster {
            Some(cluster) => LedgerStorage::Cluster(Arc::clone(cluster)),
            None => LedgerStorage::Files {
                directory: own_state(project).join("costs"),
                name: format!("{run}-{}", Digest::of_bytes(workspace).short()),
            },
        };
        let limit = project.config.engine.usd_per_day.value;
        Self {
            place,
            limit: limit.map(|Dollars(limit)| limit),
        }
    }

    fn write(&self, day: &str, sum: u64) -> Result<(), Error> {
        let written = match &self.place {
            LedgerStorage::Cluster(cluster) => {
                let noted = cluster.note_cost(day, sum);
                return noted.map_err(|why| Error::Unshared { why });
            }
            LedgerStorage::Files { directory, name } => write_file(directory, day, name, sum),
        };
        match written {
            // Without a limit nobody needs it.
            Err(_) if self.limit.is_none() => Ok(()),
            written => written.map_err(Error::Sandbox),
        }
    }

    /// The limit of this day, if all runs together have reached it.
    pub(crate) fn exceeded_limit(&self, now: Millis) -> Result<Option<DayLimit>, Error> {
        let Some(limit) = self.limit else {
            return Ok(None);
        };
        let day = day_of(now);
        let spent = match &self.place {
            LedgerStorage::Cluster(cluster) => cluster
                .costs_of(&day)
                .map_err(|why| Error::Unshared { why })?,
            LedgerStorage::Files { directory, .. } => {
                sum_of_files(&directory.join(day)).map_err(Error::Sandbox)?
            }
        };
        let until = (now / DAY).saturating_add(1).saturating_mul(DAY);
        Ok((spent >= limit).then_some(DayLimit {
            spent,
            limit,
            until,
        }))
    }
}

fn write_file(directory: &Path, day: &str, name: &str, sum: u64) -> io::Result<()> {
    let of_day = directory.join(day);
    if !of_day.is_dir() {
        // Only the present day is ever asked for, by whichever clock.
        for old in fs::read_dir(directory).into_iter().flatten().flatten() {
            if old.file_name().to_string_lossy().as_ref() < day {
                drop(fs::remove_dir_all(old.path()));
            }
        }
        fs::create_dir_all(&of_day)?;
    }
    let partial = of_day.join(format!(".{name}"));
    fs::write(&partial, sum.to_string())?;
    fs::rename(&partial, of_day.join(name))
}

fn sum_of_files(of_day: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(of_day) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut sum: u64 = 0;
    for entry in entries {
        let entry = entry?;
        // A file that is being written counts once it is there.
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        let amount: u64 = text.trim().parse().map_err(io::Error::other)?;
        sum = sum.saturating_add(amount);
    }
    Ok(sum)
}

/// Records the costs of a run while it is driven.
pub(crate) struct CostKeeper {
    ledger: DayLedger,
    costs: DayCosts,
}

impl CostKeeper {
    /// Begins with what the run had cost before. A crash may have lost its last note.
    pub(crate) fn new(ledger: DayLedger, costs: DayCosts) -> Result<Self, Error> {
        if let Some((day, sum)) = costs.0.last_key_value() {
            ledger.write(day, *sum)?;
        }
        Ok(Self { ledger, costs })
    }
}

impl Observe for CostKeeper {
    fn event(&mut self, _: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        let Some(day) = self.costs.note(recorded) else {
            return Ok(());
        };
        let sum = self.costs.0.get(&day).copied().unwrap_or_default();
        self.ledger.write(&day, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(directory: &Path, name: &str, limit: u64) -> DayLedger {
        let place = LedgerStorage::Files {
            directory: directory.to_owned(),
            name: name.to_owned(),
        };
        DayLedger {
            place,
            limit: Some(limit),
        }
    }

    #[test]
    fn all_runs_of_a_day_count_together() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["a", "b"].map(|name| ledger(folder.path(), name, 30));
        let noon = 20_000 * DAY + DAY / 2;
        let today = day_of(noon);
        one.write(&today, 10).unwrap();
        // The whole sum, not an increment.
        one.write(&today, 20).unwrap();
        assert_eq!(one.exceeded_limit(noon).unwrap(), None);
        other.write(&today, 10).unwrap();
        let reached = one.exceeded_limit(noon).unwrap().unwrap();
        assert_eq!((reached.spent, reached.until), (30, 20_001 * DAY));
        // A day ends at midnight of UTC.
        assert!(other.exceeded_limit(20_001 * DAY - 1).unwrap().is_some());
        assert_eq!(other.exceeded_limit(20_001 * DAY).unwrap(), None);
        other.write(&day_of(20_001 * DAY), 1).unwrap();
        assert!(!folder.path().join(today).exists());
    }
}
