//! The tables that machines share, and every statement about them: each file here has those about one thing.

mod journal;
mod limits;
mod machines;
mod orders;
mod queues;
mod requests;
mod runs;

use std::sync::Arc;
use std::time::Duration;

use sqlx::AssertSqlSafe;
use sqlx::postgres::{PgPool, PgPoolOptions};
use tokio::runtime::{Builder, Handle, Runtime};

pub(crate) use self::journal::{PublishedLines, SharedHead};
pub use self::machines::ClusterHealth;
pub(crate) use self::machines::NewMachine;
pub(crate) use self::orders::{ClaimedReport, OrderReport};
pub(crate) use self::queues::{
    APPLICATION, ATTEMPT, DBOS_SCHEMA, PLAN_RUN, PLANS, WorkflowInput, queue_of, version,
};
pub(crate) use self::requests::RequestRow;
pub(crate) use self::runs::NewRun;
use crate::error::ClusterError;

/// The version of the tables, and of what machines say to each other.
pub(crate) const PROTOCOL: i32 = 3;

const SCHEMA: &str = include_str!("schema.sql");

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// As many orders may be under way in one process: each has a thread that waits for its end.
const BLOCKING: usize = 4096;

/// A connection to the database that machines share; clones share it.
#[derive(Debug, Clone)]
pub struct Database {
    runtime: Arc<DatabaseThreads>,
    pool: PgPool,
    url: String,
}

/// The threads that talk to the database. A task of another runtime, such as a server's, may be the last that lets go of them,
/// and must not wait for their end.
#[derive(Debug)]
struct DatabaseThreads {
    /// There until this is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Drop for DatabaseThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Database {
    /// Connects. Nothing is read yet.
    pub fn connect(url: &str) -> Result<Self, ClusterError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(BLOCKING)
            .thread_name("signoff-engine")
            .enable_all()
            .build()
            .map_err(ClusterError::machine("threads cannot be started"))?;
        let options = PgPoolOptions::new()
            .max_connections(8)
            .acquire_timeout(PATIENCE);
        let pool = runtime.block_on(options.connect(url))?;
        let threads = DatabaseThreads {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        };
        Ok(Self {
            runtime: Arc::new(threads),
            pool,
            url: url.to_owned(),
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.runtime.handle
    }

    /// Waits for something of the database. Not to be called by what the database's own threads do.
    pub(crate) fn wait<T, E: Into<ClusterError>>(
        &self,
        future: impl Future<Output = Result<T, E>>,
    ) -> Result<T, ClusterError> {
        self.runtime.handle.block_on(future).map_err(Into::into)
    }

    /// Makes the tables, or brings them up to date; DBOS's with them.
    pub fn migrate(&self) -> Result<(), ClusterError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            // Two machines that come up at once take turns.
            sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('signoff.migrate', 0))")
                .execute(&mut *transaction)
                .await?;
            sqlx::raw_sql(AssertSqlSafe(SCHEMA.to_owned()))
                .execute(&mut *transaction)
                .await?;
            sqlx::query(
                "INSERT INTO signoff.version SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM signoff.version)",
            )
            .bind(PROTOCOL)
            .execute(&mut *transaction)
            .await?;
            sqlx::query("UPDATE signoff.version SET version = $1 WHERE version < $1")
                .bind(PROTOCOL)
                .execute(&mut *transaction)
                .await?;
            transaction.commit().await
        })?;
        self.wait(async {
            let mut config = dbos::Config::new(APPLICATION, self.url.clone());
            config.app_version = Some(version());
            config.executor_id = Some("migration".to_owned());
            DBOS_SCHEMA.clone_into(&mut config.schema);
            config.listen_queues = Some(Vec::new());
            let dbos = dbos::DBOS::new(config);
            dbos.launch().await?;
            dbos.shutdown().await;
            Ok::<_, dbos::Error>(())
        })
    }

    /// Refuses tables that are missing or of another version.
    pub fn require_migrated(&self) -> Result<(), ClusterError> {
        let there: bool = self.wait(
            sqlx::query_scalar("SELECT to_regclass('signoff.version') IS NOT NULL")
                .fetch_one(&self.pool),
        )?;
        if !there {
            return Err(ClusterError::NotMigrated);
        }
        self.require_version()
    }

    /// Refuses tables of another version.
    pub(crate) fn require_version(&self) -> Result<(), ClusterError> {
        let version: Option<i32> = self.wait(
            sqlx::query_scalar("SELECT version FROM signoff.version").fetch_optional(&self.pool),
        )?;
        match version {
            Some(PROTOCOL) => Ok(()),
            Some(other) => Err(ClusterError::Machine {
                what: "the database is of another version",
                why: format!(
                    "its tables are of version {other}, and this program knows {PROTOCOL}"
                ),
            }),
            None => Err(ClusterError::NotMigrated),
        }
    }
}

/// The time of this machine, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
