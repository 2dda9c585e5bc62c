//! The layers that agents work in, and what is recorded of them.

use std::path::PathBuf;
use std::{fs, io};

use signoff_engine::{ChangeDetails, names_of};
use signoff_plan::glob;
use signoff_store::{failpoint, key};
use signoff_work::git::{GitError, Id};
use signoff_work::layers::{
    LayerContext, LayerError, LayerLimits, LayerReport, record_layer, record_taken,
};

use super::ignored::note_found;
use super::work_error::WorkError;
use super::{Start, TreeMount, Trees, WorkContext, error_text, ref_part, remove_tree};

/// The work of one attempt, recorded.
#[derive(Debug, Clone)]
pub(crate) struct RecordedWork {
    /// A commit on top of what the work is compared with.
    pub(crate) commit: Id,
    /// What it changes there.
    pub(crate) files: Vec<String>,
    /// The paths among them that no attempt may change; the commit has their old versions.
    pub(crate) protected: Vec<String>,
    /// Properties of these paths beyond their names.
    pub(crate) details: Box<ChangeDetails>,
}

impl Trees {
    /// A tree for an attempt to work in, with a layer that holds nothing yet.
    pub(crate) fn begin_work(
        &self,
        step: &str,
        attempt: u32,
        began: &Id,
        start: Start<'_>,
    ) -> Result<TreeMount, String> {
        let layer = self.layer(step, attempt);
        remove_tree(&layer).map_err(|why| format!("{}: {why}", layer.display()))?;
        let ignored = self.ignored_layers();
        let mount = self.work_overlay(began, &ignored, &layer, start)?;
        if self.has_layers() {
            let noted = note_found(&layer, &ignored);
            noted.map_err(|why| format!("{}: {why}", layer.display()))?;
        }
        failpoint::reach("layer.made");
        Ok(mount)
    }

    /// Records what an attempt did, once. `None` if nothing is known of its work. A copy of the tree is known only as
    /// long as it is mounted; a layer stays until it is recorded.
    pub(crate) fn record(
        &self,
        work: &WorkContext,
        mount: Option<&TreeMount>,
    ) -> Result<Option<RecordedWork>, WorkError> {
        let layer = self.layer(&work.step, work.attempt);
        let upper = layer.join("upper");
        if let Some(commit) = self.recorded_commit(work)? {
            // A killed harness left this before it had kept everything.
            if upper.is_dir()
                && let Ok(report) =
                    self.with_layer_context(work, |context| record_layer(context, &upper))
            {
                self.settle_ignored(work, &layer, &report.ignored_roots);
                remove_tree(&layer).ok();
            }
            return self.describe_work(work, commit).map(Some);
        }
        let report = match mount.and_then(TreeMount::exclusive_tree) {
            Some(taken) => self.with_layer_context(work, |context| record_taken(context, taken))?,
            None if upper.is_dir() => {
                self.with_layer_context(work, |context| record_layer(context, &upper))?
            }
            None => return Ok(None),
        };
        let commit = self.commit_work(work, &report.tree)?;
        failpoint::reach("layer.recorded");
        self.settle_ignored(work, &layer, &report.ignored_roots);
        remove_tree(&layer).ok();
        self.describe_work(work, commit).map(Some)
    }

    fn with_layer_context(
        &self,
        work: &WorkContext,
        read: impl FnOnce(&LayerContext<'_>) -> Result<LayerReport, LayerError>,
    ) -> Result<LayerReport, WorkError> {
        let rules = self.rules()?;
        let base = self.own.tree_of(&work.began)?;
        let ignored = self.known_ignored();
        let mut layers = self.found_layers(&self.layer(&work.step, work.attempt));
        layers.extend(self.finished_layer());
        let context = LayerContext {
            own: &self.own,
            base: &base,
            rules: &rules,
            produces: &work.produces,
            ignored_roots: &ignored,
            ignored_layers: &layers,
            limits: LayerLimits::default(),
        };
        Ok(read(&context)?)
    }

    /// A commit of the work, without what it must not change.
    pub(super) fn commit_work(&self, work: &WorkContext, tree: &Id) -> Result<Id, WorkError> {
        let protected = self.protected_files(work, tree)?;
        let tree = if protected.is_empty() {
            tree.clone()
        } else {
            let kept = self.own.with_paths_from(tree, &work.base, &protected);
            kept?
        };
        let parent = std::slice::from_ref(&work.base);
        let commit = self.own.commit(&tree, parent, &work.message)?;
        let name = work_name(&work.step, work.attempt);
        self.remember(&name, &commit)?;
        if !protected.is_empty() {
            // A file that is no longer in the tree has to be reported too.
            let list = protected.join("\n");
            fs::write(self.protected_file(work), list)?;
        }
        Ok(commit)
    }

    fn protected_files(&self, work: &WorkContext, tree: &Id) -> Result<Vec<String>, WorkError> {
        if work.protects.is_empty() {
            return Ok(Vec::new());
        }
        let (changed, details) = self.changed_files(&work.base, tree)?;
        let mut found = Vec::new();
        for path in changed {
            if self.is_protected(work, tree, &path, &details)? {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Whether the step protects a changed path, by any of the names that links give to it or to what lies behind it.
    fn is_protected(
        &self,
        work: &WorkContext,
        tree: &Id,
        path: &str,
        details: &ChangeDetails,
    ) -> Result<bool, WorkError> {
        let covers = |name: &String| work.protects.iter().any(|glob| glob::covers(glob, name));
        if names_of(path, details).iter().any(covers) {
            return Ok(true);
        }
        let Some(link) = details.links.iter().find(|one| one.link == path) else {
            return Ok(false);
        };
        let files = self.own.files_below(tree, &link.end)?;
        let mut inner = files.iter().filter_map(|file| file.strip_prefix(&link.end));
        Ok(inner.any(|rest| covers(&format!("{path}/{}", rest.trim_start_matches('/')))))
    }

    fn describe_work(&self, work: &WorkContext, commit: Id) -> Result<RecordedWork, WorkError> {
        let (mut files, details) = self.changed_files(&work.base, &commit)?;
        let list = match fs::read_to_string(self.protected_file(work)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            list => list?,
        };
        let protected: Vec<String> = list.lines().map(str::to_owned).collect();
        files.extend(protected.iter().cloned());
        Ok(RecordedWork {
            commit,
            files,
            protected,
            details,
        })
    }

    /// What an attempt was recorded as.
    pub(super) fn recorded_commit(&self, work: &WorkContext) -> Result<Option<Id>, GitError> {
        self.recorded_id(&work_name(&work.step, work.attempt))
    }

    /// The last work recorded on this base by one of these attempts: the next one goes on with it.
    pub(crate) fn earlier_work(
        &self,
        step: &str,
        attempts: impl DoubleEndedIterator<Item = u32>,
        base: &Id,
    ) -> Result<Option<Id>, String> {
        for attempt in attempts.rev() {
            let Some(commit) = self
                .recorded_id(&work_name(step, attempt))
                .map_err(error_text)?
            else {
                continue;
            };
            if self.own.parents(&commit).map_err(error_text)?.first() == Some(base) {
                return Ok(Some(commit));
            }
        }
        Ok(None)
    }

    fn protected_file(&self, work: &WorkContext) -> PathBuf {
        let step = key::encode(&work.step);
        self.indexes
            .join(format!("protected-{step}-{}", work.attempt))
    }

    /// The layer of an attempt.
    pub(super) fn layer(&self, step: &str, attempt: u32) -> PathBuf {
        let steps = self.layer_root().join("layers").join(key::encode(step));
        steps.join(attempt.to_string())
    }
}

/// What the work of an attempt is called in the repository.
pub(super) fn work_name(step: &str, attempt: u32) -> String {
    format!("steps/{}/{attempt}", ref_part(step))
}
