//! Orders, who has taken them, and what was reported.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::Database;
use super::journal::{PUT_FILES, columns};
use super::queues::{ATTEMPT, Queued, enqueue, version};
use crate::error::ClusterError;
use crate::orders::{SignedOrder, SignedReport, claims};

/// A report about an order. Whoever drove the run before may have signed that.
#[derive(Debug, Clone)]
pub(crate) struct OrderReport {
    pub(crate) order: String,
    /// What names of work begin with that was done for it.
    pub(crate) claims: String,
    pub(crate) signed: SignedReport,
}

/// A report with the claim that it is made under.
#[derive(Debug, Clone)]
pub(crate) struct ClaimedReport {
    pub(crate) order: String,
    pub(crate) claim: i32,
    pub(crate) signed: SignedReport,
}

impl Database {
    /// Adds orders and puts them into the queues of their roles, once, and once more if they were withdrawn meanwhile. `false`:
    /// another process drives the run now.
    pub(crate) fn add_orders(
        &self,
        run: &str,
        epoch: i64,
        priority: i32,
        orders: &[SignedOrder],
    ) -> Result<bool, ClusterError> {
        let column = |of: fn(&SignedOrder) -> &String| -> Vec<String> {
            orders.iter().map(|order| of(order).clone()).collect()
        };
        let queued = enqueue_given("new", "$8", "$9", "NULL");
        let text = format!(
            "WITH owned AS (SELECT id FROM signoff.runs WHERE id = $1 AND epoch = $2 FOR SHARE), \
             new AS (INSERT INTO signoff.orders AS orders (id, run, role, body, key, signature) \
               SELECT o.id, owned.id, o.role, o.body, o.key, o.signature \
               FROM owned, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS o(id, role, body, key, signature) \
               ON CONFLICT (id) DO UPDATE SET withdrawn = false, given = orders.given + orders.withdrawn::int \
               RETURNING id, role, given) \
             SELECT {queued} FROM new"
        );
        let added = self.wait(
            sqlx::query(AssertSqlSafe(text))
                .bind(run)
                .bind(epoch)
                .bind(column(|order| &order.id))
                .bind(column(|order| &order.role))
                .bind(column(|order| &order.body))
                .bind(column(|order| &order.key))
                .bind(column(|order| &order.signature))
                .bind(version())
                .bind(priority)
                .fetch_all(&self.pool),
        )?;
        Ok(!added.is_empty())
    }

    /// Takes an order, unless it was withdrawn or somebody has reported: the order, and the number of the claim.
    pub(crate) fn claim_order(
        &self,
        id: &str,
        executor: &str,
    ) -> Result<Option<(SignedOrder, i32)>, ClusterError> {
        let row = self.wait(
            sqlx::query(
                "UPDATE signoff.orders SET claim = claim + 1, executor = $2, claimed = now() \
                 WHERE id = $1 AND report IS NULL AND NOT withdrawn RETURNING run, role, body, key, signature, claim",
            )
            .bind(id)
            .bind(executor)
            .fetch_optional(&self.pool),
        )?;
        Ok(row.map(|row| {
            let order = SignedOrder {
                id: id.to_owned(),
                run: row.get(0),
                role: row.get(1),
                body: row.get(2),
                key: row.get(3),
                signature: row.get(4),
            };
            (order, row.get(5))
        }))
    }

    /// Notes that a call begins which must not be made twice, unless one has begun before, or nobody wants it any more.
    pub(crate) fn begin_call(&self, id: &str, claim: i32) -> Result<bool, ClusterError> {
        let noted = self.wait(
            sqlx::query(
                "UPDATE signoff.orders SET called = claim \
                 WHERE id = $1 AND claim = $2 AND called IS NULL AND report IS NULL AND NOT withdrawn",
            )
            .bind(id)
            .bind(claim)
            .execute(&self.pool),
        )?;
        Ok(noted.rows_affected() > 0)
    }

    /// Which of these claims still hold.
    pub(crate) fn held_claims(
        &self,
        claims: &[(String, i32)],
    ) -> Result<Vec<String>, ClusterError> {
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

    /// Reports what came of orders, with the files that belong to it. Returns those that count: the others were withdrawn, or
    /// another machine has taken them since.
    pub(crate) fn report(
        &self,
        run: &str,
        reports: &[ClaimedReport],
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Vec<String>, ClusterError> {
        let column = |of: fn(&ClaimedReport) -> &String| -> Vec<String> {
            reports.iter().map(|report| of(report).clone()).collect()
        };
        let claims: Vec<i32> = reports.iter().map(|report| report.claim).collect();
        let (paths, contents) = columns(files);
        let text = format!(
            "WITH {PUT_FILES} \
             UPDATE signoff.orders o SET report = r.report, report_key = r.key, report_signature = r.signature, reported = now() \
             FROM unnest($4::text[], $5::int[], $6::text[], $7::text[], $8::text[]) AS r(id, claim, report, key, signature) \
             WHERE o.id = r.id AND o.claim = r.claim AND o.report IS NULL AND NOT o.withdrawn RETURNING o.id"
        );
        self.wait(
            sqlx::query_scalar(AssertSqlSafe(text))
                .bind(run)
                .bind(paths)
                .bind(contents)
                .bind(column(|report| &report.order))
                .bind(claims)
                .bind(column(|report| &report.signed.body))
                .bind(column(|report| &report.signed.key))
                .bind(column(|report| &report.signed.signature))
                .fetch_all(&self.pool),
        )
    }

    /// The reports about these orders.
    pub(crate) fn reports(&self, ids: &[String]) -> Result<Vec<OrderReport>, ClusterError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT id, signature, report, report_key, report_signature FROM signoff.orders \
                 WHERE id = ANY($1) AND report IS NOT NULL",
            )
            .bind(ids)
            .fetch_all(&self.pool),
        )?;
        let reports = rows.iter().map(|row| OrderReport {
            order: row.get(0),
            claims: claims(row.get(1)),
            signed: SignedReport {
                body: row.get(2),
                key: row.get(3),
                signature: row.get(4),
            },
        });
        Ok(reports.collect())
    }

    /// Forgets a report that nobody believes, and has the order carried out again.
    pub(crate) fn discard_report(&self, id: &str) -> Result<(), ClusterError> {
        let queued = enqueue_given("again", "$2", "again.priority", "NULL");
        let text = format!(
            "WITH again AS (UPDATE signoff.orders o \
               SET report = NULL, report_key = NULL, report_signature = NULL, given = o.given + 1 \
               FROM signoff.runs r WHERE o.id = $1 AND r.id = o.run RETURNING o.id, o.role, o.given, r.priority) \
             SELECT {queued} FROM again"
        );
        self.wait(
            sqlx::query(AssertSqlSafe(text))
                .bind(id)
                .bind(version())
                .execute(&self.pool),
        )
        .map(drop)
    }

    /// Puts an order that this process does not carry out back into its queue, unless nobody wants it any more: behind what is
    /// more urgent, and before what came later.
    pub(crate) fn pass_on(&self, id: &str, after: Option<Duration>) -> Result<(), ClusterError> {
        // By the clock that the queue goes by.
        let later = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint + $3::bigint";
        let queued = enqueue_given("back", "$2", "back.priority - 1", later);
        let text = format!(
            "WITH back AS (UPDATE signoff.orders o SET given = o.given + 1 FROM signoff.runs r \
               WHERE o.id = $1 AND r.id = o.run AND o.report IS NULL AND NOT o.withdrawn \
               RETURNING o.id, o.role, o.given, r.priority) \
             SELECT {queued} FROM back"
        );
        let wait = after.map(|after| i64::try_from(after.as_millis()).unwrap_or_default());
        self.wait(
            sqlx::query(AssertSqlSafe(text))
                .bind(id)
                .bind(version())
                .bind(wait)
                .execute(&self.pool),
        )
        .map(drop)
    }

    /// Withdraws every open order of a run. Returns those of which no call has begun that must not be made twice: none will.
    pub(crate) fn withdraw(&self, run: &str, epoch: i64) -> Result<Vec<String>, ClusterError> {
        self.wait(
            sqlx::query_scalar(
                "WITH gone AS (UPDATE signoff.orders o SET withdrawn = true FROM signoff.runs r \
                 WHERE o.run = $1 AND r.id = o.run AND r.epoch = $2 AND o.report IS NULL \
                 RETURNING o.id, o.called) \
                 SELECT id FROM gone WHERE called IS NULL",
            )
            .bind(run)
            .bind(epoch)
            .fetch_all(&self.pool),
        )
    }

    /// Orders that no machine has taken yet, by role.
    pub(crate) fn waiting_orders(&self) -> Result<Vec<(String, i64)>, ClusterError> {
        let rows = self.wait(
            sqlx::query(
                "SELECT role, count(*) FROM signoff.orders \
                 WHERE claim = 0 AND report IS NULL AND NOT withdrawn GROUP BY role ORDER BY role",
            )
            .fetch_all(&self.pool),
        )?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }
}

/// Puts orders into the queues of their roles, under a name for each time that they are given.
fn enqueue_given(orders: &str, version: &str, priority: &str, after_ms: &str) -> String {
    enqueue(&Queued {
        workflow: ATTEMPT,
        queue: &format!("'role-' || {orders}.role"),
        id: &format!("{orders}.id || '/' || {orders}.given"),
        input: &format!("{orders}.id"),
        version,
        priority,
        partition: "NULL",
        after_ms,
    })
}

#[cfg(test)]
mod tests {
    use signoff_testkit::Postgres;

    use super::*;

    fn order(id: &str) -> SignedOrder {
        SignedOrder {
            id: id.to_owned(),
            run: "r".to_owned(),
            role: "tools".to_owned(),
            body: "{}".to_owned(),
            key: String::new(),
            signature: String::new(),
        }
    }

    fn database(postgres: &Postgres) -> Database {
        let database = Database::connect(&postgres.url()).unwrap();
        database.migrate().unwrap();
        postgres.sql("INSERT INTO signoff.runs (id, project, plan, title, by_name, priority, submission, epoch) VALUES ('r', '', '', '', '', 20, '', 1)");
        database
    }

    fn queued(postgres: &Postgres) -> String {
        postgres.sql("SELECT string_agg(workflow_uuid || ' ' || priority, ', ' ORDER BY workflow_uuid) FROM signoff_dbos.workflow_status WHERE status = 'ENQUEUED'")
    }

    #[test]
    fn what_was_withdrawn_or_not_believed_is_queued_again_when_it_is_given_again() {
        let Some(postgres) = Postgres::start() else {
            return;
        };
        let database = database(&postgres);
        let give = || database.add_orders("r", 1, 20, &[order("o")]).unwrap();
        assert!(give());
        // Whoever gives it once more after a crash changes nothing.
        assert!(give());
        assert_eq!(queued(&postgres), "o/0 20");
        database.claim_order("o", "m").unwrap().unwrap();
        database.withdraw("r", 1).unwrap();
        assert_eq!(database.claim_order("o", "m").unwrap(), None);
        assert!(give());
        assert_eq!(queued(&postgres), "o/0 20, o/1 20");
        let (_, claim) = database.claim_order("o", "m").unwrap().unwrap();
        assert_eq!(claim, 2);
        postgres.sql("UPDATE signoff.orders SET report = 'x'");
        assert_eq!(database.claim_order("o", "m").unwrap(), None);
        database.discard_report("o").unwrap();
        assert_eq!(queued(&postgres), "o/0 20, o/1 20, o/2 20");
        assert!(database.claim_order("o", "m").unwrap().is_some());
    }

    #[test]
    fn a_call_begins_once_and_not_after_it_was_withdrawn() {
        let Some(postgres) = Postgres::start() else {
            return;
        };
        let database = database(&postgres);
        let orders = [order("made"), order("not-made")];
        database.add_orders("r", 1, 20, &orders).unwrap();
        for order in &orders {
            database.claim_order(&order.id, "m").unwrap();
        }
        assert!(database.begin_call("made", 1).unwrap());
        database.claim_order("made", "other").unwrap();
        assert!(!database.begin_call("made", 1).unwrap(), "an older claim");
        assert!(!database.begin_call("made", 2).unwrap(), "it may be made");
        assert_eq!(database.withdraw("r", 1).unwrap(), ["not-made"]);
        assert!(!database.begin_call("not-made", 1).unwrap());
    }

    #[test]
    fn what_one_machine_gives_back_stays_behind_what_is_more_urgent() {
        let Some(postgres) = Postgres::start() else {
            return;
        };
        let database = database(&postgres);
        database.add_orders("r", 1, 20, &[order("o")]).unwrap();
        database.pass_on("o", None).unwrap();
        assert_eq!(queued(&postgres), "o/0 20, o/1 19");
        let hour = Duration::from_hours(1);
        database.pass_on("o", Some(hour)).unwrap();
        let waits = "SELECT status, delay_until_epoch_ms > created_at + 3000000 FROM signoff_dbos.workflow_status WHERE workflow_uuid = 'o/2'";
        assert_eq!(postgres.sql(waits), "DELAYED|t");
    }
}
