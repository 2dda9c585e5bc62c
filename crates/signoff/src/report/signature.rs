//! Who signed, and how we know.

use signoff_runtime::signing::proof::SignatureCheck;

use crate::report::style::{CARE, DIM, harmless, paint};

/// The signature that counts, or what is wrong with those that do not.
pub(crate) fn signature(counted: &SignatureCheck) -> Vec<String> {
    match counted {
        SignatureCheck::Valid(signed) => {
            let (who, proof) = (harmless(&signed.signature.by), signed.proof());
            let mut line = format!("signed by {who}, proof: {proof}");
            if let Some(key) = &signed.key {
                line = format!("{line} of {}", harmless(&key.principal));
            }
            vec![paint(DIM, line).to_string()]
        }
        SignatureCheck::Missing(doubted) => doubted
            .iter()
            .map(|one| format!("{} {one}", paint(CARE, "does not count:")))
            .collect(),
    }
}
