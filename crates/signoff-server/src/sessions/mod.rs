//! Who is asking: the session of a person, and how it is opened.

pub(crate) mod code;
pub(crate) mod cookie;
pub(crate) mod people;
pub(crate) mod secret;
pub(crate) mod store;

/// The session of a person who signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Session {
    /// Who: the name that enters signatures.
    pub(crate) person: String,
    /// How we know.
    pub(crate) proof: SignInProof,
    /// What forms send back, so that no other site can send them.
    pub(crate) csrf: String,
}

/// How a person showed who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInProof {
    /// They typed the code that was shown where the server was started.
    Code,
    /// They have the token of a person in `[serve.people]`.
    Token,
}
