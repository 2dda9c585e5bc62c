//! People who sign in by name, with a token of their own.

use std::collections::BTreeMap;
use std::io;

use super::secret::{SecretHash, random_text};

/// A token for a person, made once and shown once.
#[derive(Debug, Clone)]
pub struct NewPerson {
    /// What they sign in with.
    pub token: String,
    /// What the configuration remembers of it.
    pub hash: String,
}

/// Makes a token. It is as long as no guess is: a plain hash of it is enough.
pub fn new_person() -> io::Result<NewPerson> {
    let token = random_text()?;
    let hash = SecretHash::of(&token).to_string();
    Ok(NewPerson { token, hash })
}

/// Whose token this is. All are compared, so that the time says nothing about any.
pub(crate) fn person_of<'p>(people: &'p BTreeMap<String, String>, token: &str) -> Option<&'p str> {
    let given = SecretHash::of(token);
    let mut found = None;
    for (name, hash) in people {
        if SecretHash::parse(hash).is_some_and(|hash| hash.is(&given)) {
            found = Some(name.as_str());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_known_by_their_token_alone() {
        let (ada, bob) = (new_person().unwrap(), new_person().unwrap());
        let people = [("ada", &ada), ("bob", &bob)];
        let people = people.map(|(name, person)| (name.to_owned(), person.hash.clone()));
        let people = BTreeMap::from(people);
        assert_eq!(person_of(&people, &ada.token), Some("ada"));
        assert_eq!(person_of(&people, &bob.token), Some("bob"));
        for other in ["", "ada", &ada.hash] {
            assert_eq!(person_of(&people, other), None, "{other}");
        }
    }
}
