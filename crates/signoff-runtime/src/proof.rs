//! How we know that a signature is a person's: asked for when they sign, and looked at again whenever
//! a signature is to count.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use signoff_plan::digest::Digest;
use signoff_plan::signed::Signature;
use signoff_store::runs::RunDir;
use signoff_store::signatures::{self, KeyProof, Proof, SignatureRecord};
use signoff_store::trust::projects::ProjectStatus;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::{Project, minimum_proof};
use crate::ssh::{self, KeyError};

/// Digits of the plan's digest that are typed to confirm it.
const DIGITS: usize = 8;

/// The signature that counts for a plan, or why there is none.
#[derive(Debug)]
pub enum Counted {
    /// The newest that counts.
    Yes(Box<SignatureRecord>),
    /// None does: those over the present digests, newest first, with what is wrong with them.
    No(Vec<Doubted>),
}

/// A signature over the right digests that does not count.
#[derive(Debug)]
pub struct Doubted {
    /// Who is said to have signed.
    pub by: String,
    /// When, as it says.
    pub at: String,
    /// Why it does not count.
    pub why: Doubt,
}

/// Why a signature does not count.
#[derive(Debug)]
pub enum Doubt {
    /// It names no project: it is from before signatures did.
    Unbound,
    /// It was given in another project.
    OtherProject,
    /// This directory has the id of another one, and nobody trusted it.
    Copy {
        /// The other directory.
        of: PathBuf,
    },
    /// Its proof is weaker than what is asked for here.
    TooWeak {
        /// What it has.
        proof: Proof,
        /// What is asked for.
        minimum: Proof,
    },
    /// Its key is not believed.
    Key(KeyError),
}

/// Finds the newest signature over these digests whose proof is believed and strong enough.
pub fn counted(
    project: &Project,
    key: &str,
    digests: (&Digest, &Digest),
    minimum: Proof,
) -> Result<Counted, Error> {
    let (plan, terms) = digests;
    let found = signatures::all_matching(&project.store, key, plan, terms)?;
    counted_among(project, found, minimum)
}

/// The same of a run that has begun: its own copy tells it where the plan's signatures are not there, on another branch for
/// instance.
pub fn counted_for_run(
    project: &Project,
    (key, run): (&str, &RunDir),
    (plan, terms): (&Digest, &Digest),
) -> Result<Counted, Error> {
    let mut found = signatures::all_matching(&project.store, key, plan, terms)?;
    if found.is_empty() {
        found = signatures::copies_of_run(run, key, plan, terms)?;
    }
    counted_among(project, found, minimum_proof(project))
}

fn counted_among(
    project: &Project,
    found: Vec<SignatureRecord>,
    minimum: Proof,
) -> Result<Counted, Error> {
    let mut doubted = Vec::new();
    let (id, status) = project.id_status()?;
    for signed in found {
        let bound = binds(&signed, id.as_deref(), &status);
        match bound.and_then(|()| believe(project, &signed, minimum)) {
            Ok(()) => return Ok(Counted::Yes(Box::new(signed))),
            Err(why) => doubted.push(Doubted {
                by: signed.signature.by,
                at: signed.signature.at,
                why,
            }),
        }
    }
    Ok(Counted::No(doubted))
}

/// Was the signature given in this project?
fn binds(signed: &SignatureRecord, id: Option<&str>, status: &ProjectStatus) -> Result<(), Doubt> {
    match (&signed.signature.project, status) {
        (None, _) => Err(Doubt::Unbound),
        (Some(project), _) if Some(project.as_str()) != id => Err(Doubt::OtherProject),
        (Some(_), ProjectStatus::Copy { of }) => Err(Doubt::Copy { of: of.clone() }),
        (Some(_), ProjectStatus::Known | ProjectStatus::First) => Ok(()),
    }
}

fn believe(project: &Project, signed: &SignatureRecord, minimum: Proof) -> Result<(), Doubt> {
    let proof = signed.proof();
    if !proof.meets(minimum) {
        return Err(Doubt::TooWeak { proof, minimum });
    }
    // Also where less would do: what claims a key and has none is forged.
    if let Some(said) = &signed.key {
        ssh::verify(project, &signed.signature, said).map_err(Doubt::Key)?;
    }
    Ok(())
}

/// What the person is asked for: what they chose, which can only be more than what is required.
pub(crate) fn chosen(wish: Option<Proof>, required: Proof) -> Result<Proof, Error> {
    match wish {
        None => Ok(required),
        // Nobody is asked; whether it counts is for `minimum` to say.
        Some(Proof::Policy) => Ok(Proof::Policy),
        Some(proof) if proof.meets(required) => Ok(proof),
        Some(proof) => Err(Error::WeakerProof { proof, required }),
    }
}

/// Lets the person prove that it is them, before anything is saved.
pub(crate) fn prove(
    project: &Project,
    plan: &PlanFile,
    proof: Proof,
    signature: &Signature,
) -> Result<Option<KeyProof>, Error> {
    match proof {
        Proof::Policy | Proof::Client | Proof::Any => Ok(None),
        Proof::Terminal => confirm(plan, signature).map(|()| None),
        Proof::Key => Ok(Some(ssh::sign(project, signature)?)),
    }
}

/// The controlling terminal, wherever input and output go.
pub(crate) fn terminal() -> std::io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

/// Shows on the terminal what is signed and has a part of it typed there.
fn confirm(plan: &PlanFile, signature: &Signature) -> Result<(), Error> {
    let mut terminal = terminal().map_err(|why| Error::NoTerminal { why })?;
    let digits: String = signature.digest.hex().chars().take(DIGITS).collect();
    let asked = format!(
        "{}\n  file   {}\n  plan   {}\n  terms  {}\nto sign it off as {}, type the first {DIGITS} digits of the plan's digest: ",
        harmless(plan.checked.plan.display_title()),
        harmless(plan.source.name()),
        signature.digest.short(),
        signature.terms.short(),
        harmless(&signature.by),
    );
    let talk = |why| Error::NoTerminal { why };
    terminal.write_all(asked.as_bytes()).map_err(talk)?;
    let mut typed = String::new();
    BufReader::new(terminal)
        .read_line(&mut typed)
        .map_err(talk)?;
    if typed.trim().eq_ignore_ascii_case(&digits) {
        Ok(())
    } else {
        Err(Error::NotConfirmed { digits })
    }
}

/// Text that others wrote, without what a terminal would act on.
pub(crate) fn harmless(text: &str) -> String {
    signoff_plan::visible::text(text).into_owned()
}

impl fmt::Display for Doubted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, at, why } = self;
        write!(f, "the signature by {} of {at}: {why}", harmless(by))
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unbound => {
                f.write_str("it names no project, so it could have been copied from another one")
            }
            Self::OtherProject => f.write_str("it was given in another project"),
            Self::Copy { of } => write!(
                f,
                "this project has the id of `{}`, and may be a copy of it",
                of.display()
            ),
            Self::TooWeak { proof, minimum } => {
                write!(
                    f,
                    "its proof is `{proof}`, and `{minimum}` is the least that counts"
                )
            }
            Self::Key(error) => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;
