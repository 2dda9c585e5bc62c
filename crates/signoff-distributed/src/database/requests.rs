//! What people ask of runs.

use sqlx::Row as _;

use super::Database;
use crate::error::ClusterError;

/// A message of a person to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestRow {
    pub(crate) name: String,
    pub(crate) body: String,
    pub(crate) proof: String,
}

impl Database {
    pub(crate) fn add_request(&self, run: &str, request: &RequestRow) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query(
                "INSERT INTO signoff.requests (run, name, body, proof) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (run, name) DO NOTHING",
            )
            .bind(run)
            .bind(&request.name)
            .bind(&request.body)
            .bind(&request.proof)
            .execute(&self.pool),
        )
        .map(drop)
    }

    /// What was asked of a run and not answered, oldest first.
    pub(crate) fn open_requests(&self, run: &str) -> Result<Vec<RequestRow>, ClusterError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT name, body, proof FROM signoff.requests WHERE run = $1 AND reply IS NULL ORDER BY created, name",
            )
            .bind(run)
            .fetch_all(&self.pool),
        )?;
        let requests = rows.iter().map(|row| RequestRow {
            name: row.get(0),
            body: row.get(1),
            proof: row.get(2),
        });
        Ok(requests.collect())
    }

    pub(crate) fn reply(&self, run: &str, name: &str, reply: &str) -> Result<(), ClusterError> {
        self.wait(
            sqlx::query("UPDATE signoff.requests SET reply = $3 WHERE run = $1 AND name = $2 AND reply IS NULL")
                .bind(run)
                .bind(name)
                .bind(reply)
                .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn reply_to(&self, run: &str, name: &str) -> Result<Option<String>, ClusterError> {
        let reply: Option<Option<String>> = self.wait(
            sqlx::query_scalar("SELECT reply FROM signoff.requests WHERE run = $1 AND name = $2")
                .bind(run)
                .bind(name)
                .fetch_optional(&self.pool),
        )?;
        Ok(reply.flatten())
    }
}
