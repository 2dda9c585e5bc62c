//! The signature of a plan, and its proof.

use signoff_engine::ApprovalProgress;
use signoff_runtime::signing::proof::SignatureCheck;
use signoff_store::signatures::SignatureRecord;

use crate::style::{CARE, DIM, paint, sanitize};

/// The signature that counts, or why none does.
pub(crate) fn signature(counted: &SignatureCheck) -> Vec<String> {
    match counted {
        SignatureCheck::Valid(signed) => vec![signed_line(signed)],
        SignatureCheck::Waiting(progress) => {
            let signed = progress.signed.join(", ");
            vec![paint(DIM, sanitize(&format!("signed by {signed}"))).to_string()]
        }
        SignatureCheck::Missing(doubted) => doubted
            .iter()
            .map(|one| format!("{} {one}", paint(CARE, "does not count:")))
            .collect(),
    }
}

/// Who signed, and how we know.
pub(crate) fn signed_line(signed: &SignatureRecord) -> String {
    let (who, proof) = (sanitize(&signed.signature.by), signed.proof());
    let mut line = format!("signed by {who}, proof: {proof}");
    if let Some(key) = &signed.key {
        line = format!("{line} of {}", sanitize(&key.principal));
    }
    paint(DIM, line).to_string()
}

/// Who has signed and who is waited for.
pub(crate) fn approval_line(progress: &ApprovalProgress) -> String {
    let style = if progress.is_complete() { DIM } else { CARE };
    let mut line = format!("signatures: {progress}");
    if progress.is_complete() {
        line = format!("{line}: {}", progress.signed.join(", "));
    }
    paint(style, sanitize(&line)).to_string()
}
