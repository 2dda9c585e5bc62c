//! Whoever waits for something in the database is woken when it is there. Nothing rests on that: who was not woken looks after
//! a while.
//!
//! A wake is a notification after what it tells of: in the same transaction it would have all who write take turns.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::postgres::PgListener;

use crate::database::Database;

const CHANNEL: &str = "signoff";

/// How long it may take until the database is asked for notifications again, after it went away.
const AGAIN: Duration = Duration::from_secs(1);

impl Database {
    /// Wakes whoever waits for news of a run. It is not waited for: who misses it looks later.
    pub(crate) fn wake(&self, run: &str) {
        let (pool, run) = (self.pool().clone(), run.to_owned());
        self.handle().spawn(async move {
            let notify = sqlx::query("SELECT pg_notify($1, $2)");
            drop(notify.bind(CHANNEL).bind(run).execute(&pool).await);
        });
    }
}

/// Those of this process who wait, by run.
#[derive(Debug, Default)]
pub(crate) struct Wakes(Mutex<BTreeMap<String, Arc<Bell>>>);

impl Wakes {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Bell>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens to the database from now on, for as long as the process lives.
    pub(crate) fn listen(self: &Arc<Self>, database: &Database) {
        let (wakes, url) = (Arc::clone(self), database.url().to_owned());
        database.handle().spawn(async move {
            loop {
                // Without notifications everybody looks when it is time.
                drop(wakes.follow(&url).await);
                tokio::time::sleep(AGAIN).await;
            }
        });
    }

    async fn follow(&self, url: &str) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect(url).await?;
        listener.listen(CHANNEL).await?;
        loop {
            // What was told before the connection was there, or while it was not, nobody repeats.
            self.ring_all();
            while let Some(told) = listener.try_recv().await? {
                if let Some(bell) = self.lock().get(told.payload()) {
                    bell.wake_waiters();
                }
            }
        }
    }

    fn ring_all(&self) {
        for bell in self.lock().values() {
            bell.wake_waiters();
        }
    }

    /// The bell of a run that this process drives, until it is dropped.
    pub(crate) fn bell(self: &Arc<Self>, run: &str) -> RunBell {
        let bell = Arc::new(Bell::default());
        self.lock().insert(run.to_owned(), Arc::clone(&bell));
        RunBell {
            wakes: Arc::clone(self),
            run: run.to_owned(),
            bell,
        }
    }
}

/// The bell of one run.
#[derive(Debug)]
pub(crate) struct RunBell {
    wakes: Arc<Wakes>,
    run: String,
    bell: Arc<Bell>,
}

impl RunBell {
    /// Waits until somebody rings, at most so long.
    pub(crate) fn wait(&self, patience: Duration) {
        let rung = self.bell.lock();
        let waited = self
            .bell
            .changed
            .wait_timeout_while(rung, patience, |rung| !*rung);
        let (mut rung, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *rung = false;
    }

    pub(crate) fn wake_waiters(&self) {
        self.bell.wake_waiters();
    }
}

impl Drop for RunBell {
    fn drop(&mut self) {
        self.wakes.lock().remove(&self.run);
    }
}

#[derive(Debug, Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_waiters(&self) {
        *self.lock() = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use signoff_testkit::Postgres;

    use super::*;

    #[test]
    fn who_waits_for_a_run_is_woken_through_the_database() {
        let Some(postgres) = Postgres::start() else {
            return;
        };
        let database = Database::connect(&postgres.url()).unwrap();
        let wakes = Arc::new(Wakes::default());
        let bell = wakes.bell("r");
        wakes.listen(&database);
        // It listens.
        bell.wait(Duration::MAX);
        database.wake("r");
        bell.wait(Duration::MAX);
    }

    #[test]
    fn who_was_woken_before_waiting_does_not_wait() {
        let wakes = Arc::new(Wakes::default());
        let bell = wakes.bell("r");
        wakes.ring_all();
        // For ever, if it were not for the bell.
        bell.wait(Duration::MAX);
        drop(bell);
        assert!(wakes.lock().is_empty());
    }
}
