//! The plan a run executes: the snapshot taken when it started, and the signature over it.

use serde_json::Value;
use signoff_plan::signed::SignedPlan;
use signoff_store::runs::RunDir;
use signoff_store::signatures;

use crate::error::Error;
use crate::plan_file::{Everything, PlanFile};
use crate::project::Project;

/// Keeps what a run executes: the exact bytes of a file, or of every file of a thread.
pub(crate) fn save(dir: &RunDir, plan: &PlanFile) -> Result<(), Error> {
    if plan.path.is_dir() {
        dir.save_snapshot_files(plan.source.split())?;
        return Ok(());
    }
    let extension = plan.path.extension().and_then(|found| found.to_str());
    dir.save_snapshot(extension.unwrap_or("md"), plan.source.bytes())?;
    Ok(())
}

fn load(dir: &RunDir) -> Result<Option<PlanFile>, Error> {
    let files = dir.snapshot("");
    if files.is_dir() {
        let name = files.to_string_lossy().into_owned();
        return Ok(Some(PlanFile::read(&files, &name, &Everything)?));
    }
    let found = dir.load_snapshot()?.map(|(path, bytes)| {
        let name = path.to_string_lossy().into_owned();
        PlanFile::from_bytes(&path, &name, bytes, &Everything)
    });
    Ok(found)
}

/// The signed plan of a run, from its snapshot and the signature it was started under.
pub(crate) fn signed_snapshot(
    project: &Project,
    id: &str,
    dir: &RunDir,
    started: &Started,
) -> Result<(SignedPlan, Value), Error> {
    let broken = |why: String| Error::BrokenRun {
        run: id.to_owned(),
        why,
    };
    let plan = load(dir)?.ok_or_else(|| broken("its snapshot is missing".to_owned()))?;
    let digest = plan.digest();
    if digest.to_string() != started.digest {
        return Err(broken(format!(
            "its snapshot has digest {digest}, not {}",
            started.digest
        )));
    }
    let terms = started
        .terms
        .parse()
        .map_err(|_| broken("its terms digest cannot be read".to_owned()))?;
    let found =
        signatures::matching(&project.store, &started.plan, &digest, &terms)?.ok_or_else(|| {
            Error::NotSigned {
                plan: started.plan.clone(),
            }
        })?;
    let checked = plan
        .checked
        .accept()
        .map_err(|_| broken("its snapshot has errors".to_owned()))?;
    let signed = SignedPlan::new(checked, &terms, &found.signature)
        .map_err(|mismatch| broken(mismatch.to_string()))?;
    Ok((signed, found.canonical_terms))
}

/// What the first event of a run says.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) plan: String,
    pub(crate) digest: String,
    pub(crate) terms: String,
}
