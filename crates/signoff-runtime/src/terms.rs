//! Which files of the workspace decide what a signature is worth: those that steps protect, and the
//! scripts that contracts run. They are part of the terms if they are there at signing and no step
//! before is to make or change them; the others cannot be known yet.

mod called;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use signoff_plan::glob;
use signoff_plan::model::{Depends, Plan, Step, Work};
use signoff_plan::shell::analyse;
use signoff_store::terms::file_hash;

pub(crate) use self::called::called;

/// Programs whose first argument is a script they run.
const INTERPRETERS: [&str; 20] = [
    ".", "source", "bash", "sh", "dash", "zsh", "ksh", "fish", "python", "python2", "python3",
    "node", "bun", "tsx", "ruby", "perl", "php", "lua", "Rscript", "pwsh",
];

/// What changes by itself and is nobody's to protect.
const NEVER: [&str; 2] = [".git", ".signoff"];

/// The files that decide now, with their hashes.
pub(crate) fn deciding_files(plan: &Plan, root: &Path) -> BTreeMap<String, String> {
    let mut needed: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, step) in plan.steps.iter().enumerate() {
        let mut files = scripts(step);
        files.retain(|file| root.join(file).is_file());
        for pattern in &step.protects {
            protected(root, pattern, &mut files);
        }
        for file in files {
            needed.entry(file).or_default().push(at);
        }
    }
    let patterns = plan.steps.iter().flat_map(|step| &step.produces);
    for pattern in patterns {
        needed.retain(|file, _| !glob::matches(pattern, file));
    }
    let naming = naming(plan, &needed);
    let deciding = needed.iter().filter(|(file, steps)| {
        let named = naming.get(file.as_str());
        let made = |at: &usize| named.is_some_and(|named| waits_for_any(plan, *at, named));
        !steps.iter().all(made)
    });
    let artifacts = artifacts(plan, root);
    hashes(root, deciding.map(|(file, _)| file).chain(&artifacts))
}

/// The files that the plan's context refers to: `name → path`, where the path may be their directory.
/// Whoever reads the plan relies on what stands in them.
fn artifacts(plan: &Plan, root: &Path) -> Vec<String> {
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

/// The steps that name these files in their tasks and contracts.
fn naming<'a>(
    plan: &Plan,
    files: &'a BTreeMap<String, Vec<usize>>,
) -> BTreeMap<&'a str, BTreeSet<usize>> {
    let mut found: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    if files.is_empty() {
        return found;
    }
    for (at, step) in plan.steps.iter().enumerate() {
        let task = match &step.work {
            Work::Agent { task, .. } => Some(task),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
        };
        let contract = step.contract.as_ref().map(|contract| &contract.command);
        for word in task
            .into_iter()
            .chain(contract)
            .flat_map(|text| words(text))
        {
            if let Some((file, _)) = files.get_key_value(word) {
                found.entry(file).or_default().insert(at);
            }
        }
    }
    found
}

/// Every stretch of a text that could be a path.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '+' | '@');
    text.split(move |c| !part(c))
        // A full stop may end the sentence.
        .map(|word| plain(word.trim_end_matches('.')))
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
        Ok(hash) => Some((file.clone(), hash?)),
        // A contract cannot run what cannot be read; that it could not be read counts.
        Err(_) => Some((file.clone(), "unreadable".to_owned())),
    };
    files.filter_map(hash).collect()
}

/// Files of the workspace that a step's contract runs.
fn scripts(step: &Step) -> BTreeSet<String> {
    let Some(contract) = &step.contract else {
        return BTreeSet::new();
    };
    let text = contract.command.as_str();
    let analysis = analyse(text);
    let called = analysis
        .commands
        .iter()
        .filter(|(name, _)| name.contains('/'))
        .map(|(name, _)| name);
    let interpreted = analysis
        .files
        .iter()
        .filter(|(_, span)| is_interpreted(text.get(..span.start).unwrap_or_default()))
        .map(|(name, _)| name);
    called
        .chain(interpreted)
        .map(|name| plain(name).to_owned())
        .filter(|name| stays_inside(name))
        .collect()
}

/// Whether what stands before a file's name hands the file to an interpreter: `bash -x `, but not
/// `bash other.sh ` nor `python -m pytest `.
fn is_interpreted(before: &str) -> bool {
    let command = before
        .rsplit([';', '&', '|', '\n', '(', '{', '`', '!'])
        .next()
        .unwrap_or_default();
    let last = command
        .split_whitespace()
        .map(|word| word.trim_matches(['"', '\'']))
        .rfind(|word| !word.is_empty() && !word.starts_with('-'));
    last.is_some_and(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        // `python3.12`
        let name = if name.starts_with("python3.") {
            "python3"
        } else {
            name
        };
        INTERPRETERS.contains(&name)
    })
}

/// Adds the files below the root that a pattern covers.
fn protected(root: &Path, pattern: &str, found: &mut BTreeSet<String>) {
    let pattern = plain(pattern);
    let fixed = pattern.find(['*', '?']).unwrap_or(pattern.len());
    let folder = pattern.get(..fixed).unwrap_or_default();
    let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
    if stays_inside(pattern) {
        walk(root, folder, pattern, found);
    }
}

/// Links to directories are not followed: they may lead out, or in circles.
fn walk(root: &Path, folder: &str, pattern: &str, found: &mut BTreeSet<String>) {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
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
        } else if glob::matches(pattern, &path) {
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
fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// Whether a path is one of the workspace: what lies elsewhere belongs to the machine.
fn stays_inside(path: &str) -> bool {
    let climbs = path.split('/').any(|part| part == "..");
    !climbs && !path.starts_with(['/', '~']) && !path.is_empty()
}

#[cfg(test)]
#[path = "terms/tests.rs"]
mod tests;
