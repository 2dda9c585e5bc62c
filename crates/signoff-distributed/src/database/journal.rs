//! The journal of a run, and the files that go with it.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row as _};

use super::Database;
use crate::error::ClusterError;

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

/// Lines that were published, with the head that they lead to.
#[derive(Debug, Clone)]
pub(crate) struct PublishedLines {
    pub(crate) lines: Vec<(i64, String)>,
    pub(crate) hash: String,
    pub(crate) key: Option<String>,
    pub(crate) signature: Option<String>,
}

impl Database {
    /// Publishes lines of a journal, once. `false`: another process drives the run now.
    pub(crate) fn publish(
        &self,
        run: &str,
        epoch: i64,
        published: &PublishedLines,
    ) -> Result<bool, ClusterError> {
        let (numbers, texts): (Vec<i64>, Vec<String>) = published.lines.iter().cloned().unzip();
        let last = numbers.last().copied().unwrap_or_default();
        // One statement, so that it is one answer to wait for. The run's row is locked until it is done: two processes take
        // turns, and the older one finds another epoch.
        let written = self.wait(
            sqlx::query(
                "WITH owned AS ( \
                   UPDATE signoff.runs SET head_seq = $3, head_hash = $4, head_key = $5, head_signature = $6, updated = now() \
                   WHERE id = $1 AND epoch = $2 RETURNING id) \
                 INSERT INTO signoff.events (run, seq, line) \
                 SELECT owned.id, l.seq, l.line FROM owned, unnest($7::bigint[], $8::text[]) AS l(seq, line) \
                 ON CONFLICT (run, seq) DO UPDATE SET line = EXCLUDED.line",
            )
            .bind(run)
            .bind(epoch)
            .bind(last)
            .bind(&published.hash)
            .bind(&published.key)
            .bind(&published.signature)
            .bind(numbers)
            .bind(texts)
            .execute(&self.pool),
        )?;
        Ok(written.rows_affected() > 0)
    }

    pub(crate) fn head(&self, run: &str) -> Result<Option<SharedHead>, ClusterError> {
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
    ) -> Result<Vec<(i64, String)>, ClusterError> {
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

    /// Puts files beside the journal, each in place of the one that had its name.
    pub(crate) fn put_files(
        &self,
        run: &str,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(), ClusterError> {
        if files.is_empty() {
            return Ok(());
        }
        let (paths, contents) = columns(files);
        let text = format!("WITH {PUT_FILES} SELECT 1");
        self.wait(
            sqlx::query(AssertSqlSafe(text))
                .bind(run)
                .bind(paths)
                .bind(contents)
                .execute(&self.pool),
        )
        .map(drop)
    }

    /// The files of a run that came after this number, oldest first.
    pub(crate) fn files_after(
        &self,
        run: &str,
        number: i64,
    ) -> Result<Vec<(i64, String, Vec<u8>)>, ClusterError> {
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
}

/// Puts files `$2` with the contents `$3` beside the journal of the run `$1`. Machines take turns, so that nobody who has seen a
/// number misses a smaller one.
pub(super) const PUT_FILES: &str = "put AS ( \
    INSERT INTO signoff.files (run, path, bytes) \
    SELECT $1, f.path, f.bytes \
    FROM (SELECT pg_advisory_xact_lock(hashtextextended('signoff.files ' || $1, 0)) OFFSET 0) AS turn, \
         unnest($2::text[], $3::bytea[]) AS f(path, bytes) \
    ON CONFLICT (run, path) DO UPDATE SET bytes = EXCLUDED.bytes, number = nextval('signoff.files_number_seq'))";

/// The names of files, and what is in them.
pub(super) fn columns(files: &BTreeMap<String, Vec<u8>>) -> (Vec<String>, Vec<Vec<u8>>) {
    (
        files.keys().cloned().collect(),
        files.values().cloned().collect(),
    )
}

pub(super) async fn insert_lines(
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

#[cfg(test)]
mod tests {
    use signoff_testkit::Postgres;

    use super::*;

    fn file(name: &str) -> BTreeMap<String, Vec<u8>> {
        BTreeMap::from([(name.to_owned(), b"x".to_vec())])
    }

    #[test]
    fn who_has_seen_a_file_has_seen_those_with_smaller_numbers() {
        let Some(postgres) = Postgres::start() else {
            return;
        };
        let database = Database::connect(&postgres.url()).unwrap();
        database.migrate().unwrap();
        postgres.sql("INSERT INTO signoff.runs (id, project, plan, title, by_name, priority, submission) VALUES ('r', '', '', '', '', 1, '')");
        let begin = async { database.pool.begin().await };
        let mut first = database.wait(begin).unwrap();
        let (paths, contents) = columns(&file("a"));
        let text = format!("WITH {PUT_FILES} SELECT 1");
        let put = sqlx::query(AssertSqlSafe(text))
            .bind("r")
            .bind(paths)
            .bind(contents)
            .execute(&mut *first);
        database.wait(put).unwrap();
        let other = database.clone();
        let second = std::thread::spawn(move || other.put_files("r", &file("b")));
        let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
        while postgres.sql(waits) != "1" {
            assert!(
                !second.is_finished(),
                "it has a number before the first is there"
            );
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        assert_eq!(database.files_after("r", 0).unwrap(), []);
        database.wait(first.commit()).unwrap();
        second.join().unwrap().unwrap();
        let files = database.files_after("r", 0).unwrap();
        let names: Vec<&str> = files.iter().map(|(_, name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
