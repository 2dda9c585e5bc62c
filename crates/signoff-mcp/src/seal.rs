//! What a person was shown, sealed into the state that a client hands back with their answer.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};

use crate::errors::ToolError;

/// How long a person may think about it.
const PATIENCE: Duration = Duration::from_hours(1);

/// What a person was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SealedVersion {
    pub(crate) digest: String,
    pub(crate) terms: String,
    /// Different each time, so that an answer counts once.
    pub(crate) number: u64,
}

/// Seals what was shown, so that only what this server showed comes back, for the same call, and once.
#[derive(Debug)]
pub(crate) struct Seal {
    codec: RequestStateCodec,
    ledger: Mutex<Ledger>,
}

/// What was given out and what came back.
#[derive(Debug, Default)]
struct Ledger {
    last: u64,
    used: BTreeSet<u64>,
}

impl Seal {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        Self {
            codec: RequestStateCodec::try_new(key.to_vec()).expect("the key is long enough"),
            ledger: Mutex::default(),
        }
    }

    /// A number that no other question has.
    pub(crate) fn next_number(&self) -> u64 {
        let mut ledger = self.ledger();
        ledger.last += 1;
        ledger.last
    }

    /// Seals what was shown for this call.
    pub(crate) fn close(&self, shown: &SealedVersion, call: &str) -> Result<String, ToolError> {
        let options = SealOptions::new()
            .associated_data(call.as_bytes())
            .ttl(PATIENCE);
        let sealed = self.codec.seal_json_with(shown, &options);
        sealed.map_err(|why| ToolError::new("sealed-state", &why.to_string(), &[]))
    }

    /// What was shown for this call. Each comes back once.
    pub(crate) fn open(&self, sealed: &str, call: &str) -> Result<SealedVersion, ToolError> {
        let again = &["call the tool again without `requestState`: the person is asked anew"];
        let opened = self.codec.open_json_with(sealed, call.as_bytes());
        let shown: SealedVersion = opened.map_err(|why| {
            let message = format!("the answer does not belong to this call: {why}");
            ToolError::new("sealed-state", &message, again)
        })?;
        if !self.ledger().used.insert(shown.number) {
            let message = "the answer was used already";
            return Err(ToolError::new("sealed-state", message, again));
        }
        Ok(shown)
    }

    fn ledger(&self) -> std::sync::MutexGuard<'_, Ledger> {
        // Nothing panics while it is held; numbers stay true even so.
        let held = self.ledger.lock();
        held.unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(seal: &Seal) -> SealedVersion {
        SealedVersion {
            digest: "sha256:1".to_owned(),
            terms: "sha256:2".to_owned(),
            number: seal.next_number(),
        }
    }

    #[test]
    fn what_was_shown_comes_back_once_and_for_its_own_call() {
        let seal = Seal::new(&[7; 32]);
        let asked = shown(&seal);
        let sealed = seal.close(&asked, "plan_approve a").unwrap();
        assert!(seal.open(&sealed, "plan_approve b").is_err());
        assert_eq!(seal.open(&sealed, "plan_approve a").unwrap(), asked);
        let again = seal.open(&sealed, "plan_approve a").unwrap_err();
        assert!(again.text.contains("used already"), "{}", again.text);
    }

    #[test]
    fn what_another_server_sealed_or_somebody_changed_is_refused() {
        let (ours, theirs) = (Seal::new(&[7; 32]), Seal::new(&[8; 32]));
        let sealed = theirs.close(&shown(&theirs), "c").unwrap();
        assert!(ours.open(&sealed, "c").is_err());
        let sealed = ours.close(&shown(&ours), "c").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            if changed != sealed {
                assert!(ours.open(&changed, "c").is_err(), "byte {at}");
            }
        }
        assert!(ours.open("", "c").is_err());
    }
}
