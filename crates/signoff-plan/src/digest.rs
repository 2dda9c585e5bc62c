//! The digest a signature names: `sha256` over the canonical JSON of the resolved plan.
//!
//! What is in and out decides what voids a signature, so the list is short and explicit: every
//! field of the model is either written in [`canonical`] or named there as left out.

mod canonical;
mod jcs;

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, DeserializeSeed, Deserializer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

pub use self::canonical::canonical;
use self::jcs::Canonicalizer;
pub use self::jcs::canonical_json;
use crate::model::Plan;

/// Name and version of the rules in this module; part of what is hashed.
pub const SCHEMA: &str = "signoff.digest/1";

/// The one text of a JSON value, over which digests are made.
// A text, because the tree of a large plan takes ten times its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalJson(String);

impl CanonicalJson {
    /// The text of a value.
    pub fn of(value: &Value) -> Self {
        Self(canonical_json(value))
    }

    /// The text of what a signature of this plan covers.
    pub fn of_plan(plan: &Plan) -> Self {
        let mut text = String::new();
        canonical::write_plan(plan, &mut text);
        Self(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its hash.
    pub fn digest(&self) -> Digest {
        Digest::of_bytes(self.0.as_bytes())
    }

    /// The value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.0).expect("the text of a JSON value is JSON")
    }
}

/// From any spelling of the value.
impl<'de> Deserialize<'de> for CanonicalJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = String::new();
        Canonicalizer(&mut text).deserialize(deserializer)?;
        Ok(Self(text))
    }
}

/// A `sha256` value, shown as `sha256:<hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes bytes as they are.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hashes a JSON value in its canonical form.
    pub fn of_json(value: &Value) -> Self {
        CanonicalJson::of(value).digest()
    }

    /// Hashes what a signature of this plan covers.
    pub fn of_plan(plan: &Plan) -> Self {
        CanonicalJson::of_plan(plan).digest()
    }

    /// The digest that this plan had before digests covered what agents receive beside their task and which failures of calls
    /// are retried. What was recorded under it is still read; it signs nothing.
    pub fn before_briefings(plan: &Plan) -> Self {
        Self::of_json(&canonical::before_briefings(plan))
    }

    /// All 64 hexadecimal digits, without the prefix.
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| {
            DIGITS
                .get(usize::from(nibble))
                .map_or('0', |d| char::from(*d))
        };
        self.0
            .iter()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)])
            .collect()
    }

    /// The first 12 hexadecimal digits: enough for people to tell two apart.
    pub fn short(&self) -> String {
        self.hex().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// A text that is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidDigest;

impl fmt::Display for InvalidDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest is `sha256:` and 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for InvalidDigest {}

impl FromStr for Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hex = text.strip_prefix("sha256:").ok_or(InvalidDigest)?;
        if hex.len() != 64
            || !hex
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        {
            return Err(InvalidDigest);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| InvalidDigest)?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| InvalidDigest)?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_back_what_it_shows() {
        let digest = Digest::of_bytes(b"abc");
        assert_eq!(
            digest.to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(digest.short(), "ba7816bf8f01");
        assert_eq!(digest.to_string().parse(), Ok(digest));
    }

    #[test]
    fn a_plan_is_hashed_as_its_value() {
        let step = |id: &str| crate::model::Step::new(id.to_owned(), 1);
        let plan = Plan {
            title: Some("Zwölf \"Dinge\"".to_owned()),
            task: Some("z".to_owned()),
            steps: vec![step("b"), step("a")],
            ..Plan::default()
        };
        let text = CanonicalJson::of_plan(&plan);
        assert_eq!(text, CanonicalJson::of(&canonical(&plan)));
        assert_eq!(CanonicalJson::of(&text.to_value()), text);
        let read: CanonicalJson = serde_json::from_str(text.as_str()).expect("JSON");
        assert_eq!(read, text);
        assert_eq!(Digest::of_plan(&plan), Digest::of_json(&canonical(&plan)));
    }

    #[test]
    fn anything_else_is_no_digest() {
        for text in ["", "sha256:", "ba7816bf8f01", "md5:00", "sha256:+a"] {
            assert_eq!(text.parse::<Digest>(), Err(InvalidDigest), "{text}");
        }
        let upper = Digest::of_bytes(b"abc").to_string().to_uppercase();
        assert_eq!(upper.parse::<Digest>(), Err(InvalidDigest));
    }
}
