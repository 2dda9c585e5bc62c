//! What judges the work besides the contract at hand: its signed scripts, as they were before a change.

use std::collections::BTreeSet;

use signoff_engine::{JudgingText, called_scripts, sets_search};
use signoff_plan::model::Plan;
use signoff_work::git::{GitError, HarnessGit, Id};

/// How many signed files are read for a change: a plan may protect thousands of tests.
const MOST_FILES: usize = 256;

/// How far scripts are followed that call others.
const DEPTH: usize = 3;

/// Where the texts are that judge the work of a plan.
#[derive(Debug, Clone, Default)]
pub(crate) struct JudgingSources {
    /// Files that were signed with the plan.
    files: BTreeSet<String>,
    /// Contracts that say where something is searched.
    contracts: Vec<String>,
}

impl JudgingSources {
    pub(crate) fn new(plan: &Plan, signed: Vec<String>) -> Self {
        let contracts = plan.steps.iter().filter_map(|step| step.contract.as_ref());
        let commands = || contracts.clone().map(|contract| contract.command.as_str());
        let mut files = signed;
        if files.len() > MOST_FILES {
            // Those first that a contract names.
            let is_named =
                |file: &String| commands().any(|command| command.contains(file.as_str()));
            files.sort_by_cached_key(|file| !is_named(file));
            files.truncate(MOST_FILES);
        }
        let searching = commands().filter(|command| sets_search(command));
        Self {
            files: files.into_iter().collect(),
            contracts: searching.map(str::to_owned).collect(),
        }
    }

    /// The texts as a commit has them, with the scripts that they call.
    pub(super) fn texts(&self, own: &HarnessGit, from: &Id) -> Result<Vec<JudgingText>, GitError> {
        let contracts = self.contracts.iter().map(|text| JudgingText {
            path: String::new(),
            by: String::new(),
            text: text.clone(),
        });
        let mut found: Vec<JudgingText> = contracts.collect();
        let mut seen = self.files.clone();
        let mut next: Vec<(String, String)> = self
            .files
            .iter()
            .map(|file| (file.clone(), file.clone()))
            .collect();
        for _ in 0..DEPTH {
            let read = read(own, from, &next)?;
            next = Vec::new();
            for text in &read {
                let called = called_scripts(text).into_iter();
                let new = called.filter(|path| seen.insert(path.clone()));
                next.extend(new.map(|path| (path, text.by.clone())));
            }
            next.truncate(MOST_FILES);
            found.extend(read);
            if next.is_empty() {
                break;
            }
        }
        Ok(found)
    }
}

/// Reads files, each with the signed one by which it is run.
fn read(
    own: &HarnessGit,
    from: &Id,
    files: &[(String, String)],
) -> Result<Vec<JudgingText>, GitError> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let paths = files.iter().map(|(path, _)| path.clone()).collect();
    let texts = own.texts_at(from, &paths)?.into_iter();
    let by = |path: &String| {
        let found = files.iter().find(|(file, _)| file == path);
        found.map_or_else(String::new, |(_, by)| by.clone())
    };
    Ok(texts
        .map(|(path, text)| JudgingText {
            by: by(&path),
            path,
            text,
        })
        .collect())
}
