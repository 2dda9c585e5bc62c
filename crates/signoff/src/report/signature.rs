//! The signature of a plan, and its proof.

use signoff_runtime::signing::proof::SignatureCheck;

use crate::style::{CARE, DIM, paint, sanitize};

/// The signature that counts, or why none does.
pub(crate) fn signature(counted: &SignatureCheck) -> Vec<String> {
    match counted {
        SignatureCheck::Valid(signed) => {
            let (who, proof) = (sanitize(&signed.signature.by), signed.proof());
            let mut line = format!("signed by {who}, proof: {proof}");
            if let Some(key) = &signed.key {
                line = format!("{line} of {}", sanitize(&key.principal));
            }
            vec![paint(DIM, line).to_string()]
        }
        SignatureCheck::Missing(doubted) => doubted
            .iter()
            .map(|one| format!("{} {one}", paint(CARE, "does not count:")))
            .collect(),
    }
}
