//! Are the plan and its terms still what was signed? Asked before every dispatch, by stat; files are
//! read again only when that differs.

use std::path::PathBuf;

use serde_json::Value;
use signoff_plan::digest::Digest;
use signoff_plan::signed::SignedPlan;
use signoff_store::atomic::Fingerprint;

use crate::difference::Difference;
use crate::error::Error;
use crate::plan_file::{Everything, PlanFile};
use crate::project::Project;

/// Keeps an eye on the files a signature rests on.
#[derive(Debug)]
pub(crate) struct Watch {
    plan: PathBuf,
    seen: Vec<Option<Fingerprint>>,
    /// What was signed: plan and terms.
    signed: (Value, Value),
    digest: Digest,
    terms: Digest,
}

impl Watch {
    pub(crate) fn new(plan: PathBuf, signed: &SignedPlan, canonical: (Value, Value)) -> Self {
        Self {
            plan,
            seen: Vec::new(),
            signed: canonical,
            digest: signed.digest(),
            terms: signed.terms(),
        }
    }

    /// What changed since signing, if anything did.
    pub(crate) fn difference(&mut self, project: &Project) -> Result<Option<Difference>, Error> {
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

    fn fingerprints(&self, project: &Project) -> Vec<Option<Fingerprint>> {
        let config = project.store.config_path();
        [
            Some(&self.plan),
            Some(&config),
            project.around.user_config.as_ref(),
        ]
        .into_iter()
        .flatten()
        .map(|path| Fingerprint::of(path).ok().flatten())
        .collect()
    }

    fn compare(&self, project: &Project) -> Result<Option<Difference>, Error> {
        let name = self.plan.to_string_lossy();
        let plan = match PlanFile::read(&self.plan, &name, &Everything) {
            Ok(plan) => plan,
            Err(Error::Unreadable { why, .. }) => {
                return Ok(Some(Difference {
                    broken: Some(format!("{name} cannot be read: {why}")),
                    ..Difference::default()
                }));
            }
            Err(error) => return Err(error),
        };
        let fresh = Project::open(&project.around)?;
        fresh.require_trust()?;
        let terms = fresh.terms(&plan.checked.plan);
        if plan.digest() == self.digest && Digest::of_json(&terms) == self.terms {
            return Ok(None);
        }
        let mut difference = Difference::between(
            (&self.signed.0, &self.signed.1),
            (&plan.canonical(), &terms),
        );
        if plan.checked.errors() > 0 {
            difference.broken = Some(format!("{name} has errors now"));
        }
        Ok(Some(difference))
    }
}
