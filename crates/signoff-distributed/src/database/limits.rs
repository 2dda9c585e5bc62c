//! What runs share besides their work: locks that their steps name, and the money of a day.

use super::Database;
use crate::error::ClusterError;

impl Database {
    /// Takes a lock of a project for a run that this process drives. `None`: it has it; otherwise which run does.
    ///
    /// A lock is its run's, whichever process drives that: what is under way for the run goes on when its driver dies. Whoever
    /// lets go of the run gives it back.
    pub(crate) fn take_lock(
        &self,
        run: &str,
        epoch: i64,
        lock: &str,
    ) -> Result<Option<String>, ClusterError> {
        let holder: Option<String> = self.wait(
            // The row stays as it is unless it was free; either way it says who has it.
            sqlx::query_scalar(
                "INSERT INTO signoff.locks AS l (project, name, run) \
                 SELECT r.project, $3, r.id FROM signoff.runs r WHERE r.id = $1 AND r.epoch = $2 \
                 ON CONFLICT (project, name) DO UPDATE SET run = l.run RETURNING l.run",
            )
            .bind(run)
            .bind(epoch)
            .bind(lock)
            .fetch_optional(self.pool()),
        )?;
        match holder {
            None => Err(ClusterError::Untrusted(
                "another process drives the run now".to_owned(),
            )),
            Some(holder) => Ok((holder != run).then_some(holder)),
        }
    }

    pub(crate) fn release_lock(&self, run: &str, lock: &str) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query("DELETE FROM signoff.locks WHERE run = $1 AND name = $2")
                .bind(run)
                .bind(lock)
                .execute(self.pool()),
        )
        .map(drop)
    }

    /// Gives back what a run holds that this process lets go of: nothing is under way for it any more.
    pub(crate) fn release_locks(&self, run: &str, epoch: i64) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query(
                "DELETE FROM signoff.locks l USING signoff.runs r \
                 WHERE l.run = $1 AND r.id = l.run AND r.epoch = $2",
            )
            .bind(run)
            .bind(epoch)
            .execute(self.pool()),
        )
        .map(drop)
    }

    /// Notes what a run has cost on a day so far.
    pub(crate) fn note_cost(&self, run: &str, day: &str, usd_e6: u64) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query(
                "INSERT INTO signoff.costs (day, run, usd_e6) VALUES ($1, $2, $3) \
                 ON CONFLICT (day, run) DO UPDATE SET usd_e6 = EXCLUDED.usd_e6",
            )
            .bind(day)
            .bind(run)
            .bind(i64::try_from(usd_e6).unwrap_or(i64::MAX))
            .execute(self.pool()),
        )
        .map(drop)
    }

    /// What all runs have cost on a day.
    pub(crate) fn costs_of(&self, day: &str) -> Result<u64, ClusterError> {
        let sum: i64 = self.wait(
            sqlx::query_scalar(
                "SELECT coalesce(sum(usd_e6), 0)::bigint FROM signoff.costs WHERE day = $1",
            )
            .bind(day)
            .fetch_one(self.pool()),
        )?;
        Ok(u64::try_from(sum).unwrap_or_default())
    }
}
