//! The machines that take part.

use signoff_api::cluster::ClusterMachine;
use sqlx::Row as _;

use super::{Database, PROTOCOL, now_ms};
use crate::error::ClusterError;

/// The state of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterHealth {
    /// Its machines.
    pub machines: Vec<ClusterMachine>,
    /// Orders that wait or are under way, by role.
    pub depths: Vec<(String, i64)>,
    /// Milliseconds that this machine's clock is ahead of the database's.
    pub clock_ahead_ms: i64,
}

/// A machine that comes up.
#[derive(Debug, Clone)]
pub(crate) struct NewMachine {
    pub(crate) executor: String,
    pub(crate) name: String,
    pub(crate) key: String,
    pub(crate) roles: Vec<String>,
    pub(crate) orchestrates: bool,
    pub(crate) jobs: i32,
}

impl Database {
    pub(crate) fn add_machine(
        &self,
        machine: &NewMachine,
        clock_ms: i64,
    ) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query(
                "INSERT INTO signoff.machines (executor, name, key, roles, orchestrates, jobs, protocol, clock_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
                 ON CONFLICT (executor) DO UPDATE SET roles = EXCLUDED.roles, missed = NULL",
            )
            .bind(&machine.executor)
            .bind(&machine.name)
            .bind(&machine.key)
            .bind(&machine.roles)
            .bind(machine.orchestrates)
            .bind(machine.jobs)
            .bind(PROTOCOL)
            .bind(clock_ms)
            .execute(&self.pool),
        )
        .map(drop)
    }

    /// As much as the largest of the machines does at once.
    pub(crate) fn most_jobs(&self) -> Result<i32, ClusterError> {
        self.wait(
            sqlx::query_scalar(
                "SELECT coalesce(max(jobs), 1) FROM signoff.machines WHERE roles <> '{}'",
            )
            .fetch_one(&self.pool),
        )
    }

    /// Asks the workers with this key to leave.
    pub fn drain(&self, key: &str) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query(
                "UPDATE signoff.machines SET draining = true WHERE key = $1 AND roles <> '{}'",
            )
            .bind(key)
            .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn is_draining(&self, executor: &str) -> Result<bool, ClusterError> {
        let asked: Option<bool> = self.wait(
            sqlx::query_scalar("SELECT draining FROM signoff.machines WHERE executor = $1")
                .bind(executor)
                .fetch_optional(&self.pool),
        )?;
        Ok(asked.unwrap_or(false))
    }

    pub(crate) fn note_draining(&self, executor: &str) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query("UPDATE signoff.machines SET draining = true WHERE executor = $1")
                .bind(executor)
                .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn remove_machine(&self, executor: &str) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query("DELETE FROM signoff.machines WHERE executor = $1")
                .bind(executor)
                .execute(&self.pool),
        )
        .map(drop)
    }

    /// The state of the cluster.
    pub fn health(&self) -> Result<ClusterHealth, ClusterError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT executor, name, key, roles, orchestrates, draining, \
                 EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 \
                   AND ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(executor, 0)) \
                 FROM signoff.machines ORDER BY started, executor",
            )
            .fetch_all(&self.pool),
        )?;
        let machines = rows.iter().map(|row| ClusterMachine {
            executor: row.get(0),
            name: row.get(1),
            key: row.get(2),
            roles: row.get(3),
            orchestrates: row.get(4),
            draining: row.get(5),
            alive: row.get(6),
        });
        let depths = self.wait(
            sqlx::query(
                "SELECT role, count(*) FROM signoff.orders WHERE report IS NULL AND NOT withdrawn \
                 GROUP BY role ORDER BY role",
            )
            .fetch_all(&self.pool),
        )?;
        let theirs: i64 = self.wait(
            sqlx::query_scalar("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .fetch_one(&self.pool),
        )?;
        Ok(ClusterHealth {
            machines: machines.collect(),
            depths: depths.iter().map(|row| (row.get(0), row.get(1))).collect(),
            clock_ahead_ms: now_ms() - theirs,
        })
    }
}
