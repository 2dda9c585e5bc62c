//! The thread that delivers: attempts with growing waits, and a log of how each ended.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use serde_json::json;
use signoff_api::notification::Notification;
use signoff_work::secrets::Secrets;
use signoff_work::webhook::{Delivery, Undelivered, deliver};

use crate::clock::{Clock as _, SystemClock, timestamp};
use crate::project::Project;
use crate::project::secret_command::printed_secret;

/// How long an answer may take.
const TIME: Duration = Duration::from_secs(10);
/// The waits before further attempts.
const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(25),
];
/// Bytes of the log of deliveries, after which it begins anew.
const LONGEST: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Worker {
    project: Project,
    url: String,
    secrets: Secrets,
    environment: Vec<(OsString, OsString)>,
    stopped: Receiver<()>,
}

impl Worker {
    pub(super) fn new(project: &Project, url: String, stopped: Receiver<()>) -> Self {
        Self {
            url,
            secrets: project.secrets(),
            environment: project.process.variables.clone().into_iter().collect(),
            project: project.clone(),
            stopped,
        }
    }

    /// Delivers until all senders are gone.
    pub(super) fn deliver_all(&self, waiting: &Receiver<Notification>) {
        // Asked for once, and only where there is something to sign.
        let mut secret = None;
        for notification in waiting {
            let secret = secret.get_or_insert_with(|| self.secret());
            let ended = match secret {
                Ok(secret) => self.deliver(&notification, secret.as_ref()),
                // Nobody could tell an unsigned one from a forged one.
                Err(why) => (0, Err(format!("there is no secret to sign it with: {why}"))),
            };
            self.log(&notification, ended);
        }
    }

    /// The number of attempts, and the status of the last answer or what was wrong.
    fn deliver(
        &self,
        notification: &Notification,
        secret: Option<&String>,
    ) -> (usize, Result<u16, String>) {
        let body = serde_json::to_string(notification);
        let body = body.expect("a notification has texts as keys");
        let body = self.secrets.hide(&body).into_owned();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let delivery = Delivery {
                url: self.url.clone(),
                body: body.clone(),
                secret: secret.cloned(),
                timestamp: SystemClock::new().now() / 1000,
            };
            let failed = match deliver(&delivery, self.environment.clone(), TIME) {
                Ok(status) => return (attempts, Ok(status)),
                Err(failed) => failed,
            };
            let Undelivered { why, is_passing } = failed;
            let wait = WAITS.get(attempts - 1).filter(|_| is_passing);
            let Some(wait) = wait else {
                return (attempts, Err(why));
            };
            match self.stopped.recv_timeout(*wait) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return (attempts, Err(why)),
            }
        }
    }

    fn secret(&self) -> Result<Option<String>, String> {
        let notify = &self.project.config.notify;
        if !notify.secret_command.value.is_empty() {
            let why = |why| format!("`[notify] secret_command`: {why}");
            return printed_secret(&self.project, &notify.secret_command.value)
                .map(Some)
                .map_err(why);
        }
        let Some(name) = &notify.secret_env.value else {
            return Ok(None);
        };
        let value = self.project.process.variables.get(OsStr::new(name));
        let value = value.and_then(|value| value.to_str()).map(str::trim);
        match value.filter(|value| !value.is_empty()) {
            Some(value) => Ok(Some(value.to_owned())),
            None => Err(format!(
                "the variable `{name}` of `[notify] secret_env` is not set"
            )),
        }
    }

    /// The log of deliveries.
    fn log_path(&self) -> PathBuf {
        self.project.store.runs_dir().join("notifications.jsonl")
    }

    /// A delivery counts even if it cannot be logged.
    fn log(&self, notification: &Notification, (attempts, ended): (usize, Result<u16, String>)) {
        let path = self.log_path();
        let is_long = path.metadata().is_ok_and(|found| found.len() > LONGEST);
        let mut options = OpenOptions::new();
        let options = options.create(true).append(!is_long);
        let Ok(mut file) = options.write(true).truncate(is_long).open(path) else {
            return;
        };
        let (status, error) = match ended {
            Ok(status) => (Some(status), None),
            Err(why) => (None, Some(self.secrets.hide(&why).into_owned())),
        };
        let line = json!({
            "at": timestamp(SystemClock::new().now()),
            "id": notification.id,
            "kind": notification.kind,
            "plan": notification.plan,
            "attempts": attempts,
            "status": status,
            "error": error,
        });
        writeln!(file, "{line}").ok();
    }
}
