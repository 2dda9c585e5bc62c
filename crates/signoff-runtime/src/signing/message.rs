//! Messages of a person to other machines, signed with the same key as plans: a database that carries them cannot make any.

use serde::{Deserialize, Serialize};
use signoff_plan::digest::Digest;
use signoff_plan::signed::Signature;
use signoff_store::signatures::{KeyProof, Proof};

use super::ssh;
use crate::clock::{Clock, timestamp};
use crate::error::Error;
use crate::project::Project;

/// What shows that a person sent a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageProof {
    /// Who sent it, as they call themselves.
    pub by: String,
    /// When.
    pub at: String,
    /// Whose key signed it.
    pub principal: String,
    /// The signature.
    pub signature: String,
}

/// Signs a message about something, such as an answer to a run.
pub fn sign_message(
    project: &Project,
    about: &str,
    message: &[u8],
    clock: &dyn Clock,
) -> Result<MessageProof, Error> {
    let id = project.require_id()?;
    let by = project.process.person.clone();
    let signature = statement(&id, about, message, &by, &timestamp(clock.now()));
    let proof = ssh::sign(project, &signature)?;
    Ok(MessageProof {
        by,
        at: signature.at,
        principal: proof.principal,
        signature: proof.signature,
    })
}

/// Checks that the key of a person whom this machine believes signed exactly this message about exactly this.
pub fn verify_message(
    project: &Project,
    about: &str,
    message: &[u8],
    proof: &MessageProof,
) -> Result<(), Error> {
    let id = project.require_id()?;
    let signature = statement(&id, about, message, &proof.by, &proof.at);
    let key = KeyProof {
        principal: proof.principal.clone(),
        signature: proof.signature.clone(),
    };
    Ok(ssh::verify(project, &signature, &key)?)
}

/// A message as plans are signed: its text takes the place of the plan, and what it is about that of the terms.
fn statement(project: &str, about: &str, message: &[u8], by: &str, at: &str) -> Signature {
    Signature {
        project: Some(project.to_owned()),
        plan: format!("message {about}"),
        digest: Digest::of_bytes(message),
        terms: Digest::of_bytes(about.as_bytes()),
        by: by.to_owned(),
        at: at.to_owned(),
        proof: Proof::Key.name().to_owned(),
        note: None,
    }
}
