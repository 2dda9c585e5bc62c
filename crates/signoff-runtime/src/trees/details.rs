//! The properties of a change that the engine needs beyond the names of its files.

use std::collections::BTreeSet;
use std::sync::Arc;

use signoff_engine::{
    ChangeDetails, RunnerFile, TreeChange, called_files, change_details, endings_to_query,
    note_judging_texts, paths_to_query, runner_files, searched_endings,
};
use signoff_work::git::{GitError, HarnessGit, Id, Manifest};
use signoff_work::project::manifest::selects_tests;
use signoff_work::project::python::installed_modules;

use super::Trees;
use super::judging::JudgingSources;

/// The files that differ between two commits or trees, and their properties.
pub(crate) fn changed_files(
    own: &HarnessGit,
    from: &Id,
    to: &Id,
    installed: &Arc<BTreeSet<String>>,
    judges: &JudgingSources,
) -> Result<(Vec<String>, Box<ChangeDetails>), GitError> {
    let report = own.inspect(from, to)?;
    let change = TreeChange {
        files: report.files,
        removed: report.removed,
        links: report.links,
        added: report.added,
        installed: Arc::clone(installed),
        links_before: own.links_in(from)?,
    };
    if change.files.is_empty() {
        return Ok((change.files, Box::default()));
    }
    let judging = judges.texts(own, from)?;
    let runners = runner_files(&change.files);
    let mut queried = paths_to_query(&change);
    queried.extend(runners.iter().cloned());
    let mut there_before = own.paths_in(from, &queried)?;
    let mut endings = endings_to_query(&change);
    endings.extend(searched_endings(&change, &judging));
    there_before.extend(own.paths_ending(from, &endings)?);
    let runners: BTreeSet<String> = runners.intersection(&there_before).cloned().collect();
    let runners = texts_before(own, from, &runners)?;
    let mut details = ChangeDetails {
        called: called_files(&runners, &change.files),
        selects: test_manifests(&report.manifests),
        ..change_details(&change, &there_before)
    };
    note_judging_texts(&mut details, &change, &judging, &there_before);
    Ok((change.files, Box::new(details)))
}

/// Files that say what a runner runs, as they were before the change.
fn texts_before(
    own: &HarnessGit,
    from: &Id,
    paths: &BTreeSet<String>,
) -> Result<Vec<RunnerFile>, GitError> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let texts = own.texts_at(from, paths)?.into_iter();
    Ok(texts
        .map(|(path, text)| RunnerFile { path, text })
        .collect())
}

/// The manifests among these that differ in the parts that define the tests.
fn test_manifests(manifests: &[Manifest]) -> Vec<String> {
    let selects = manifests
        .iter()
        .filter(|manifest| selects_tests(manifest.before.as_deref(), manifest.after.as_deref()));
    selects.map(|manifest| manifest.path.clone()).collect()
}

impl Trees {
    /// The files that differ between two commits or trees of this run.
    pub(super) fn changed_files(
        &self,
        from: &Id,
        to: &Id,
    ) -> Result<(Vec<String>, Box<ChangeDetails>), GitError> {
        let judges = self.judges.get_or_init(JudgingSources::default);
        changed_files(&self.own, from, to, self.installed_packages(), judges)
    }

    /// The packages that Python finds installed, looked for once.
    pub(super) fn installed_packages(&self) -> &Arc<BTreeSet<String>> {
        self.installed.get_or_init(|| {
            let variables = &self.setup.environment;
            let value = |name: &str| {
                let found = variables.iter().find(|(variable, _)| variable == name);
                found.map(|(_, value)| value.as_os_str())
            };
            let found = installed_modules(&self.checkout, value("PATH"), value("VIRTUAL_ENV"));
            Arc::new(found)
        })
    }
}
