//! Which files of the workspace decide what a signature is worth: those that steps protect, and the
//! scripts that contracts run. They are part of the terms if they are there at signing, unless the step
//! that needs them or one before it says that it makes them (`produces`). What a task says about a file
//! takes nothing out of the terms.

mod called_tools;
mod links;
mod machine;
mod prompts;
mod scripts;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use serde_json::Value;
use signoff_plan::digest::Digest;
use signoff_plan::glob;
use signoff_plan::model::{Depends, Plan};
use signoff_store::signatures::SignatureRecord;
use signoff_store::terms::{TermsContext, file_hash};
use signoff_store::{signatures, tool_record};
use signoff_work::prompt;

pub(crate) use self::called_tools::called_tools;
pub(crate) use self::prompts::prompt_paths;
use self::prompts::replaced_prompts;
use self::scripts::scripts;
use crate::error::Error;
use crate::project::{Project, roles};

/// Directories that change by themselves and are never protected.
const NEVER: [&str; 2] = [".git", ".signoff"];
/// The hash of what cannot be read. A contract cannot run it; that it could not be read counts.
const UNREADABLE: &str = "unreadable";

impl Project {
    /// The terms under which a plan would be signed now.
    pub fn terms(&self, plan: &Plan) -> Value {
        self.terms_with(plan, &deciding_files(plan, self.store.workspace()))
    }

    /// The present terms, to be compared with these signed ones: of files, only those that were
    /// there at signing count.
    pub fn terms_against(&self, plan: &Plan, signed: &Value) -> Value {
        let present = self.terms_with(plan, &signed_files(signed, self.store.workspace()));
        match self.cluster {
            Some(_) => machine::with_signed_part(present, signed),
            None => present,
        }
    }

    /// The part of the terms that is this machine's own, for a run that several machines share.
    pub fn machine_terms(&self, plan: &Plan) -> Value {
        machine::part_of(self.terms_with(plan, &BTreeMap::new()))
    }

    /// The present terms, to be compared with those of the newest signature of this plan, if there
    /// is one.
    pub(crate) fn present_terms(&self, plan: &Plan, key: &str) -> Result<Value, Error> {
        let newest = signatures::newest(&self.store, key)?;
        Ok(self.terms_since(plan, newest.as_ref()))
    }

    /// The same for a signature that was read before.
    pub(crate) fn terms_since(&self, plan: &Plan, newest: Option<&SignatureRecord>) -> Value {
        match newest {
            Some(signed) => self.terms_against(plan, &signed.canonical_terms),
            None => self.terms(plan),
        }
    }

    fn terms_with(&self, plan: &Plan, files: &BTreeMap<String, String>) -> Value {
        let mut roles = roles(plan);
        // An arbiter may choose any of them for a step that names none.
        if roles.contains("default") && self.config.llm.arbiter.value.is_some() {
            roles.extend(self.config.agents.keys().cloned());
        }
        let prompt = Digest::of_bytes(prompt::template().as_bytes()).to_string();
        let home = self.process.variables.get(OsStr::new("HOME"));
        let record = tool_record::load(self.store.workspace(), &self.config);
        let called = called_tools(plan, &self.config, &record);
        let context = TermsContext {
            path: &self.process.path(),
            home: home.map(Path::new).filter(|home| home.is_absolute()),
            prompt: &prompt,
            files,
            prompts: &replaced_prompts(self, plan),
            called: &called,
        };
        signoff_store::terms(&self.config, roles.iter().map(String::as_str), context)
    }
}

/// The files that decide now, with their hashes.
pub(crate) fn deciding_files(plan: &Plan, root: &Path) -> BTreeMap<String, String> {
    let mut needed: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let mut files = scripts(step, root);
        for pattern in &step.protects {
            matching_files(root, pattern, &mut files);
        }
        for file in files {
            needed.entry(file).or_default().push(at);
        }
    }
    let deciding = needed.iter().filter_map(|(file, steps)| {
        let names = links::names(root, file);
        // A step that makes the target of a link makes the file, and the other way round.
        let makers: BTreeSet<usize> = names
            .iter()
            .flat_map(|name| producing_steps(plan, name))
            .collect();
        let is_made = |at: &usize| makers.contains(at) || waits_for_any(plan, *at, &makers);
        (!steps.iter().all(is_made)).then_some(names)
    });
    let mut deciding: BTreeSet<String> = deciding.flatten().collect();
    deciding.extend(artifacts(plan, root));
    hashes(root, deciding.iter())
}

/// The steps that say that they make a file.
fn producing_steps(plan: &Plan, file: &str) -> BTreeSet<usize> {
    let steps = plan.steps.iter().enumerate();
    let makes = steps.filter(|(_, step)| {
        let mut patterns = step.produces.iter();
        patterns.any(|pattern| glob::matches(pattern, file))
    });
    makes.map(|(at, _)| at).collect()
}

/// The files that the plan's context refers to: `name → path`, where the path may be their directory.
/// A reader of the plan relies on their content.
pub(crate) fn artifacts(plan: &Plan, root: &Path) -> Vec<String> {
    let listed = plan.record.get("artifacts").and_then(Value::as_array);
    let lines = listed.into_iter().flatten().filter_map(Value::as_str);
    let files = lines.filter_map(|line| {
        let (name, path) = line.rsplit_once('→').unwrap_or(("", line));
        let path = path.trim().trim_matches('`').trim_end_matches('/');
        let below = format!("{path}/{}", name.trim().trim_matches('`'));
        [path.to_owned(), below].into_iter().find(|file| {
            let real = root.join(file).canonicalize();
            real.is_ok_and(|real| real.is_file() && real.starts_with(root))
        })
    });
    files.collect()
}

/// The same files as when these terms were signed, with their hashes now.
///
/// What came into being since then is not among them: a step may have made it.
pub(crate) fn signed_files(signed: &Value, root: &Path) -> BTreeMap<String, String> {
    let files = signed.get("files").and_then(Value::as_object);
    hashes(root, files.into_iter().flat_map(serde_json::Map::keys))
}

fn hashes<'a>(root: &Path, files: impl Iterator<Item = &'a String>) -> BTreeMap<String, String> {
    let hash = |file: &String| match file_hash(&root.join(file)) {
        Ok(Some(hash)) => Some((file.clone(), hash)),
        Ok(None) => {
            let path = root.join(file);
            let unreadable = || is_unreadable_directory(&path).then(|| UNREADABLE.to_owned());
            Some((file.clone(), links::hash(&path).or_else(unreadable)?))
        }
        Err(_) => Some((file.clone(), UNREADABLE.to_owned())),
    };
    files.filter_map(hash).collect()
}

/// A directory that is there, but whose files nobody can name.
fn is_unreadable_directory(path: &Path) -> bool {
    path.is_dir() && std::fs::read_dir(path).is_err()
}

/// Adds the files below the root that a pattern covers.
fn matching_files(root: &Path, pattern: &str, found: &mut BTreeSet<String>) {
    let pattern = plain_path(pattern);
    let folder = glob::fixed_folder(pattern);
    if stays_inside(pattern) {
        walk(root, folder, pattern, found);
    }
}

/// Links to directories are not followed: they may lead out, or in circles. What lies behind one that the pattern
/// covers is found where it is.
fn walk(root: &Path, folder: &str, pattern: &str, found: &mut BTreeSet<String>) {
    let path = root.join(folder);
    let Ok(entries) = std::fs::read_dir(&path) else {
        if path.is_dir() {
            found.insert(folder.to_owned());
        }
        return;
    };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !NEVER.contains(name)) else {
            continue;
        };
        let path = if folder.is_empty() {
            name.to_owned()
        } else {
            format!("{folder}/{name}")
        };
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(root, &path, pattern, found);
        } else if glob::covers(pattern, &path) {
            links::add_link_target(root, &path, found);
            found.insert(path);
        }
    }
}

/// Whether the step at `at` waits, directly or not, for one of these.
fn waits_for_any(plan: &Plan, at: usize, wanted: &BTreeSet<usize>) -> bool {
    let (mut seen, mut left) = (BTreeSet::from([at]), vec![at]);
    while let Some(at) = left.pop() {
        match plan.steps.get(at).map(|step| &step.depends_on) {
            // All of them at once, without looking at each.
            Some(Depends::AllBefore) if wanted.range(..at).next().is_some() => return true,
            Some(Depends::AllBefore) | None => {}
            Some(Depends::On(positions)) => {
                for position in positions.iter().filter_map(|at| usize::try_from(*at).ok()) {
                    if wanted.contains(&position) {
                        return true;
                    }
                    if seen.insert(position) {
                        left.push(position);
                    }
                }
            }
        }
    }
    false
}

/// A path without what makes no difference.
fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Whether a path is one of the workspace: what lies elsewhere belongs to the machine.
fn stays_inside(path: &str) -> bool {
    let climbs = path.split('/').any(|part| part == "..");
    !climbs && !path.starts_with(['/', '~']) && !path.is_empty()
}

#[cfg(test)]
mod tests;
