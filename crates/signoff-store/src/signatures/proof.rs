//! How we know that a signature is a person's.

use std::fmt;

/// What stands behind a signature. The order is how much it takes to imitate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// No person was asked: a policy of the configuration signed.
    Policy,
    /// The person answered through a client's dialog.
    Client,
    /// The command was typed by a process that is the person's, as far as the system can tell.
    Any,
    /// They signed in to the page: with a token of theirs, or a code shown where the server was started.
    Page,
    /// They confirmed it on the controlling terminal.
    Terminal,
    /// They signed with their SSH key.
    Key,
}

impl Proof {
    /// Every proof, the weakest first.
    pub const ALL: [Self; 6] = [
        Self::Policy,
        Self::Client,
        Self::Any,
        Self::Page,
        Self::Terminal,
        Self::Key,
    ];

    /// As files and settings spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Client => "client",
            Self::Any => "any",
            Self::Page => "page",
            Self::Terminal => "terminal",
            Self::Key => "key",
        }
    }

    /// Reads a proof by its name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|proof| proof.name() == name)
    }

    /// Is this enough where `minimum` is asked for?
    ///
    /// `any` asks for nothing: were it to exclude what is below it, a plan that a policy or a client
    /// signed could never run under the built-in settings.
    pub fn meets(self, minimum: Self) -> bool {
        minimum <= Self::Any || self >= minimum
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_read_by_its_own_name() {
        for proof in Proof::ALL {
            assert_eq!(Proof::parse(proof.name()), Some(proof));
        }
        assert_eq!(Proof::parse("Key"), None);
        assert_eq!(Proof::parse(""), None);
    }

    #[test]
    fn a_minimum_keeps_out_what_is_weaker() {
        let enough = |minimum: Proof| Proof::ALL.map(|proof| proof.meets(minimum));
        assert_eq!(enough(Proof::Policy), [true; 6]);
        assert_eq!(enough(Proof::Any), [true; 6]);
        assert_eq!(enough(Proof::Page), [false, false, false, true, true, true]);
        assert_eq!(
            enough(Proof::Terminal),
            [false, false, false, false, true, true]
        );
        assert_eq!(
            enough(Proof::Key),
            [false, false, false, false, false, true]
        );
    }
}
