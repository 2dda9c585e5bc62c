//! The plan a run executes: the snapshot taken when it started and whenever it went on under another
//! version, each with the signature over it.

use std::path::Path;

use serde_json::Value;
use signoff_plan::check::resolved_plan;
use signoff_plan::dialect::parse;
use signoff_plan::digest::Digest;
use signoff_plan::signed::{CheckedPlan, SignedPlan};
use signoff_plan::source::Source;
use signoff_store::runs::RunDir;
use signoff_store::signatures::{self, SignatureRecord};

use crate::error::Error;
use crate::plan_file::{PlanFile, SignedText, read_source};
use crate::project::Project;

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
    let name = path.file_name().expect("a version is kept under a name");
    Ok(name.to_string_lossy().into_owned())
}

fn extension(plan: &PlanFile) -> &str {
    let extension = plan.path.extension().and_then(|found| found.to_str());
    extension.unwrap_or("md")
}

fn load(dir: &RunDir, name: Option<&str>) -> Result<Option<Source>, Error> {
    let path = match name {
        Some(name) => dir.path().join(name),
        None => dir.snapshot(""),
    };
    let known = |path: &Path| path.to_string_lossy().into_owned();
    if path.is_dir() || (name.is_some() && path.is_file()) {
        return read_source(&path, &known(&path)).map(Some);
    }
    if name.is_some() {
        return Ok(None);
    }
    let found = dir.load_snapshot()?;
    Ok(found.map(|(path, bytes)| Source::new(known(&path), bytes)))
}

/// A version as an event names it.
pub(super) struct PlanVersion<'e> {
    /// Its file in the run's directory; `None` = the one of its start.
    pub(super) snapshot: Option<&'e str>,
    pub(super) digest: &'e str,
    pub(super) terms: &'e str,
}

/// The signed plan of a run, from its snapshot and the signature.
pub(super) fn signed_snapshot(
    project: &Project,
    id: &str,
    key: &str,
    dir: &RunDir,
    named: &PlanVersion<'_>,
    text: &SignedText,
) -> Result<(SignedPlan, Value), Error> {
    let broken = |why: String| Error::BrokenRun {
        run: id.to_owned(),
        why,
    };
    let inside = |name: &str| Path::new(name).file_name() == Some(name.as_ref());
    if named.snapshot.is_some_and(|name| !inside(name)) {
        return Err(broken("its snapshot lies elsewhere".to_owned()));
    }
    let source = load(dir, named.snapshot)?;
    let source = source.ok_or_else(|| broken("its snapshot is missing".to_owned()))?;
    let checked = recorded_plan(&source, named.digest).map_err(|digest| {
        let expected = named.digest;
        broken(format!("its snapshot has digest {digest}, not {expected}"))
    })?;
    let digest = checked.digest();
    let terms =
        (named.terms.parse()).map_err(|_| broken("its terms digest cannot be read".to_owned()))?;
    let found = signature_of(project, key, dir, (&digest, &terms))?;
    let found = found.ok_or_else(|| {
        let why = "the signature that it began under is not in .signoff/signatures; is it on another branch, or in a stash?";
        broken(why.to_owned())
    })?;
    text.set(source, checked.dialect(), digest);
    let signed = SignedPlan::new(checked, &terms, &found.signature)
        .map_err(|mismatch| broken(mismatch.to_string()))?;
    Ok((signed, found.canonical_terms))
}

/// The plan in a snapshot, if it has this digest; else the digest that it has.
fn recorded_plan(source: &Source, recorded: &str) -> Result<CheckedPlan, Digest> {
    let draft = parse(source);
    CheckedPlan::from_recorded_digest(resolved_plan(&draft), draft.dialect, recorded)
}

/// The signature of a run: its own copy, or the plan's if an older version of signoff kept none.
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

/// Copies the signatures that a run starts or resumes under into its directory, unless they are there.
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
    let found = signatures::all_matching(&project.store, key, &digest, &terms)?;
    // The oldest first, so that a copy made in the same instant sorts as its original does.
    for signed in found.iter().rev() {
        signatures::copy_to_run(dir, signed)?;
    }
    Ok(())
}
