//! Runs: who drives them, and how they stand.

use signoff_api::cluster::SharedRun;
use sqlx::{AssertSqlSafe, Row as _};

use super::journal::insert_lines;
use super::{Database, PublishedLines};
use crate::error::ClusterError;

/// A run that is new here.
#[derive(Debug, Clone)]
pub(crate) struct NewRun {
    pub(crate) id: String,
    pub(crate) project: String,
    pub(crate) plan: String,
    pub(crate) title: String,
    pub(crate) by: String,
    pub(crate) priority: i32,
    pub(crate) submission: String,
}

impl Database {
    pub(crate) fn add_run(&self, run: &NewRun, lines: &PublishedLines) -> Result<(), ClusterError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            sqlx::query(
                "INSERT INTO signoff.runs (id, project, plan, title, by_name, priority, submission, head_seq, head_hash) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(&run.id)
            .bind(&run.project)
            .bind(&run.plan)
            .bind(&run.title)
            .bind(&run.by)
            .bind(run.priority)
            .bind(&run.submission)
            .bind(lines.lines.last().map_or(0, |(seq, _)| *seq))
            .bind(&lines.hash)
            .execute(&mut *transaction)
            .await?;
            insert_lines(&mut transaction, &run.id, &lines.lines).await?;
            transaction.commit().await
        })
    }

    /// Takes over a run: whoever drove it before can write no more.
    pub(crate) fn take_run(&self, run: &str, driver: &str) -> Result<i64, ClusterError> {
        self.wait(
            sqlx::query_scalar(
                "UPDATE signoff.runs SET epoch = epoch + 1, driver = $2, state = 'running', updated = now() \
                 WHERE id = $1 RETURNING epoch",
            )
            .bind(run)
            .bind(driver)
            .fetch_one(&self.pool),
        )
    }

    /// The state of a run that stands still and of which nobody asked anything.
    pub(crate) fn state_at_rest(&self, run: &str) -> Result<Option<String>, ClusterError> {
        self.wait(
            sqlx::query_scalar(
                "SELECT state FROM signoff.runs r WHERE id = $1 AND state NOT IN ('queued', 'running') \
                 AND NOT EXISTS (SELECT 1 FROM signoff.requests q WHERE q.run = r.id AND q.reply IS NULL)",
            )
            .bind(run)
            .fetch_optional(&self.pool),
        )
    }

    /// Lets go of a run that this process drove, and says how it stands.
    pub(crate) fn release_run(
        &self,
        run: &str,
        epoch: i64,
        state: &str,
        trouble: Option<&str>,
    ) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query(
                "UPDATE signoff.runs SET driver = NULL, state = $3, trouble = $4, updated = now() \
                 WHERE id = $1 AND epoch = $2",
            )
            .bind(run)
            .bind(epoch)
            .bind(state)
            .bind(trouble)
            .execute(&self.pool),
        )
        .map(drop)
    }

    /// The priority of a run's orders: lower goes first.
    pub(crate) fn priority(&self, run: &str) -> Result<i32, ClusterError> {
        self.wait(
            sqlx::query_scalar("SELECT priority FROM signoff.runs WHERE id = $1")
                .bind(run)
                .fetch_one(&self.pool),
        )
    }

    /// Removes a run with all that belongs to it.
    pub(crate) fn forget_run(&self, run: &str) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query("DELETE FROM signoff.runs WHERE id = $1")
                .bind(run)
                .execute(&self.pool),
        )
        .map(drop)
    }

    /// One run.
    pub fn run(&self, id: &str) -> Result<Option<SharedRun>, ClusterError> {
        let runs = self.runs_where("id = $1", id)?;
        Ok(runs.into_iter().next())
    }

    /// Every run, oldest first.
    pub fn runs(&self) -> Result<Vec<SharedRun>, ClusterError> {
        self.runs_where("$1 = ''", "")
    }

    fn runs_where(&self, condition: &str, value: &str) -> Result<Vec<SharedRun>, ClusterError> {
        let text = format!(
            "SELECT id, project, plan, title, by_name, state, trouble, driver, \
             to_char(created AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') \
             FROM signoff.runs WHERE {condition} ORDER BY id"
        );
        let rows = self.wait(
            sqlx::query(AssertSqlSafe(text))
                .bind(value)
                .fetch_all(&self.pool),
        )?;
        let runs = rows.iter().map(|row| SharedRun {
            run: row.get(0),
            project: row.get(1),
            plan: row.get(2),
            title: row.get(3),
            by: row.get(4),
            state: row.get(5),
            trouble: row.get(6),
            driver: row.get(7),
            started_at: row.get(8),
        });
        Ok(runs.collect())
    }
}
