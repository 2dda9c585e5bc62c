//! Are the plan and its terms still what was signed? Asked before every dispatch, by stat; files are
//! read again only when that differs.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::resolved_plan;
use signoff_plan::dialect::parse;
use signoff_plan::digest::{Digest, canonical};
use signoff_plan::signed::SignedPlan;
use signoff_plan::source::Source;
use signoff_store::atomic::Fingerprint;

use super::terms::{prompt_paths, signed_files};
use crate::error::{Error, SignedDifference};
use crate::plan_file::{PlanFile, SignedText, read_source};
use crate::project::Project;
use crate::trees::JudgingSources;

/// Keeps an eye on the files a signature rests on.
#[derive(Debug)]
pub(crate) struct Watch {
    plan: PathBuf,
    seen: Vec<Option<Fingerprint>>,
    seen_files: Vec<Option<Fingerprint>>,
    signed: SignedPlan,
    terms: Value,
    text: SignedText,
}

impl Watch {
    /// `terms` are those that the plan was signed under.
    pub(crate) fn new(plan: PathBuf, signed: SignedPlan, terms: Value, text: SignedText) -> Self {
        Self {
            plan,
            seen: Vec::new(),
            seen_files: Vec::new(),
            signed,
            terms,
            text,
        }
    }

    /// What changed since signing, if anything did.
    pub(crate) fn difference(
        &mut self,
        project: &Project,
    ) -> Result<Option<SignedDifference>, Error> {
        let seen = self.fingerprints(project);
        if seen == self.seen {
            return Ok(None);
        }
        let found = self.compare(project)?;
        if found.is_none() {
            self.seen = seen;
        }
        Ok(found)
    }

    /// What changed of the files that were signed, if anything did. Asked before every contract,
    /// which may run one of them.
    pub(crate) fn changed_files(&mut self, project: &Project) -> Option<SignedDifference> {
        let paths = self.files(project);
        let seen: Vec<_> = paths.iter().map(|path| fingerprint(path)).collect();
        if paths.is_empty() || seen == self.seen_files {
            return None;
        }
        let signed = self.terms.get("files").cloned().unwrap_or_default();
        let present = json!(signed_files(&self.terms, project.store.workspace()));
        if signed == present {
            self.seen_files = seen;
            return None;
        }
        let (signed, present) = (json!({"files": signed}), json!({"files": present}));
        let same = Value::Null;
        Some(SignedDifference::compare(
            (&same, &signed),
            (&same, &present),
        ))
    }

    /// The files that were signed with the plan, as the terms name them.
    pub(crate) fn signed_files(&self) -> Vec<String> {
        let files = self.terms.get("files").and_then(Value::as_object);
        files
            .into_iter()
            .flat_map(serde_json::Map::keys)
            .cloned()
            .collect()
    }

    /// What judges the work of the plan besides the contract at hand.
    pub(crate) fn judges(&self) -> JudgingSources {
        JudgingSources::new(self.signed.plan(), self.signed_files())
    }

    /// The files among the signed terms.
    fn files(&self, project: &Project) -> Vec<PathBuf> {
        let files = self.terms.get("files").and_then(Value::as_object);
        files
            .into_iter()
            .flat_map(serde_json::Map::keys)
            .map(|file| project.store.workspace().join(file))
            .collect()
    }

    fn fingerprints(&self, project: &Project) -> Vec<Option<Fingerprint>> {
        let config = project.store.config_path();
        let settings = [
            Some(&self.plan),
            Some(&config),
            project.process.user_config.as_ref(),
        ];
        let mut files = self.files(project);
        files.extend(prompt_paths(project, self.signed.plan()));
        if self.plan.is_dir() {
            files.extend(thread_paths(&self.plan));
        }
        let paths = settings.into_iter().flatten().chain(&files);
        paths.map(|path| fingerprint(path)).collect()
    }

    fn compare(&self, project: &Project) -> Result<Option<SignedDifference>, Error> {
        let name = self.plan.to_string_lossy();
        let source = match read_source(&self.plan, &name) {
            Ok(source) => source,
            Err(Error::Unreadable { why, .. }) => {
                return Ok(Some(SignedDifference {
                    broken: Some(format!("{name} cannot be read: {why}")),
                    ..SignedDifference::default()
                }));
            }
            Err(error) => return Err(error),
        };
        let mut fresh = Project::open(&project.process)?;
        fresh.cluster.clone_from(&project.cluster);
        fresh.require_trust()?;
        let terms = fresh.terms_against(self.signed.plan(), &self.terms);
        if self.is_signed(&source) && Digest::of_json(&terms) == self.signed.terms() {
            return Ok(None);
        }
        let plan = PlanFile::from_source(&self.plan, source, None, &PermissiveWorkspace);
        let terms = fresh.terms_against(&plan.checked.plan, &self.terms);
        let mut difference = SignedDifference::compare(
            (&canonical(self.signed.plan()), &self.terms),
            (&plan.canonical(), &terms),
        );
        if plan.checked.errors() > 0 {
            difference.broken = Some(format!("{name} has errors now"));
        }
        Ok(Some(difference))
    }

    /// Does it say what was signed?
    fn is_signed(&self, source: &Source) -> bool {
        if self.plan.is_dir() {
            // Its bytes do not contain the names of its files.
            return Digest::of_plan(&resolved_plan(&parse(source))) == self.signed.digest();
        }
        let dialect = self.text.dialect_of(source, self.signed.digest());
        dialect.is_some()
    }
}

/// The files of a thread; one that comes or goes changes the list.
fn thread_paths(directory: &Path) -> Vec<PathBuf> {
    let tasks = directory.join("tasks");
    let entries = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.extend([directory.join("plan.md"), tasks]);
    paths
}

fn fingerprint(path: &Path) -> Option<Fingerprint> {
    Fingerprint::of(path).ok().flatten()
}
