//! Who is alive: every process holds a lock of its own in the database, for as long as its session lasts.
//!
//! A process that cannot hold it for the time of a lease stops its agents and ends. What it left is put back into its
//! queue by any process that drives runs, once its lock was free on two looks that far apart. So nobody works twice for
//! longer than it takes to end an agent; and where that happens all the same, only the newest claim is believed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row as _};

use crate::database::Database;
use crate::error::ClusterError;

/// The lock of this process.
#[derive(Debug)]
pub(crate) struct Lease {
    lost: Arc<AtomicBool>,
}

impl Lease {
    /// Takes the lock, and holds it from now on.
    pub(crate) fn take(
        database: &Database,
        executor: &str,
        length: Duration,
    ) -> Result<Self, ClusterError> {
        let connection = database.wait(acquire(database.url().to_owned(), executor.to_owned()))?;
        let lost = Arc::new(AtomicBool::new(false));
        let (flag, url, executor) = (
            Arc::clone(&lost),
            database.url().to_owned(),
            executor.to_owned(),
        );
        database.handle().spawn(async move {
            keep_session(connection, url, executor, length).await;
            flag.store(true, Ordering::Release);
        });
        Ok(Self { lost })
    }

    /// Has it not been held for too long?
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }
}

async fn acquire(url: String, executor: String) -> Result<PgConnection, ClusterError> {
    let mut connection = PgConnection::connect(&url).await?;
    let row = sqlx::query("SELECT pg_try_advisory_lock(hashtextextended($1, 0))")
        .bind(&executor)
        .fetch_one(&mut connection)
        .await?;
    if row.get(0) {
        // Seen missing or not: from here on it is not.
        sqlx::query("UPDATE signoff.machines SET missed = NULL WHERE executor = $1")
            .bind(&executor)
            .execute(&mut connection)
            .await?;
        return Ok(connection);
    }
    Err(ClusterError::Machine {
        what: "this process cannot hold its lock",
        why: format!("another one calls itself `{executor}`"),
    })
}

/// Returns when the lock could not be held for too long. Two thirds of a lease: others wait for a whole one.
async fn keep_session(
    mut connection: PgConnection,
    url: String,
    executor: String,
    length: Duration,
) {
    let (look, patience) = (length / 6, length * 2 / 3);
    let mut held = Instant::now();
    loop {
        tokio::time::sleep(look).await;
        let alive = tokio::time::timeout(look, connection.ping()).await;
        if matches!(alive, Ok(Ok(()))) {
            held = Instant::now();
            continue;
        }
        // A restart of the database ends the session, and the lock with it.
        loop {
            if held.elapsed() > patience {
                return;
            }
            let again = acquire(url.clone(), executor.clone());
            if let Ok(Ok(new)) = tokio::time::timeout(look, again).await {
                connection = new;
                held = Instant::now();
                break;
            }
            tokio::time::sleep(look / 2).await;
        }
    }
}

/// Processes whose lock has been free for a whole lease. The first look notes them, a later one names them.
pub(crate) fn dead_machines(
    database: &Database,
    length: Duration,
) -> Result<Vec<String>, ClusterError> {
    const FREE: &str = "NOT EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 \
         AND ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(m.executor, 0))";
    let seconds = length.as_secs_f64();
    database.wait(async {
        sqlx::query(sqlx::AssertSqlSafe(format!(
            "UPDATE signoff.machines m SET missed = CASE WHEN {FREE} THEN coalesce(missed, now()) END \
             WHERE missed IS NOT NULL OR {FREE}"
        )))
        .execute(database.pool())
        .await?;
        sqlx::query_scalar(
            "SELECT executor FROM signoff.machines WHERE missed < now() - make_interval(secs => $1)",
        )
        .bind(seconds)
        .fetch_all(database.pool())
        .await
    })
}
