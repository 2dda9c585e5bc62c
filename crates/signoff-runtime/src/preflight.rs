//! What must be true before anything starts.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use signoff_engine::{Act, PlanState, unsupported};
use signoff_plan::digest::Digest;
use signoff_plan::model::Work;
use signoff_plan::signed::{Mismatch, Signature, SignedPlan};
use signoff_store::config::{AgentSettings, SandboxMode, UnverifiedPolicy};
use signoff_store::signatures::{self, SignatureRecord};
use signoff_work::confine::AgentRequirements;

use crate::confinement;
use crate::difference::Difference;
use crate::error::Error;
use crate::helpers::{ProgramSearch, search};
use crate::plan_file::PlanFile;
use crate::plans::held::Held;
use crate::project::{Project, minimum_proof, roles};
use crate::proof::{Counted, counted};

/// The plan has no errors, and its surroundings have what it names.
pub(crate) fn no_errors(plan: &PlanFile) -> Result<(), Error> {
    let checked = plan.checked.clone().strict();
    if checked.errors() == 0 {
        return Ok(());
    }
    Err(Error::Invalid {
        source: Box::new(plan.source.clone()),
        diagnostics: checked.diagnostics,
    })
}

/// The plan can be carried out by this version, with these settings and programs.
pub(crate) fn can_run(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    supported(plan)?;
    verified(project, plan)?;
    programs(project, plan)
}

/// The plan asks for nothing that this version would have to ignore.
fn supported(plan: &PlanFile) -> Result<(), Error> {
    let missing = unsupported(&plan.checked.plan, plan.checked.dialect);
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::Unsupported(missing))
    }
}

/// No step would have to be taken on trust, where the settings ask for that.
fn verified(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    if project.config.contract.unverified.value == UnverifiedPolicy::Ask {
        return Ok(());
    }
    let steps = plan.checked.plan.steps.iter();
    let bare = steps
        .filter(|step| matches!(step.work, Work::Agent { .. }) && step.contract.is_none())
        .map(|step| step.id.clone());
    let bare: Vec<String> = bare.collect();
    if bare.is_empty() {
        return Ok(());
    }
    let plan = plan.source.name().to_owned();
    Err(Error::Unverified { plan, steps: bare })
}

/// The plan's state allows a run. One that is only not signed is told so, and what changed.
pub(crate) fn may_start(held: &Held<'_>) -> Result<(), Error> {
    no_errors(&held.plan)?;
    match held.standing.state {
        PlanState::Approved => Ok(()),
        PlanState::Draft | PlanState::Verified => {
            signed(held.doing.project, &held.plan)?;
            // There is a signature, but the plan was handed in anew since: it needs another one.
            Err(Error::NotSigned {
                plan: held.plan.source.name().to_owned(),
            })
        }
        _ => held.allow(Act::Start).map(|_| ()),
    }
}

/// Finds the signature that counts for the present digests, or says what changed since the last one.
pub(crate) fn signed(project: &Project, plan: &PlanFile) -> Result<SignedPlan, Error> {
    let key = plan.key(project);
    let terms = project.present_terms(&plan.checked.plan, &key)?;
    let terms_digest = Digest::of_json(&terms);
    let digests = (&plan.digest(), &terms_digest);
    match counted(project, &key, digests, minimum_proof(project))? {
        Counted::Yes(found) => return join(plan, &terms_digest, &found),
        Counted::No(doubted) if !doubted.is_empty() => {
            let plan = plan.source.name().to_owned();
            return Err(Error::NoneCounts { plan, doubted });
        }
        Counted::No(_) => {}
    }
    Err(not_signed(project, plan)?)
}

/// Why a plan without a valid signature has none: nobody ever signed it, or what changed since.
pub(crate) fn not_signed(project: &Project, plan: &PlanFile) -> Result<Error, Error> {
    let plan_name = plan.source.name().to_owned();
    Ok(match since_signed(project, plan)? {
        None => Error::NotSigned { plan: plan_name },
        Some((_, difference)) => Error::Changed {
            plan: plan_name,
            difference,
        },
    })
}

/// What changed since somebody last signed the plan, whatever that signature counts for.
pub(crate) fn since_signed(
    project: &Project,
    plan: &PlanFile,
) -> Result<Option<(Signature, Difference)>, Error> {
    let key = plan.key(project);
    let Some(last) = signatures::newest(&project.store, &key)? else {
        return Ok(None);
    };
    let terms = project.present_terms(&plan.checked.plan, &key)?;
    let before = (&last.canonical_plan, &last.canonical_terms);
    let difference = Difference::between(before, (&plan.canonical(), &terms));
    Ok(Some((last.signature, difference)))
}

/// A run goes on only while a signature of its plan still counts.
pub(crate) fn still_signed(project: &Project, key: &str, plan: &SignedPlan) -> Result<(), Error> {
    let digests = (&plan.digest(), &plan.terms());
    match counted(project, key, digests, minimum_proof(project))? {
        Counted::Yes(_) => Ok(()),
        Counted::No(doubted) if doubted.is_empty() => Err(Error::NotSigned {
            plan: key.to_owned(),
        }),
        Counted::No(doubted) => Err(Error::NoneCounts {
            plan: key.to_owned(),
            doubted,
        }),
    }
}

/// Joins a plan with a signature that counts.
fn join(plan: &PlanFile, terms: &Digest, found: &SignatureRecord) -> Result<SignedPlan, Error> {
    let name = plan.source.name().to_owned();
    let source = plan.source.clone();
    let checked = plan
        .checked
        .clone()
        .accept()
        .map_err(|diagnostics| Error::Invalid {
            source: Box::new(source),
            diagnostics,
        })?;
    SignedPlan::new(checked, terms, &found.signature)
        .map_err(|_: Mismatch| Error::NotSigned { plan: name })
}

/// Every program that an agent of this plan needs can be found.
fn programs(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    let mut missing = Vec::new();
    for role in roles(&plan.checked.plan) {
        match project.config.agent(Some(&role)) {
            Some((_, agent)) => {
                missing.extend(logins(project, &role, agent));
                let program = agent.command.first().cloned().unwrap_or_default();
                let needed = format!("`{program}`, which agent `{role}` runs");
                missing.extend(missing_program(project, &program, &needed));
            }
            None => missing.push(format!("an agent for role `{role}`")),
        }
    }
    missing.extend(unseen(project, plan)?);
    for shell in shells(project, plan) {
        let needed = format!("`{shell}`, which runs contracts");
        missing.extend(missing_program(project, &shell, &needed));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::MissingPrograms(missing))
    }
}

/// What is said of a program that a run would not find.
fn missing_program(project: &Project, program: &str, needed: &str) -> Option<String> {
    match search(project, program) {
        ProgramSearch::Found => None,
        ProgramSearch::Missing => Some(needed.to_owned()),
        ProgramSearch::InsideProject(path) => Some(format!(
            "{needed}: PATH has it only inside the project, where an agent could replace it; write `{path}`"
        )),
    }
}

/// Files that were named for an agent to log in with and are not there to be copied.
fn logins(project: &Project, role: &str, agent: &AgentSettings) -> Vec<String> {
    if project.config.sandbox.mode.value == SandboxMode::Off {
        return Vec::new();
    }
    let home = project.around.variables.get(OsStr::new("HOME"));
    let is_there = |file: &&String| {
        let below = file.strip_prefix("~/").unwrap_or(file);
        home.is_some_and(|home| Path::new(home).join(below).is_file())
    };
    let missing = agent.login.iter().filter(|file| !is_there(file));
    missing
        .map(|file| format!("`{file}`, which agent `{role}` logs in with"))
        .collect()
}

/// What was asked for of the home and cannot be had, and what agents' commands name and their agents would not find.
fn unseen(project: &Project, plan: &PlanFile) -> Result<Vec<String>, Error> {
    let level = confinement::level(project)?;
    let Some(grounds) = confinement::grounds(project, Path::new(""), level) else {
        return Ok(Vec::new());
    };
    let mut unseen = grounds.home.refused().to_vec();
    if !level.uses_mounts() {
        return Ok(unseen);
    }
    for role in roles(&plan.checked.plan) {
        let Some((name, agent)) = project.config.agent(Some(&role)) else {
            continue;
        };
        let needs = AgentRequirements::of_command(&agent.command).with(&agent.login, &agent.env);
        for path in grounds.unreachable(&needs) {
            let path = path.display();
            unseen.push(format!(
                "`{path}`, which the command of agent `{name}` names: the agent sees no file of your home or of /tmp \
                 but programs; add it to the agent's `login`, or to `[sandbox] home` in your own configuration"
            ));
        }
    }
    Ok(unseen)
}

/// The shells that the contracts of this plan run in.
fn shells(project: &Project, plan: &PlanFile) -> BTreeSet<String> {
    let contracts = plan
        .checked
        .plan
        .steps
        .iter()
        .filter_map(|step| step.contract.as_ref());
    contracts
        .map(|contract| match &contract.shell {
            Some(shell) => shell.clone(),
            None => project.config.contract.shell.value.clone(),
        })
        .collect()
}
