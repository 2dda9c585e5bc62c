//! The plan a run executes: the snapshot taken when it started and whenever it went on under another
//! version, each with the signature over it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_engine::{Event, Recorded, Run, apply};
use signoff_plan::Everything;
use signoff_plan::digest::Digest;
use signoff_plan::signed::SignedPlan;
use signoff_store::runs::{RunDir, is_run_id};
use signoff_store::signatures::{self, SignatureRecord};

use crate::error::Error;
use crate::journal::first;
use crate::plan_file::PlanFile;
use crate::project::Project;
use crate::signed_text::SignedText;
use crate::view::View;

/// Keeps what a run executes: the exact bytes of a file, or of every file of a thread.
pub(crate) fn save(dir: &RunDir, plan: &PlanFile) -> Result<(), Error> {
    if plan.path.is_dir() {
        dir.save_snapshot_files(plan.source.split())?;
        return Ok(());
    }
    dir.save_snapshot(extension(plan), plan.source.bytes())?;
    Ok(())
}

/// Keeps a later version, and says under which name.
pub(crate) fn save_version(dir: &RunDir, number: usize, plan: &PlanFile) -> Result<String, Error> {
    let path = if plan.path.is_dir() {
        dir.save_version_files(number, plan.source.split())?
    } else {
        dir.save_version(number, extension(plan), plan.source.bytes())?
    };
    let name = path.file_name().unwrap_or_default();
    Ok(name.to_string_lossy().into_owned())
}

fn extension(plan: &PlanFile) -> &str {
    let extension = plan.path.extension().and_then(|found| found.to_str());
    extension.unwrap_or("md")
}

fn load(dir: &RunDir, name: Option<&str>) -> Result<Option<PlanFile>, Error> {
    let place = match name {
        Some(name) => dir.path().join(name),
        None => dir.snapshot(""),
    };
    let known = |path: &Path| path.to_string_lossy().into_owned();
    if place.is_dir() || (name.is_some() && place.is_file()) {
        return Ok(Some(PlanFile::read(&place, &known(&place), &Everything)?));
    }
    if name.is_some() {
        return Ok(None);
    }
    let found = dir.load_snapshot()?;
    Ok(found.map(|(path, bytes)| PlanFile::from_bytes(&path, &known(&path), bytes, &Everything)))
}

/// A run as its journal makes it again, one event at a time. Where an event says that it went on under
/// another version of its plan, that is found in the run's directory.
#[derive(Debug)]
pub(crate) struct Replay<'a> {
    project: &'a Project,
    dir: RunDir,
    id: String,
    /// Its state so far.
    pub(crate) run: Run,
    /// The plan's name in the store.
    pub(crate) key: String,
    /// The plan's file.
    pub(crate) path: PathBuf,
    /// Terms of the version it is at.
    pub(crate) terms: Value,
    /// Versions so far.
    pub(crate) versions: usize,
    /// The text of the version it is at.
    pub(crate) text: SignedText,
}

impl<'a> Replay<'a> {
    /// Reads no more of the journal than its beginning.
    pub(crate) fn begin(project: &'a Project, id: &str) -> Result<Self, Error> {
        let dir = project.store.run_dir(id);
        if !is_run_id(id) || !dir.path().is_dir() {
            return Err(View::unknown(project, Some(id)));
        }
        let never_begun = || Error::NeverBegun { run: id.to_owned() };
        if !dir.journal().exists() {
            return Err(never_begun());
        }
        let Some(Event::RunStarted {
            plan: key,
            path,
            digest,
            terms,
            ..
        }) = first(&dir.journal())?.map(|first| first.event)
        else {
            return Err(never_begun());
        };
        let named = Named {
            snapshot: None,
            digest: &digest,
            terms: &terms,
        };
        let text = SignedText::default();
        let (signed, terms) = signed_snapshot(project, (id, &key), &dir, (&named, &text))?;
        Ok(Self {
            project,
            dir,
            id: id.to_owned(),
            run: Run::new(signed),
            path: project.store.workspace().join(path),
            key,
            terms,
            versions: 1,
            text,
        })
    }

    /// Applies the next event.
    pub(crate) fn apply(&mut self, recorded: &Recorded) -> Result<(), Error> {
        if let Event::PlanReplanned {
            snapshot,
            digest,
            terms,
            ..
        } = &recorded.event
        {
            let named = Named {
                snapshot: Some(snapshot),
                digest,
                terms,
            };
            let whose = (self.id.as_str(), self.key.as_str());
            let found = (&named, &self.text);
            let (signed, terms) = signed_snapshot(self.project, whose, &self.dir, found)?;
            self.run.offer(signed);
            self.terms = terms;
            self.versions += 1;
        }
        apply(&mut self.run, recorded);
        Ok(())
    }
}

/// A version as an event names it.
struct Named<'e> {
    /// Its file in the run's directory; `None` = the one of its start.
    snapshot: Option<&'e str>,
    digest: &'e str,
    terms: &'e str,
}

/// The signed plan of a run, from its snapshot and the signature it was taken up under.
fn signed_snapshot(
    project: &Project,
    (id, key): (&str, &str),
    dir: &RunDir,
    (named, text): (&Named<'_>, &SignedText),
) -> Result<(SignedPlan, Value), Error> {
    let broken = |why: String| Error::BrokenRun {
        run: id.to_owned(),
        why,
    };
    let inside = |name: &str| Path::new(name).file_name() == Some(name.as_ref());
    if named.snapshot.is_some_and(|name| !inside(name)) {
        return Err(broken("its snapshot lies elsewhere".to_owned()));
    }
    let plan = load(dir, named.snapshot)?;
    let plan = plan.ok_or_else(|| broken("its snapshot is missing".to_owned()))?;
    let PlanFile {
        source, checked, ..
    } = plan;
    let checked = checked
        .accept()
        .map_err(|_| broken("its snapshot has errors".to_owned()))?;
    let digest = checked.digest();
    if digest.to_string() != named.digest {
        return Err(broken(format!(
            "its snapshot has digest {digest}, not {}",
            named.digest
        )));
    }
    let terms =
        (named.terms.parse()).map_err(|_| broken("its terms digest cannot be read".to_owned()))?;
    let found = signature_of(project, key, dir, (&digest, &terms))?;
    let found = found.ok_or_else(|| {
        let why = "the signature that it began under is not in .signoff/signatures; is it on another branch, or in a stash?";
        broken(why.to_owned())
    })?;
    text.set(source.bytes().to_vec(), checked.dialect(), digest);
    let signed = SignedPlan::new(checked, &terms, &found.signature)
        .map_err(|mismatch| broken(mismatch.to_string()))?;
    Ok((signed, found.canonical_terms))
}

/// The signature that a run is taken up under: its own copy, or the one of the plan where an older version kept none.
fn signature_of(
    project: &Project,
    key: &str,
    dir: &RunDir,
    (digest, terms): (&Digest, &Digest),
) -> Result<Option<SignatureRecord>, Error> {
    let kept = signatures::copies_of_run(dir, key, digest, terms)?
        .into_iter()
        .next();
    match kept {
        Some(kept) => Ok(Some(kept)),
        None => Ok(signatures::matching(&project.store, key, digest, terms)?),
    }
}

/// Keeps with a run the signature that it begins or goes on under, if it has not got it yet.
pub(crate) fn keep_signature(
    project: &Project,
    key: &str,
    dir: &RunDir,
    signed: &SignedPlan,
) -> Result<(), Error> {
    let (digest, terms) = (signed.digest(), signed.terms());
    if !signatures::copies_of_run(dir, key, &digest, &terms)?.is_empty() {
        return Ok(());
    }
    if let Some(found) = signatures::matching(&project.store, key, &digest, &terms)? {
        signatures::copy_to_run(dir, &found)?;
    }
    Ok(())
}
