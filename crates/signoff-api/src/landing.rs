//! `signoff.landing/1`: how the commits of a run came into the checkout, or why not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.landing/1";

/// What `land` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Landing {
    pub schema: String,
    pub run: String,
    /// What the run did is in the checkout now.
    pub landed: bool,
    /// It was there before.
    pub already: bool,
    /// How many came in.
    pub commits: usize,
    /// The last of them, where there is one.
    pub commit: Option<String>,
    /// The branch that has them now; none where none is checked out.
    pub branch: Option<String>,
    /// Why it did not land, each a sentence.
    pub refused: Vec<String>,
    /// Commands that bring it in by hand.
    pub by_hand: Vec<String>,
    /// Files that were written, where files rather than commits come into the checkout.
    #[serde(default)]
    pub files: Vec<String>,
    /// Files that stay as they are in the checkout until a person settles them.
    #[serde(default)]
    pub held: Vec<HeldFile>,
}

/// A file that you and the run changed, each in their own way, or that could not be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Held")]
pub struct HeldFile {
    pub path: String,
    pub reason: String,
    /// The run's version, as seen from the project; none where the run removes the file.
    pub version: Option<String>,
}
