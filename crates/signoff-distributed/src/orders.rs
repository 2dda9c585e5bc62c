//! Orders and reports, signed by the machines that make them.

use serde::{Deserialize, Serialize};
use signoff_runtime::cluster::{OrderedTask, Report, WorkOrder};

use crate::database::PROTOCOL;
use crate::error::ClusterError;
use crate::keys::{MachineKey, is_signed};

/// An order, as it is signed. It names the journal's head, and so the whole run that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkOrderBody {
    pub(crate) protocol: i32,
    pub(crate) run: String,
    pub(crate) project: String,
    pub(crate) step: String,
    pub(crate) attempt: u32,
    pub(crate) role: String,
    pub(crate) task: OrderedTask,
    /// The number of the event that began it.
    pub(crate) begun: i64,
    /// The journal's head when it was given.
    pub(crate) seq: i64,
    pub(crate) hash: String,
    /// What the git repository had when it was given.
    pub(crate) pushed: PushCount,
}

/// How often commits were taken to the git repository for a run: by which of the processes that drove it, and by that one. Who
/// has fetched since needs not fetch again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PushCount {
    pub(crate) epoch: i64,
    pub(crate) count: u64,
}

impl WorkOrderBody {
    /// The order's name: the same for everybody who gives it again.
    pub(crate) fn id(&self) -> String {
        format!(
            "{}/{}/{}/{}/{}",
            self.run,
            self.step,
            self.attempt,
            self.task.name(),
            self.begun
        )
    }

    pub(crate) fn order(&self) -> WorkOrder {
        WorkOrder {
            step: self.step.clone(),
            attempt: self.attempt,
            role: self.role.clone(),
            task: self.task,
        }
    }
}

/// What every version says of its orders.
#[derive(Deserialize)]
struct OrderProtocol {
    protocol: i32,
}

/// An order with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedOrder {
    pub(crate) id: String,
    pub(crate) run: String,
    pub(crate) role: String,
    pub(crate) body: String,
    pub(crate) key: String,
    pub(crate) signature: String,
}

const ORDER: &str = "order";
const REPORT: &str = "report";

impl SignedOrder {
    pub(crate) fn new(body: &WorkOrderBody, key: &MachineKey) -> Result<Self, ClusterError> {
        let text = encode(body)?;
        Ok(Self {
            id: body.id(),
            run: body.run.clone(),
            role: body.role.clone(),
            signature: key.sign(ORDER, &text),
            key: key.public().to_owned(),
            body: text,
        })
    }

    /// The order, if one of these keys signed it under this name.
    pub(crate) fn verify(&self, trusted: &[String]) -> Result<WorkOrderBody, ClusterError> {
        let wrong = |why: String| ClusterError::Untrusted(why);
        if !trusted.contains(&self.key) {
            return Err(wrong(format!(
                "the order `{}` is from a machine that `[engine] orchestrators` does not list: {}",
                self.id, self.key
            )));
        }
        if !is_signed(&self.key, ORDER, &self.body, &self.signature) {
            return Err(wrong(format!(
                "the signature of the order `{}` does not fit",
                self.id
            )));
        }
        let spoken: OrderProtocol = serde_json::from_str(&self.body)
            .map_err(|why| wrong(format!("the order `{}` cannot be read: {why}", self.id)))?;
        if spoken.protocol != PROTOCOL {
            return Err(wrong(format!(
                "the order `{}` is of protocol {}, and this program knows {PROTOCOL}: the machine that gave it has another version",
                self.id, spoken.protocol
            )));
        }
        let body: WorkOrderBody = serde_json::from_str(&self.body)
            .map_err(|why| wrong(format!("the order `{}` cannot be read: {why}", self.id)))?;
        if body.id() != self.id || body.run != self.run {
            return Err(wrong(format!(
                "the order `{}` was given under another name",
                self.id
            )));
        }
        Ok(body)
    }
}

impl SignedOrder {
    /// What names of work begin with that is done for it, in the git repository: nobody can make another one with it.
    pub(crate) fn claims(&self) -> String {
        claims(&self.signature)
    }

    /// What the order says, whoever wrote it. Only for a report that it is not believed.
    pub(crate) fn unverified_body(&self) -> Option<WorkOrderBody> {
        serde_json::from_str(&self.body).ok()
    }
}

/// What names of work begin with that is done for the order with this signature, whoever wrote that.
pub(crate) fn claims(signature: &str) -> String {
    let digits = signature.chars().filter(char::is_ascii_hexdigit);
    let short: String = digits.take(32).collect();
    format!("claims/{short}-")
}

/// A report, as it is signed: it names its order, so that it counts for no other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportBody {
    order: String,
    report: Report,
}

/// A report with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedReport {
    pub(crate) body: String,
    pub(crate) key: String,
    pub(crate) signature: String,
}

impl SignedReport {
    pub(crate) fn new(
        order: &SignedOrder,
        report: Report,
        key: &MachineKey,
    ) -> Result<Self, ClusterError> {
        let body = encode(&ReportBody {
            order: order.id.clone(),
            report,
        })?;
        Ok(Self {
            signature: key.sign(REPORT, &body),
            key: key.public().to_owned(),
            body,
        })
    }

    /// The report, if one of these keys signed it for this order.
    pub(crate) fn verify(&self, order: &str, trusted: &[String]) -> Result<Report, ClusterError> {
        let wrong = |why: String| ClusterError::Untrusted(why);
        if !trusted.contains(&self.key) {
            return Err(wrong(format!(
                "the report about `{order}` is from a machine that `[engine] workers` does not list: {}",
                self.key
            )));
        }
        if !is_signed(&self.key, REPORT, &self.body, &self.signature) {
            return Err(wrong(format!(
                "the signature of the report about `{order}` does not fit"
            )));
        }
        let body: ReportBody = serde_json::from_str(&self.body)
            .map_err(|why| wrong(format!("the report about `{order}` cannot be read: {why}")))?;
        if body.order != order {
            return Err(wrong(format!(
                "the report about `{order}` was made about `{}`",
                body.order
            )));
        }
        Ok(body.report)
    }
}

fn encode(body: &impl Serialize) -> Result<String, ClusterError> {
    serde_json::to_string(body).map_err(|why| ClusterError::Machine {
        what: "a message cannot be written",
        why: why.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use signoff_runtime::cluster::ReportedEnd;

    use super::*;

    fn body(step: &str) -> WorkOrderBody {
        WorkOrderBody {
            protocol: PROTOCOL,
            run: "r".to_owned(),
            project: "p".to_owned(),
            step: step.to_owned(),
            attempt: 1,
            role: "coder".to_owned(),
            task: OrderedTask::Evaluate { patience: 1 },
            begun: 7,
            seq: 9,
            hash: "h".to_owned(),
            pushed: PushCount::default(),
        }
    }

    #[test]
    fn no_signature_leads_to_other_names() {
        assert_eq!(claims("ab12"), "claims/ab12-");
        assert_eq!(claims("../*:a+"), "claims/a-");
        assert_eq!(
            claims(&"f".repeat(128)),
            format!("claims/{}-", "f".repeat(32))
        );
    }

    #[test]
    fn what_the_database_can_write_is_not_enough() {
        let [mine, theirs] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let key = MachineKey::of_directory(mine.path()).unwrap();
        let stranger = MachineKey::of_directory(theirs.path()).unwrap();
        let trusted = [key.public().to_owned()];
        let order = SignedOrder::new(&body("a"), &key).unwrap();
        assert_eq!(order.verify(&trusted).unwrap(), body("a"));
        let refused = |order: SignedOrder| order.verify(&trusted).unwrap_err().to_string();
        // Another text, another name, another machine.
        let other = SignedOrder {
            body: order.body.replace("\"a\"", "\"b\""),
            ..order.clone()
        };
        assert!(refused(other).contains("does not fit"));
        let renamed = SignedOrder {
            id: "r/a/1/evaluate/8".to_owned(),
            ..order.clone()
        };
        assert!(refused(renamed).contains("another name"));
        let newer = WorkOrderBody {
            protocol: PROTOCOL + 1,
            ..body("a")
        };
        let newer = SignedOrder::new(&newer, &key).unwrap();
        assert!(refused(newer).contains("another version"));
        let strange = SignedOrder::new(&body("a"), &stranger).unwrap();
        assert!(refused(strange).contains("does not list"));

        let report = Report {
            step: "a".to_owned(),
            attempt: 1,
            task: OrderedTask::Evaluate { patience: 1 },
            commit: None,
            end: ReportedEnd::Trouble("x".to_owned()),
        };
        let signed = SignedReport::new(&order, report.clone(), &key).unwrap();
        assert_eq!(signed.verify(&order.id, &trusted).unwrap(), report);
        let replayed = signed.verify("r/b/1/evaluate/7", &trusted).unwrap_err();
        assert!(replayed.to_string().contains("was made about"));
        let strange = SignedReport::new(&order, report, &stranger).unwrap();
        assert!(strange.verify(&order.id, &trusted).is_err());
    }
}
