//! The masks over the checkout: they let processes see what git ignores there, and nothing else.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

use signoff_work::layers::{Mask, MaskStamp, is_cache};

use super::{Trees, error_text, lock};

/// After this many contracts in a row that saw new names, new names are expected all the time.
const RESTLESS: u32 = 2;

/// The masks of a run. One is made again when the checkout changes where it is visible.
#[derive(Default)]
pub(crate) struct Masks {
    /// Shows everything that is ignored.
    whole: Option<Arc<Mask>>,
    /// Leaves out what changed since the run began.
    unchanged: Option<Arc<Mask>>,
    /// How the checkout looked when the run began, and what it ignored.
    first: Option<(MaskStamp, Vec<Vec<u8>>)>,
    /// What changed since.
    changed: Vec<Vec<u8>>,
    /// What the run itself wrote there.
    landed: BTreeSet<String>,
    /// How many contracts in a row saw names that had just appeared.
    restless: u32,
}

/// What was hidden from a contract because it changed in the checkout since the run began, for people.
#[derive(Debug, Default)]
pub(crate) struct OmittedFiles {
    /// Paths that the contract may have needed.
    pub(crate) needed: Vec<String>,
    /// Paths that it does not need.
    pub(crate) caches: Vec<String>,
}

impl Trees {
    /// The mask over what the checkout has and git knows. `unchanged`: also over ignored roots that changed since the
    /// run began: somebody may have built there what steps wrote.
    pub(crate) fn mask(&self, unchanged: bool) -> Result<Arc<Mask>, String> {
        let mut masks = lock(&self.masks);
        // Hidden paths may go on changing.
        let known = if unchanged {
            masks.unchanged.as_ref()
        } else {
            masks.whole.as_ref()
        };
        if !known.is_some_and(|mask| mask.is_current().unwrap_or(false)) {
            self.renew(&mut masks)?;
        }
        let (Some(whole), Some(part)) = (&masks.whole, &masks.unchanged) else {
            return Err("no mask could be made".to_owned());
        };
        Ok(Arc::clone(if unchanged { part } else { whole }))
    }

    /// The present mask for contracts, if it is still valid.
    pub(crate) fn current_mask(&self) -> Option<Arc<Mask>> {
        let masks = lock(&self.masks);
        let unchanged = masks.unchanged.as_ref()?;
        let compared = match unchanged.own_roots() {
            None => masks.whole.as_ref()?,
            Some(_) => unchanged,
        };
        let is_current = compared.is_current().unwrap_or(false);
        is_current.then(|| Arc::clone(unchanged))
    }

    /// Notes which names came into the checkout while a contract ran, which it may have seen. If that happens again and
    /// again, contracts of this run find the checkout's ignored directories one by one from now on, where new names are not
    /// seen. That is for good: what was red before the work must be green after it in the same surroundings.
    pub(crate) fn note_new_names(&self, new: &[String]) {
        let mut masks = lock(&self.masks);
        if new.is_empty() {
            masks.restless = 0;
            return;
        }
        masks.restless += 1;
        if masks.restless == RESTLESS && self.has_layers() {
            masks.unchanged = None;
            // Without it the next contract is void too.
            fs::write(self.new_names_file(), new.join("\n")).ok();
        }
    }

    /// The names that had appeared when new names were first expected all the time.
    pub(crate) fn noted_new_names(&self) -> Option<Vec<String>> {
        let text = fs::read_to_string(self.new_names_file()).ok()?;
        Some(text.lines().map(str::to_owned).collect())
    }

    fn new_names_file(&self) -> PathBuf {
        self.indexes.join("new-names")
    }

    /// The ignored roots of the checkout, as they were last seen.
    pub(crate) fn known_ignored(&self) -> Vec<Vec<u8>> {
        let masks = lock(&self.masks);
        let roots = masks.whole.iter().flat_map(|mask| mask.ignored_roots());
        roots.map(<[u8]>::to_vec).collect()
    }

    fn renew(&self, masks: &mut Masks) -> Result<(), String> {
        let rules = self.rules()?;
        let make = || Mask::make(&self.checkout, &rules, &self.next_mask()?, &[]);
        let whole = Arc::new(make().map_err(error_text)?);
        if let Some((first, roots)) = &masks.first {
            let is_gone = |root: &&Vec<u8>| !whole.ignored_roots().any(|now| now == **root);
            let gone: Vec<Vec<u8>> = roots.iter().filter(is_gone).cloned().collect();
            let changed = whole.changed_since(first).map_err(error_text)?;
            let of_person = changed.into_iter().chain(gone);
            let of_person = of_person.filter(|name| !self.own.is_kept(name));
            masks.changed.extend(of_person);
            masks.changed.sort();
            masks.changed.dedup();
        } else {
            let roots = whole.ignored_roots().map(<[u8]>::to_vec).collect();
            masks.first = Some((whole.stamp().clone(), roots));
        }
        let mut unchanged = if masks.changed.is_empty() {
            Arc::clone(&whole)
        } else {
            let at = self.next_mask().map_err(error_text)?;
            Arc::new(
                whole
                    .without_paths(&masks.changed, &at)
                    .map_err(error_text)?,
            )
        };
        if self.new_names_file().exists() {
            let at = self.next_mask().map_err(error_text)?;
            if let Some(detached) = unchanged.detached_mask(&at).map_err(error_text)? {
                unchanged = Arc::new(detached);
            }
        }
        masks.unchanged = Some(unchanged);
        masks.whole = Some(whole);
        Ok(())
    }

    /// What a mask hides, except what the run itself wrote: that is in its trees.
    pub(super) fn left_out(&self, mask: &Mask) -> OmittedFiles {
        let masks = lock(&self.masks);
        let is_ours = |root: &Path| {
            let mut landed = masks.landed.iter();
            landed.any(|file| Path::new(file).starts_with(root))
        };
        let mut left_out = OmittedFiles::default();
        for root in mask.left_out() {
            let name = String::from_utf8_lossy(root).into_owned();
            if is_ours(Path::new(std::ffi::OsStr::from_bytes(root))) {
                continue;
            }
            if is_cache(root) {
                left_out.caches.push(name);
            } else {
                left_out.needed.push(name);
            }
        }
        left_out
    }

    /// These files were written to the checkout.
    pub(crate) fn note_landed(&self, files: &[String]) {
        lock(&self.masks).landed.extend(files.iter().cloned());
    }

    /// Stops hiding what a person changed, once that was reported: from now on their version is visible.
    pub(crate) fn accept_changed(&self) {
        let mut masks = lock(&self.masks);
        if !masks.changed.is_empty() {
            let landed = std::mem::take(&mut masks.landed);
            *masks = Masks {
                landed,
                ..Masks::default()
            };
        }
    }

    /// A directory for a mask. Old ones stay until the run ends: something may be mounted over them.
    fn next_mask(&self) -> io::Result<PathBuf> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let masks = self.layer_root().join("masks");
        fs::create_dir_all(&masks)?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}", std::process::id());
            let path = masks.join(name);
            if !path.exists() {
                return Ok(path);
            }
        }
    }
}
