//! The tables that machines share, and every statement about them.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Row as _};
use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::EngineError;
use crate::orders::{SignedOrder, SignedReport};

/// The version of the tables, and of what machines say to each other.
pub(crate) const PROTOCOL: i32 = 1;

const SCHEMA: &str = include_str!("schema.sql");

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to the database that machines share; clones share it.
#[derive(Debug, Clone)]
pub struct Database {
    runtime: Arc<Threads>,
    pool: PgPool,
    url: String,
}

/// The threads that talk to the database. A task of another runtime, such as a server's, may be the last that lets go of them,
/// and must not wait for their end.
#[derive(Debug)]
struct Threads {
    /// There until this is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A run, as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedRun {
    /// Its name.
    pub id: String,
    /// The id of its project.
    pub project: String,
    /// The name of its plan.
    pub plan: String,
    /// What the plan is about.
    pub title: String,
    /// Who began it.
    pub by: String,
    /// `queued`, `running`, `waiting`, `paused`, `completed`, `partial` or `failed`.
    pub state: String,
    /// Why it stands still, if something is wrong.
    pub trouble: Option<String>,
    /// Which process drives it.
    pub driver: Option<String>,
    /// When it began.
    pub created: String,
}

/// A machine, as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineRow {
    /// The id of its process.
    pub executor: String,
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: String,
    /// The roles whose work it does.
    pub roles: Vec<String>,
    /// Does it drive runs?
    pub orchestrates: bool,
    /// Does it hold its lock?
    pub alive: bool,
    /// Does it take nothing new?
    pub draining: bool,
    /// What machines said to each other when it was built.
    pub protocol: i32,
}

/// How the engine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineHealth {
    /// Its machines.
    pub machines: Vec<MachineRow>,
    /// Orders that wait or are under way, by role.
    pub depths: Vec<(String, i64)>,
    /// Milliseconds that this machine's clock is ahead of the database's.
    pub clock_ahead_ms: i64,
}

/// The head of a run's journal, with who vouches for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedHead {
    pub(crate) project: String,
    pub(crate) submission: String,
    pub(crate) seq: i64,
    pub(crate) hash: String,
    pub(crate) key: Option<String>,
    pub(crate) signature: Option<String>,
}

/// A message of a person to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestRow {
    pub(crate) name: String,
    pub(crate) body: String,
    pub(crate) proof: String,
}

/// Lines that were published, with the head that they lead to.
#[derive(Debug, Clone)]
pub(crate) struct PublishedLines {
    pub(crate) lines: Vec<(i64, String)>,
    pub(crate) hash: String,
    pub(crate) key: Option<String>,
    pub(crate) signature: Option<String>,
}

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
    /// Connects. Nothing is read yet.
    pub fn connect(url: &str) -> Result<Self, EngineError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("signoff-engine")
            .enable_all()
            .build()
            .map_err(EngineError::machine("threads cannot be started"))?;
        let options = PgPoolOptions::new()
            .max_connections(8)
            .acquire_timeout(PATIENCE);
        let pool = runtime.block_on(options.connect(url))?;
        let threads = Threads {
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
    pub(crate) fn wait<T, E: Into<EngineError>>(
        &self,
        future: impl Future<Output = Result<T, E>>,
    ) -> Result<T, EngineError> {
        self.runtime.handle.block_on(future).map_err(Into::into)
    }

    /// Makes the tables, or brings them up to date; DBOS's with them.
    pub fn migrate(&self) -> Result<(), EngineError> {
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
            transaction.commit().await
        })?;
        self.wait(async {
            let mut config = dbos::Config::new(crate::machine::APPLICATION, self.url.clone());
            config.app_version = Some(crate::machine::version());
            config.executor_id = Some("migration".to_owned());
            crate::machine::DBOS_SCHEMA.clone_into(&mut config.schema);
            config.listen_queues = Some(Vec::new());
            let engine = dbos::DBOS::new(config);
            engine.launch().await?;
            engine.shutdown().await;
            Ok::<_, dbos::Error>(())
        })
    }

    /// Refuses tables that are missing or of another version.
    pub fn require_migrated(&self) -> Result<(), EngineError> {
        let there: bool = self.wait(
            sqlx::query_scalar("SELECT to_regclass('signoff.version') IS NOT NULL")
                .fetch_one(&self.pool),
        )?;
        if !there {
            return Err(EngineError::NotMigrated);
        }
        self.require_version()
    }

    /// Refuses tables of another version.
    pub(crate) fn require_version(&self) -> Result<(), EngineError> {
        let version: Option<i32> = self.wait(
            sqlx::query_scalar("SELECT version FROM signoff.version").fetch_optional(&self.pool),
        )?;
        match version {
            Some(PROTOCOL) => Ok(()),
            Some(other) => Err(EngineError::Machine {
                what: "the database is of another version",
                why: format!(
                    "its tables are of version {other}, and this program knows {PROTOCOL}"
                ),
            }),
            None => Err(EngineError::NotMigrated),
        }
    }

    pub(crate) fn add_run(&self, run: &NewRun, lines: &PublishedLines) -> Result<(), EngineError> {
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
    pub(crate) fn take_run(&self, run: &str, driver: &str) -> Result<i64, EngineError> {
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
    pub(crate) fn state_at_rest(&self, run: &str) -> Result<Option<String>, EngineError> {
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
    ) -> Result<(), EngineError> {
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

    /// Publishes lines of a journal, once. `false`: another process drives the run now.
    pub(crate) fn publish(
        &self,
        run: &str,
        epoch: i64,
        published: &PublishedLines,
    ) -> Result<bool, EngineError> {
        self.wait(async {
            let mut transaction = self.pool.begin().await?;
            let last = published.lines.last().map_or(0, |(seq, _)| *seq);
            // The row is locked until the end: two processes take turns, and the older one finds another epoch.
            let owned = sqlx::query(
                "UPDATE signoff.runs SET head_seq = $3, head_hash = $4, head_key = $5, head_signature = $6, updated = now() \
                 WHERE id = $1 AND epoch = $2",
            )
            .bind(run)
            .bind(epoch)
            .bind(last)
            .bind(&published.hash)
            .bind(&published.key)
            .bind(&published.signature)
            .execute(&mut *transaction)
            .await?;
            if owned.rows_affected() == 0 {
                return Ok::<_, sqlx::Error>(false);
            }
            insert_lines(&mut transaction, run, &published.lines).await?;
            transaction.commit().await?;
            Ok(true)
        })
    }

    pub(crate) fn head(&self, run: &str) -> Result<Option<SharedHead>, EngineError> {
        let row = self.wait(
            sqlx::query(
                "SELECT project, submission, head_seq, head_hash, head_key, head_signature FROM signoff.runs WHERE id = $1",
            )
            .bind(run)
            .fetch_optional(&self.pool),
        )?;
        Ok(row.map(|row| SharedHead {
            project: row.get(0),
            submission: row.get(1),
            seq: row.get(2),
            hash: row.get(3),
            key: row.get(4),
            signature: row.get(5),
        }))
    }

    /// The lines of a run's journal after this one, as far as its head.
    pub(crate) fn lines_after(
        &self,
        run: &str,
        seq: i64,
    ) -> Result<Vec<(i64, String)>, EngineError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT e.seq, e.line FROM signoff.events e JOIN signoff.runs r ON r.id = e.run \
                 WHERE e.run = $1 AND e.seq > $2 AND e.seq <= r.head_seq ORDER BY e.seq",
            )
            .bind(run)
            .bind(seq)
            .fetch_all(&self.pool),
        )?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    pub(crate) fn put_file(&self, run: &str, path: &str, bytes: &[u8]) -> Result<(), EngineError> {
        self.wait(
            sqlx::query(
                "INSERT INTO signoff.files (run, path, bytes) VALUES ($1, $2, $3) \
                 ON CONFLICT (run, path) DO UPDATE SET bytes = EXCLUDED.bytes, number = nextval('signoff.files_number_seq')",
            )
            .bind(run)
            .bind(path)
            .bind(bytes)
            .execute(&self.pool),
        )
        .map(drop)
    }

    /// The files of a run that came after this number, oldest first.
    pub(crate) fn files_after(
        &self,
        run: &str,
        number: i64,
    ) -> Result<Vec<(i64, String, Vec<u8>)>, EngineError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT number, path, bytes FROM signoff.files WHERE run = $1 AND number > $2 ORDER BY number",
            )
            .bind(run)
            .bind(number)
            .fetch_all(&self.pool),
        )?;
        let files = rows.iter().map(|row| (row.get(0), row.get(1), row.get(2)));
        Ok(files.collect())
    }

    /// Adds an order, once. `false`: another process drives the run now.
    pub(crate) fn add_order(
        &self,
        epoch: i64,
        order: &SignedOrder,
        role: &str,
    ) -> Result<bool, EngineError> {
        let added = self.wait(
            sqlx::query(
                "INSERT INTO signoff.orders (id, run, role, body, key, signature) \
                 SELECT $1, r.id, $3, $4, $5, $6 FROM signoff.runs r WHERE r.id = $2 AND r.epoch = $7 \
                 ON CONFLICT (id) DO UPDATE SET withdrawn = false",
            )
            .bind(&order.id)
            .bind(&order.run)
            .bind(role)
            .bind(&order.body)
            .bind(&order.key)
            .bind(&order.signature)
            .bind(epoch)
            .execute(&self.pool),
        )?;
        Ok(added.rows_affected() > 0)
    }

    /// Takes an order, unless it was withdrawn or somebody has reported: the order, and the number of the claim.
    pub(crate) fn claim_order(
        &self,
        id: &str,
        executor: &str,
    ) -> Result<Option<(SignedOrder, i32)>, EngineError> {
        let row = self.wait(
            sqlx::query(
                "UPDATE signoff.orders SET claim = claim + 1, executor = $2, claimed = now() \
                 WHERE id = $1 AND report IS NULL AND NOT withdrawn RETURNING run, body, key, signature, claim",
            )
            .bind(id)
            .bind(executor)
            .fetch_optional(&self.pool),
        )?;
        Ok(row.map(|row| {
            let order = SignedOrder {
                id: id.to_owned(),
                run: row.get(0),
                body: row.get(1),
                key: row.get(2),
                signature: row.get(3),
            };
            (order, row.get(4))
        }))
    }

    /// The role of an order that is still wanted.
    pub(crate) fn role_of_order(&self, id: &str) -> Result<Option<String>, EngineError> {
        self.wait(
            sqlx::query_scalar(
                "SELECT role FROM signoff.orders WHERE id = $1 AND report IS NULL AND NOT withdrawn",
            )
            .bind(id)
            .fetch_optional(&self.pool),
        )
    }

    /// Which of these claims still hold.
    pub(crate) fn held_claims(&self, claims: &[(String, i32)]) -> Result<Vec<String>, EngineError> {
        let (ids, numbers): (Vec<String>, Vec<i32>) = claims.iter().cloned().unzip();
        self.wait(
            sqlx::query_scalar(
                "SELECT o.id FROM signoff.orders o JOIN unnest($1::text[], $2::int[]) AS c(id, claim) \
                 ON o.id = c.id AND o.claim = c.claim WHERE NOT o.withdrawn",
            )
            .bind(ids)
            .bind(numbers)
            .fetch_all(&self.pool),
        )
    }

    /// Reports what came of an order. `false`: it was withdrawn, or another machine has taken it since.
    pub(crate) fn report(
        &self,
        id: &str,
        claim: i32,
        report: &SignedReport,
    ) -> Result<bool, EngineError> {
        let reported = self.wait(
            sqlx::query(
                "UPDATE signoff.orders SET report = $3, report_key = $4, report_signature = $5, reported = now() \
                 WHERE id = $1 AND claim = $2 AND report IS NULL AND NOT withdrawn",
            )
            .bind(id)
            .bind(claim)
            .bind(&report.body)
            .bind(&report.key)
            .bind(&report.signature)
            .execute(&self.pool),
        )?;
        Ok(reported.rows_affected() > 0)
    }

    /// The reports about these orders.
    pub(crate) fn reports(
        &self,
        ids: &[String],
    ) -> Result<Vec<(String, SignedReport)>, EngineError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT id, report, report_key, report_signature FROM signoff.orders \
                 WHERE id = ANY($1) AND report IS NOT NULL",
            )
            .bind(ids)
            .fetch_all(&self.pool),
        )?;
        let reports = rows.iter().map(|row| {
            let report = SignedReport {
                body: row.get(1),
                key: row.get(2),
                signature: row.get(3),
            };
            (row.get(0), report)
        });
        Ok(reports.collect())
    }

    /// Forgets a report that nobody believes, so that the order can be carried out again.
    pub(crate) fn discard_report(&self, id: &str) -> Result<(), EngineError> {
        self.wait(
            sqlx::query(
                "UPDATE signoff.orders SET report = NULL, report_key = NULL, report_signature = NULL WHERE id = $1",
            )
            .bind(id)
            .execute(&self.pool),
        )
        .map(drop)
    }

    /// Withdraws every open order of a run.
    pub(crate) fn withdraw(&self, run: &str, epoch: i64) -> Result<(), EngineError> {
        self.wait(
            sqlx::query(
                "UPDATE signoff.orders o SET withdrawn = true FROM signoff.runs r \
                 WHERE o.run = $1 AND r.id = o.run AND r.epoch = $2 AND o.report IS NULL",
            )
            .bind(run)
            .bind(epoch)
            .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn add_request(&self, run: &str, request: &RequestRow) -> Result<(), EngineError> {
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
    pub(crate) fn open_requests(&self, run: &str) -> Result<Vec<RequestRow>, EngineError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT name, body, proof FROM signoff.requests WHERE run = $1 AND reply IS NULL ORDER BY name",
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

    pub(crate) fn reply(&self, run: &str, name: &str, reply: &str) -> Result<(), EngineError> {
        self.wait(
            sqlx::query("UPDATE signoff.requests SET reply = $3 WHERE run = $1 AND name = $2 AND reply IS NULL")
                .bind(run)
                .bind(name)
                .bind(reply)
                .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn reply_to(&self, run: &str, name: &str) -> Result<Option<String>, EngineError> {
        let reply: Option<Option<String>> = self.wait(
            sqlx::query_scalar("SELECT reply FROM signoff.requests WHERE run = $1 AND name = $2")
                .bind(run)
                .bind(name)
                .fetch_optional(&self.pool),
        )?;
        Ok(reply.flatten())
    }

    /// The number of the next activation of a run.
    pub(crate) fn next_activation(&self, run: &str) -> Result<i32, EngineError> {
        self.wait(
            sqlx::query_scalar(
                "UPDATE signoff.runs SET activations = activations + 1 WHERE id = $1 RETURNING activations",
            )
            .bind(run)
            .fetch_one(&self.pool),
        )
    }

    /// The priority of a run's orders: lower goes first.
    pub(crate) fn priority(&self, run: &str) -> Result<i32, EngineError> {
        self.wait(
            sqlx::query_scalar("SELECT priority FROM signoff.runs WHERE id = $1")
                .bind(run)
                .fetch_one(&self.pool),
        )
    }

    /// One run.
    pub fn run(&self, id: &str) -> Result<Option<SharedRun>, EngineError> {
        let runs = self.runs_where("id = $1", id)?;
        Ok(runs.into_iter().next())
    }

    /// Every run, oldest first.
    pub fn runs(&self) -> Result<Vec<SharedRun>, EngineError> {
        self.runs_where("$1 = ''", "")
    }

    fn runs_where(&self, condition: &str, value: &str) -> Result<Vec<SharedRun>, EngineError> {
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
            id: row.get(0),
            project: row.get(1),
            plan: row.get(2),
            title: row.get(3),
            by: row.get(4),
            state: row.get(5),
            trouble: row.get(6),
            driver: row.get(7),
            created: row.get(8),
        });
        Ok(runs.collect())
    }

    pub(crate) fn add_machine(
        &self,
        machine: &NewMachine,
        clock_ms: i64,
    ) -> Result<(), EngineError> {
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

    /// Asks the workers with this key to leave.
    pub fn drain(&self, key: &str) -> Result<(), EngineError> {
        self.wait(
            sqlx::query(
                "UPDATE signoff.machines SET draining = true WHERE key = $1 AND roles <> '{}'",
            )
            .bind(key)
            .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn is_draining(&self, executor: &str) -> Result<bool, EngineError> {
        let asked: Option<bool> = self.wait(
            sqlx::query_scalar("SELECT draining FROM signoff.machines WHERE executor = $1")
                .bind(executor)
                .fetch_optional(&self.pool),
        )?;
        Ok(asked.unwrap_or(false))
    }

    pub(crate) fn note_draining(&self, executor: &str) -> Result<(), EngineError> {
        self.wait(
            sqlx::query("UPDATE signoff.machines SET draining = true WHERE executor = $1")
                .bind(executor)
                .execute(&self.pool),
        )
        .map(drop)
    }

    pub(crate) fn remove_machine(&self, executor: &str) -> Result<(), EngineError> {
        self.wait(
            sqlx::query("DELETE FROM signoff.machines WHERE executor = $1")
                .bind(executor)
                .execute(&self.pool),
        )
        .map(drop)
    }

    /// Orders that no machine has taken yet, by role.
    pub(crate) fn waiting(&self) -> Result<Vec<(String, i64)>, EngineError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT role, count(*) FROM signoff.orders \
                 WHERE claim = 0 AND report IS NULL AND NOT withdrawn GROUP BY role ORDER BY role",
            )
            .fetch_all(&self.pool),
        )?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// How the engine is.
    pub fn health(&self) -> Result<EngineHealth, EngineError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT executor, name, key, roles, orchestrates, draining, protocol, \
                 EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 \
                   AND ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(executor, 0)) \
                 FROM signoff.machines ORDER BY started, executor",
            )
            .fetch_all(&self.pool),
        )?;
        let machines = rows.iter().map(|row| MachineRow {
            executor: row.get(0),
            name: row.get(1),
            key: row.get(2),
            roles: row.get(3),
            orchestrates: row.get(4),
            draining: row.get(5),
            protocol: row.get(6),
            alive: row.get(7),
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
        Ok(EngineHealth {
            machines: machines.collect(),
            depths: depths.iter().map(|row| (row.get(0), row.get(1))).collect(),
            clock_ahead_ms: now_ms() - theirs,
        })
    }
}

/// The time of this machine, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

async fn insert_lines(
    transaction: &mut sqlx::PgTransaction<'_>,
    run: &str,
    lines: &[(i64, String)],
) -> Result<(), sqlx::Error> {
    let (numbers, texts): (Vec<i64>, Vec<String>) = lines.iter().cloned().unzip();
    // A line that is there already was published by a statement whose answer was lost. Another text under its number is
    // found by the chain.
    sqlx::query(
        "INSERT INTO signoff.events (run, seq, line) SELECT $1, * FROM unnest($2::bigint[], $3::text[]) \
         ON CONFLICT (run, seq) DO UPDATE SET line = EXCLUDED.line",
    )
    .bind(run)
    .bind(numbers)
    .bind(texts)
    .execute(&mut **transaction)
    .await
    .map(drop)
}
