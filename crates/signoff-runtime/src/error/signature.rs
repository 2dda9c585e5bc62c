//! Why a signature does not count.

use std::fmt;
use std::path::PathBuf;

use signoff_engine::NotCounted;
use signoff_plan::visible;
use signoff_store::signatures::Proof;

use super::KeyError;

/// A signature over the right digests that does not count.
#[derive(Debug)]
pub struct RejectedSignature {
    /// Who is said to have signed.
    pub by: String,
    /// When, as it says.
    pub at: String,
    /// Why it does not count.
    pub why: SignatureDefect,
}

/// Why a signature does not count.
#[derive(Debug)]
pub enum SignatureDefect {
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
    /// It is not by one of those who have to sign.
    NotCounted {
        /// Why.
        why: NotCounted,
        /// Whose count; empty = everybody else's.
        named: Vec<String>,
    },
}

impl fmt::Display for RejectedSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, at, why } = self;
        write!(
            f,
            "the signature by {} of {at}: {why}",
            visible::escape_text(by)
        )
    }
}

impl fmt::Display for SignatureDefect {
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
            Self::NotCounted { why, named } => match why {
                NotCounted::NotNamed => {
                    write!(
                        f,
                        "only these people count: {}",
                        visible::escape_text(&named.join(", "))
                    )
                }
                NotCounted::Author => f.write_str("whoever wrote the plan does not count"),
                NotCounted::NoPerson => f.write_str("people have to sign, and a rule signed"),
            },
        }
    }
}
