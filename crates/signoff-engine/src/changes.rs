//! What git knows of a run: its tree, and what changed in it.

use serde::{Deserialize, Serialize};

/// The tree that a run works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunTree {
    /// The checkout's commit when the run started, if there was one.
    pub base: Option<String>,
    /// The commit that holds the checkout as it was then, with what was not committed.
    pub start: String,
    /// The run's branch; `None` if the run works in the checkout.
    pub branch: Option<String>,
    /// The branch that the checkout was on, `HEAD` if it was on none; older versions did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<String>,
    /// Its commits are in a repository of the harness's own, because the project has none that could
    /// hold them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Work is kept in layers; older versions had a worktree for each agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub layers: bool,
}

/// What the run's tree will be if a step's contract holds on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    pub commit: String,
    pub tree: String,
    /// The head that it was built on.
    pub onto: String,
    /// What it changes there.
    pub files: Vec<String>,
    // Boxed: it is rarely there, and elsewhere costs a pointer.
    #[serde(flatten)]
    pub details: Box<ChangeDetails>,
}

/// What changed in the tree while a step's work was under way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changes {
    /// Paths; absent = not looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Those among them that the step protects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    // Boxed: it is rarely there, and elsewhere costs a pointer.
    #[serde(flatten)]
    pub details: Box<ChangeDetails>,
}

/// Properties of changed files beyond their names. Each list holds the files with one property.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeDetails {
    /// Symbolic links that lead out of the tree: what is read through them is not versioned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links_out: Vec<String>,
    /// Files that Python loads in the place of a module that was there before, and compiled ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hides: Vec<String>,
    /// New files that are Python modules with the name of one of Python's own, of a runner's or of an
    /// installed one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub new_modules: Vec<String>,
    /// Those of them that do not lie in a package: where Python is started there, it loads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loose_modules: Vec<String>,
    /// Symbolic links that differ or lead to something that differs, with what they lead to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkEnd>,
    /// New files that configure a runner by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    /// Those of them that lie where no runner could be started before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<String>,
    /// Files that were not there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
    /// New files that a language finds before others that were there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub displaces: Vec<Displaced>,
    /// Files that are named by a file which says what a runner runs, such as a Makefile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called: Vec<String>,
    /// Manifests that differ in what says which tests there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selects: Vec<String>,
    /// Files that a signed script names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<NamedFile>,
    /// Files that may be found before what was there, where a contract or a signed script says where something is searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<SearchedFile>,
    /// Files that by their names are the settings of a signed script, or of a program that one calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<NamedSettings>,
}

/// A file that a signed script names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedFile {
    pub file: String,
    /// The script.
    pub by: String,
}

/// An archive, a library or a new file that may be found before what was there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchedFile {
    pub file: String,
    /// The script that says where it is searched; empty: a contract.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// A file that by its name is the settings of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NamedSettings {
    pub file: String,
    pub program: String,
}

/// A new file that is found before one that was there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Displaced {
    pub file: String,
    /// The one that was there and still is.
    pub hides: String,
    /// Only if the program that looks for it searches in that order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub maybe: bool,
}

/// A symbolic link that leads to something inside of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkEnd {
    pub link: String,
    /// What it leads to in the end, by a path without links; empty = the root.
    pub end: String,
}
