//! What makes trees usable: `[run] prepare`, once, and `[run] copy` for the run's tree.

mod copies;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use signoff_sandbox::{Command, KeptMounts};
use signoff_work::confine::{Confined, RunPaths, VisibleTree};
use signoff_work::contract::Evaluation;
use signoff_work::git::Id;
use signoff_work::layers::{LayerContext, LayerLimits, record_layer};
use signoff_work::project::lockfiles::is_lockfile;

use self::copies::copy;
use super::{Start, Trees, error_text, lock, make_empty_directory, remove_tree};
use crate::confinement::Scratch;

/// How trees are made usable.
pub(crate) struct Setup {
    pub(crate) copy: Vec<String>,
    pub(crate) prepare: Vec<String>,
    pub(crate) shell: String,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) time: Duration,
    pub(crate) run_paths: Option<RunPaths>,
    /// Where commands may put what is theirs, and what they say.
    pub(crate) scratch: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) marker: String,
}

impl Setup {
    /// One of the commands.
    fn command(
        &self,
        text: &str,
        confined: &Confined,
        mounts: Option<&KeptMounts>,
        checkout: &Path,
    ) -> Command {
        let mut environment = self.environment.clone();
        let policy = confined.clone().into_policy(&mut environment);
        let evaluation = Evaluation {
            command: text,
            shell: &self.shell,
            tree: checkout,
            environment,
            marker: self.marker.clone(),
            time: self.time,
            log: self.log.clone(),
        };
        let mut command = evaluation.into_command();
        command.policy = Some(policy);
        command.mounts = mounts.cloned();
        command
    }

    /// Copies what git ignores and tool servers need. What is not there is not copied.
    pub(crate) fn copy(&self, from: &Path, to: &Path) -> Result<(), String> {
        copy(&self.copy, from, to)
    }
}

impl Trees {
    /// The layer with what `prepare` made on the run's first tree, if anything: no attempt's code had a part in it.
    pub(crate) fn prepared_layer(&self, start: Start<'_>) -> Result<Option<PathBuf>, String> {
        let super::OverlayMode::Overlays(_) = &self.overlay_mode else {
            return Ok(None);
        };
        if self.setup.prepare.is_empty() {
            return Ok(None);
        }
        let _once = lock(&self.preparing);
        if let Some(made) = self.finished_layer() {
            return Ok(Some(made));
        }
        let layer = self.layer_root().join("prepared");
        self.prepare(&layer, start)?;
        let done = layer.join("done");
        fs::write(&done, "").map_err(|why| format!("{}: {why}", done.display()))?;
        Ok(Some(layer.join("upper")))
    }

    /// The layer with what `prepare` made, once it has run.
    pub(super) fn finished_layer(&self) -> Option<PathBuf> {
        let layer = self.layer_root().join("prepared");
        layer.join("done").exists().then(|| layer.join("upper"))
    }

    fn prepare(&self, layer: &Path, start: Start<'_>) -> Result<(), String> {
        let first = self.start()?.clone();
        remove_tree(layer).map_err(error_text)?;
        let mount = self.first_tree(&first, layer)?;
        // Removed in any case: only these commands use what they put into their home.
        let scratch = Scratch::make(self.setup.scratch.clone()).map_err(error_text)?;
        if let Some(run_paths) = &self.setup.run_paths {
            let confined = run_paths.for_contract(scratch.path(), &mount.shown, &[]);
            let confined = confined.map_err(error_text)?;
            let mounts = start.make_mounts(confined.policy()).map_err(error_text)?;
            self.run_prepare(&mount.shown, &confined, mounts.as_ref(), start)?;
        }
        drop((mount, scratch));
        self.keep_only_ignored(layer, &first).map_err(error_text)
    }

    /// Runs the commands of `prepare`, one after another, where this is found.
    pub(crate) fn run_prepare(
        &self,
        shown: &VisibleTree,
        confined: &Confined,
        mounts: Option<&KeptMounts>,
        start: Start<'_>,
    ) -> Result<(), String> {
        for text in &self.setup.prepare {
            let command = self.setup.command(text, confined, mounts, &self.checkout);
            start.run(command)?;
            if mounts.is_none() {
                // The next command mounts it anew: another one of these, or the contract.
                renew_work_directories(shown).map_err(error_text)?;
            }
        }
        Ok(())
    }

    /// Does a commit want other packages than those that were prepared when the run began?
    pub(crate) fn has_other_lockfiles(&self, commit: &Id) -> Result<bool, String> {
        if self.setup.prepare.is_empty() {
            return Ok(false);
        }
        let changed = self
            .own
            .changed_paths(self.start()?, commit)
            .map_err(error_text)?;
        Ok(changed.iter().any(|file| is_lockfile(file)))
    }

    /// Discards the changes that `prepare` made to versioned files.
    fn keep_only_ignored(&self, layer: &Path, first: &Id) -> io::Result<()> {
        use std::os::unix::ffi::OsStrExt as _;
        let other = |why: String| io::Error::other(why);
        let rules = self.rules().map_err(other)?;
        let base = self
            .own
            .tree_of(first)
            .map_err(|why| other(error_text(why)))?;
        let ignored = self.known_ignored();
        let context = LayerContext {
            own: &self.own,
            base: &base,
            rules: &rules,
            produces: &[],
            ignored_roots: &ignored,
            ignored_layers: &[],
            limits: LayerLimits::default(),
        };
        let upper = layer.join("upper");
        let report = record_layer(&context, &upper).map_err(|why| other(error_text(why)))?;
        let kept = layer.join("kept");
        fs::create_dir_all(&kept)?;
        for root in &report.ignored_roots {
            let root = Path::new(std::ffi::OsStr::from_bytes(root));
            let to = kept.join(root);
            if let Some(above) = to.parent() {
                fs::create_dir_all(above)?;
            }
            fs::rename(upper.join(root), to)?;
        }
        remove_tree(&upper)?;
        fs::rename(kept, upper)
    }
}

/// The kernel mounts no overlay whose work directory was used before.
fn renew_work_directories(shown: &VisibleTree) -> io::Result<()> {
    if let VisibleTree::Overlay { tree, roots } = shown {
        for overlay in [tree].into_iter().chain(roots) {
            make_empty_directory(&overlay.work)?;
        }
    }
    Ok(())
}
