//! Who signed, and how we know.

use signoff_plan::signed::Signature;
use signoff_runtime::proof::Counted;

use crate::report::style::{CARE, DIM, harmless, paint};

/// The signature that counts, or what is wrong with those that do not.
pub(crate) fn signature(counted: &Counted) -> Vec<String> {
    match counted {
        Counted::Yes(signed) => {
            let mut line = by(&signed.signature);
            if let Some(key) = &signed.key {
                line = format!("{line} of {}", harmless(&key.principal));
            }
            vec![paint(DIM, line).to_string()]
        }
        Counted::No(doubted) => doubted
            .iter()
            .map(|one| format!("{} {one}", paint(CARE, "does not count:")))
            .collect(),
    }
}

/// Who, and by what proof.
pub(crate) fn by(signature: &Signature) -> String {
    let (who, proof) = (harmless(&signature.by), harmless(&signature.proof));
    format!("signed by {who}, proof: {proof}")
}
