//! Orders, who has taken them, and what was reported.

use std::collections::BTreeMap;

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
    /// Adds orders and puts them into the queues of their roles, once. `false`: another process drives the run now.
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
        let queued = enqueue(&Queued {
            workflow: ATTEMPT,
            queue: "'role-' || new.role",
            id: "new.id",
            input: "new.id",
            version: "$8",
            priority: "$9",
            partition: "NULL",
            after_ms: "NULL",
        });
        let text = format!(
            "WITH owned AS (SELECT id FROM signoff.runs WHERE id = $1 AND epoch = $2 FOR SHARE), \
             new AS (INSERT INTO signoff.orders (id, run, role, body, key, signature) \
               SELECT o.id, owned.id, o.role, o.body, o.key, o.signature \
               FROM owned, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS o(id, role, body, key, signature) \
               ON CONFLICT (id) DO UPDATE SET withdrawn = false RETURNING id, role) \
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

    /// Forgets a report that nobody believes, so that the order can be carried out again.
    pub(crate) fn discard_report(&self, id: &str) -> Result<(), ClusterError> {
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
    pub(crate) fn withdraw(&self, run: &str, epoch: i64) -> Result<(), ClusterError> {
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
