//! Whose signatures a plan needs: how many different people, of which names.

use std::fmt;

/// Somebody whose signature is asked for: `NAME`, `ADDRESS`, or `NAME <ADDRESS>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver(String);

impl Approver {
    pub fn new(written: &str) -> Self {
        Self(written.trim().to_owned())
    }

    /// As it is written.
    pub fn as_written(&self) -> &str {
        &self.0
    }

    /// The name, without the address behind it.
    pub fn name(&self) -> &str {
        self.name_and_address().0
    }

    /// The address that a key is listed under, if one is given.
    fn address(&self) -> Option<&str> {
        self.name_and_address().1
    }

    fn name_and_address(&self) -> (&str, Option<&str>) {
        let bracketed = self.0.strip_suffix('>');
        match bracketed.and_then(|text| text.split_once('<')) {
            Some((name, address)) if !name.trim().is_empty() => (name.trim(), Some(address.trim())),
            _ => (&self.0, None),
        }
    }

    /// Does this word mean them?
    fn is_called(&self, word: &str) -> bool {
        let other = Self::new(word);
        self == &other || self.name() == other.name() || self.address() == Some(other.name())
    }

    /// Is the signature theirs? `keyed`: only a key says so.
    fn has_signed(&self, signer: &Signer<'_>, keyed: bool) -> bool {
        match (signer.principal, self.address()) {
            // Whoever has an address signs with the key of that address.
            (Some(principal), Some(address)) => principal == address,
            (Some(principal), None) if self.0 == principal => true,
            _ => !keyed && self.name() == signer.name,
        }
    }
}

/// Who gave a signature that is valid by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signer<'a> {
    pub name: &'a str,
    /// Whose key, as the list of allowed signers calls them.
    pub principal: Option<&'a str>,
    /// A person gave it, and not a rule.
    pub is_person: bool,
}

impl Signer<'_> {
    /// A key says it better than a name.
    fn is_same_person(&self, other: &Self) -> bool {
        match (self.principal, other.principal) {
            (Some(one), Some(other)) => one == other,
            _ => self.name == other.name,
        }
    }
}

/// What a plan needs besides one signature that is valid by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRule {
    /// Whose signatures count; `None`: everybody's.
    from: Option<Vec<Approver>>,
    count: usize,
    /// Who wrote the plan, where their signatures do not count.
    authors: Option<Vec<String>>,
    /// A name is bound to a key: what a signature says of itself does not count.
    keyed: bool,
}

impl Default for ApprovalRule {
    fn default() -> Self {
        Self::new(&[], 1)
    }
}

impl ApprovalRule {
    /// As many different people of these names, or of all where none is given.
    pub fn new(from: &[String], count: usize) -> Self {
        let from: Vec<_> = from.iter().map(|name| Approver::new(name)).collect();
        Self {
            from: (!from.is_empty()).then_some(from),
            count: count.max(1),
            authors: None,
            keyed: false,
        }
    }

    /// Only the key of a person says who they are.
    #[must_use]
    pub fn bound_to_keys(mut self, keyed: bool) -> Self {
        self.keyed = keyed;
        self
    }

    /// Those who wrote the plan do not count.
    #[must_use]
    pub fn without_authors(mut self, authors: Vec<String>) -> Self {
        self.authors = Some(authors);
        self
    }

    /// The rule if a plan names people itself: of them, only those count who counted before.
    #[must_use]
    pub fn narrowed_to(mut self, names: &[String]) -> Self {
        if names.is_empty() {
            return self;
        }
        self.from = Some(match self.from {
            None => names.iter().map(|name| Approver::new(name)).collect(),
            Some(from) => {
                let is_named = |one: &Approver| names.iter().any(|name| one.is_called(name));
                from.into_iter().filter(is_named).collect()
            }
        });
        self
    }

    /// Does it ask for more than one valid signature of anybody?
    pub fn is_demanding(&self) -> bool {
        self.from.is_some() || self.count > 1 || self.authors.is_some()
    }

    /// How many people have to sign.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Those whose signatures count, as they are written; empty = everybody.
    pub fn named_approvers(&self) -> Vec<String> {
        let from = self.from.iter().flatten();
        from.map(|one| one.as_written().to_owned()).collect()
    }

    /// Why nobody can sign as many times as it asks for, if that is so.
    pub fn impossible_rule(&self) -> Option<ImpossibleRule> {
        let from = self.from.as_ref()?;
        let able: Vec<_> = from.iter().filter(|one| !self.is_author(one)).collect();
        (able.len() < self.count).then(|| ImpossibleRule {
            count: self.count,
            able: able.iter().map(|one| one.as_written().to_owned()).collect(),
        })
    }

    fn is_author(&self, approver: &Approver) -> bool {
        let mut authors = self.authors.iter().flatten();
        authors.any(|author| approver.is_called(author))
    }

    /// The place of a signer among the named, or why theirs does not count.
    fn position_of(&self, signer: &Signer<'_>) -> Result<Option<usize>, NotCounted> {
        if !signer.is_person {
            return Err(NotCounted::NoPerson);
        }
        let mut authors = self.authors.iter().flatten();
        if authors.any(|author| author == signer.name || signer.principal == Some(author)) {
            return Err(NotCounted::Author);
        }
        let Some(from) = &self.from else {
            return Ok(None);
        };
        let at = from
            .iter()
            .position(|one| one.has_signed(signer, self.keyed));
        match at {
            Some(at) if from.get(at).is_some_and(|one| self.is_author(one)) => {
                Err(NotCounted::Author)
            }
            Some(at) => Ok(Some(at)),
            None => Err(NotCounted::NotNamed),
        }
    }

    /// Would the signature of this person count?
    pub fn admits(&self, signer: &Signer<'_>) -> Result<(), NotCounted> {
        if !self.is_demanding() {
            return Ok(());
        }
        self.position_of(signer).map(drop)
    }

    /// Would the signature of this person bring the plan on, beside those that it has?
    pub fn would_add(&self, progress: &ApprovalProgress, signer: Signer<'_>) -> bool {
        let with = self.progress(progress.signers().chain([signer]));
        with.signed.len() > progress.signed.len()
    }

    /// How far the plan is, with these signatures, each valid by itself.
    pub fn progress<'a>(&self, signers: impl IntoIterator<Item = Signer<'a>>) -> ApprovalProgress {
        let mut people: Vec<(Option<usize>, Signer<'a>)> = Vec::new();
        for signer in signers {
            let place = match self.position_of(&signer) {
                Ok(place) => place,
                Err(_) if self.is_demanding() => continue,
                Err(_) => None,
            };
            let is_same = |(other, known): &(Option<usize>, Signer<'_>)| {
                let one_place = place.is_some() && place == *other;
                one_place || signer.is_same_person(known)
            };
            if !people.iter().any(is_same) {
                people.push((place, signer));
            }
        }
        let places: Vec<usize> = people.iter().filter_map(|(place, _)| *place).collect();
        let open = self.from.iter().flatten().enumerate();
        let open = open.filter(|(at, one)| !places.contains(at) && !self.is_author(one));
        ApprovalProgress {
            needed: self.count,
            named: self.named_approvers(),
            waits_for: open.map(|(_, one)| one.name().to_owned()).collect(),
            signed: people
                .iter()
                .map(|(_, signer)| signer.name.to_owned())
                .collect(),
            principals: people
                .iter()
                .map(|(_, signer)| signer.principal.map(str::to_owned))
                .collect(),
        }
    }
}

/// Why a signature does not count for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCounted {
    /// The signer is not among those who are named.
    NotNamed,
    /// The signer wrote the plan.
    Author,
    /// No person signed.
    NoPerson,
}

/// A rule that nobody can meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImpossibleRule {
    pub count: usize,
    /// Those who could sign.
    pub able: Vec<String>,
}

/// Who has signed a plan, and who is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalProgress {
    /// How many different people have to sign.
    pub needed: usize,
    /// Whose signatures count; empty = everybody's.
    pub named: Vec<String>,
    /// Who has signed.
    pub signed: Vec<String>,
    /// Who can do so yet; empty where everybody can.
    pub waits_for: Vec<String>,
    /// Whose keys signed, beside the names.
    principals: Vec<Option<String>>,
}

impl ApprovalProgress {
    fn signers(&self) -> impl Iterator<Item = Signer<'_>> {
        let people = self.signed.iter().zip(&self.principals);
        people.map(|(name, principal)| Signer {
            name,
            principal: principal.as_deref(),
            is_person: true,
        })
    }

    pub fn is_complete(&self) -> bool {
        self.signed.len() >= self.needed
    }

    /// How many signatures are missing.
    pub fn missing_count(&self) -> usize {
        self.needed.saturating_sub(self.signed.len())
    }

    /// Whose signatures are missing, in words; `None` if none is.
    pub fn awaited_text(&self) -> Option<String> {
        let missing = self.missing_count();
        if missing == 0 {
            return None;
        }
        let names = &self.waits_for;
        Some(match (names.len(), missing) {
            (0, 1) => "1 more person".to_owned(),
            (0, missing) => format!("{missing} more people"),
            (_, 1) => names.join(" or "),
            (open, missing) if open <= missing => names.join(" and "),
            (_, missing) => format!("{missing} of {}", names.join(", ")),
        })
    }
}

impl fmt::Display for ApprovalProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.signed.len(), self.needed)?;
        match self.awaited_text() {
            Some(who) => write!(f, ": waits for {who}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(from: &[&str], count: usize) -> ApprovalRule {
        let from: Vec<_> = from.iter().map(|name| (*name).to_owned()).collect();
        ApprovalRule::new(&from, count)
    }

    fn signers<'a>(names: &[&'a str]) -> Vec<Signer<'a>> {
        let one = |name: &&'a str| {
            let (name, principal) = match name.split_once('=') {
                Some((name, principal)) => (name, Some(principal)),
                None => (*name, None),
            };
            Signer {
                name,
                principal,
                is_person: name != "policy",
            }
        };
        names.iter().map(one).collect()
    }

    #[track_caller]
    fn check(rule: &ApprovalRule, names: &[&str], expected: &str) {
        let progress = rule.progress(signers(names));
        assert_eq!(progress.to_string(), expected, "{names:?}");
        let complete = progress.signed.len() >= rule.count();
        assert_eq!(progress.is_complete(), complete, "{names:?}");
    }

    #[test]
    fn different_people_are_counted() {
        let two = rule(&["Ada", "Bob"], 2);
        check(&two, &[], "0 of 2: waits for Ada and Bob");
        check(&two, &["Ada"], "1 of 2: waits for Bob");
        check(&two, &["Ada", "Ada"], "1 of 2: waits for Bob");
        check(&two, &["Ada", "Eve", "policy"], "1 of 2: waits for Bob");
        check(&two, &["Bob", "Ada"], "2 of 2");
        let one = rule(&["Ada", "Bob", "Cy"], 1);
        check(&one, &[], "0 of 1: waits for Ada or Bob or Cy");
        check(&one, &["Cy"], "1 of 1");
        check(
            &rule(&["Ada", "Bob", "Cy"], 2),
            &[],
            "0 of 2: waits for 2 of Ada, Bob, Cy",
        );
    }

    #[test]
    fn without_names_everybody_counts_once() {
        let two = rule(&[], 2);
        check(&two, &[], "0 of 2: waits for 2 more people");
        check(&two, &["Ada"], "1 of 2: waits for 1 more person");
        check(
            &two,
            &["Ada", "Ada=ada@x"],
            "1 of 2: waits for 1 more person",
        );
        // One key under two names is one person.
        check(
            &two,
            &["Ada=ada@x", "Bob=ada@x"],
            "1 of 2: waits for 1 more person",
        );
        check(&two, &["Ada", "Bob"], "2 of 2");
        // Where nothing is asked for, a rule of the settings may sign.
        assert!(!rule(&[], 1).is_demanding());
        check(&rule(&[], 1), &["policy"], "1 of 1");
        check(&two, &["policy", "Ada"], "1 of 2: waits for 1 more person");
    }

    #[test]
    fn names_are_bound_to_keys() {
        let two = rule(&["Ada <ada@x>", "bob@x"], 2);
        // Without a key, a name is believed only where the settings do.
        check(&two, &["Ada"], "1 of 2: waits for bob@x");
        check(&two, &["Ada=eve@x"], "0 of 2: waits for Ada and bob@x");
        let keyed = two.bound_to_keys(true);
        check(&keyed, &["Ada", "Bob"], "0 of 2: waits for Ada and bob@x");
        check(
            &keyed,
            &["Ada=ada@x", "Ada=eve@x"],
            "1 of 2: waits for bob@x",
        );
        check(&keyed, &["Ada=ada@x", "Robert=bob@x"], "2 of 2");
        // A name alone is bound to no key.
        let named = rule(&["Ada"], 1).bound_to_keys(true);
        check(&named, &["Ada=ada@x"], "0 of 1: waits for Ada");
    }

    #[test]
    fn a_second_signature_of_one_person_adds_nothing() {
        let rule = rule(&["Ada <ada@x>", "Bob"], 2);
        let progress = rule.progress(signers(&["Ada=ada@x"]));
        let would_add = |name| rule.would_add(&progress, signers(&[name])[0]);
        assert!(
            !would_add("Ada")
                && !would_add("Ada=ada@x")
                && !would_add("Bob=ada@x")
                && !would_add("Eve")
        );
        assert!(would_add("Bob") && would_add("Bob=bob@x"));
    }

    #[test]
    fn whoever_wrote_the_plan_may_not_count() {
        let others = rule(&["Ada", "Bob"], 1).without_authors(vec!["Ada".to_owned()]);
        check(&others, &["Ada"], "0 of 1: waits for Bob");
        check(&others, &["Bob"], "1 of 1");
        let anybody = rule(&[], 1).without_authors(vec!["Ada".to_owned()]);
        assert!(anybody.is_demanding());
        check(&anybody, &["Ada"], "0 of 1: waits for 1 more person");
        check(&anybody, &["Eve"], "1 of 1");
        let by_address = rule(&["Ada <ada@x>"], 1).without_authors(vec!["ada@x".to_owned()]);
        check(
            &by_address,
            &["Ada=ada@x"],
            "0 of 1: waits for 1 more person",
        );
        assert!(by_address.impossible_rule().is_some());
    }

    #[test]
    fn a_plan_only_narrows() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let settings = rule(&["Ada <ada@x>", "Bob", "Cy"], 2);
        let narrowed = settings.clone().narrowed_to(&names(&["Ada", "Cy", "Eve"]));
        check(&narrowed, &["Ada", "Eve", "Bob"], "1 of 2: waits for Cy");
        assert_eq!(narrowed.impossible_rule(), None);
        let alone = settings.clone().narrowed_to(&names(&["Bob"]));
        let expected = ImpossibleRule {
            count: 2,
            able: names(&["Bob"]),
        };
        assert_eq!(alone.impossible_rule(), Some(expected));
        // Whoever only the plan names does not count, also where nobody is left.
        let nobody = settings.narrowed_to(&names(&["Eve"]));
        check(
            &nobody,
            &["Eve", "Ada", "Bob"],
            "0 of 2: waits for 2 more people",
        );
        assert!(nobody.impossible_rule().is_some() && nobody.is_demanding());
        let free = rule(&[], 1).narrowed_to(&names(&["Eve"]));
        check(&free, &["Ada"], "0 of 1: waits for Eve");
        assert_eq!(rule(&[], 1).narrowed_to(&[]), rule(&[], 1));
    }

    #[test]
    fn a_refusal_says_why() {
        let rule = rule(&["Ada", "Bob"], 1).without_authors(vec!["Bob".to_owned()]);
        let admits = |name| rule.admits(&signers(&[name])[0]);
        assert_eq!(admits("Ada"), Ok(()));
        assert_eq!(admits("Bob"), Err(NotCounted::Author));
        assert_eq!(admits("Eve"), Err(NotCounted::NotNamed));
        assert_eq!(admits("policy"), Err(NotCounted::NoPerson));
        assert_eq!(
            ApprovalRule::default().admits(&signers(&["policy"])[0]),
            Ok(())
        );
    }
}
