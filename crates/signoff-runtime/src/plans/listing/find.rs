//! Finds a plan by its path or its id.

use std::path::{Path, PathBuf};

use signoff_plan::PermissiveWorkspace;
use signoff_store::plan_log;

use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::PlanHistory;
use crate::project::Project;

/// Endings of plan files, in the order in which they are looked for.
const ENDINGS: [&str; 4] = ["md", "yaml", "yml", "json"];

/// The file or directory of a plan. What exists as a path is one; otherwise it is an id, looked for
/// where proposals are kept, then in the logs, then in the archive. None of these needs a list of
/// all plans. Only if that leads nowhere are the files read whose names are others than their ids.
pub fn find(project: &Project, text: &str) -> Result<PathBuf, Error> {
    // No name is not the name of the directory.
    if text.is_empty() {
        return Err(unknown_plan(project, text));
    }
    let direct = project.process.directory.join(text);
    if direct.symlink_metadata().is_ok() {
        return Ok(direct);
    }
    let named = plan_named(&project.store.plans_dir(), text)
        .map_or_else(|| logged_path(project, text), |path| Ok(Some(path)))?
        .or_else(|| plan_named(&project.store.archive_dir(), text));
    let named = match named {
        Some(path) => Some(path),
        None => replanned_path(project, text)?.or_else(|| path_of_id(project, text)),
    };
    named.ok_or_else(|| unknown_plan(project, text))
}

/// The file of a plan that was named by path or id, and its name for messages: as it was named, or from the working
/// directory.
pub fn locate(project: &Project, text: &str) -> Result<(PathBuf, String), Error> {
    let path = find(project, text)?;
    let here = &project.process.directory;
    let direct = path == here.join(text);
    let shown = match path.strip_prefix(here) {
        _ if direct => text.to_owned(),
        Ok(below) => below.display().to_string(),
        Err(_) => path.display().to_string(),
    };
    Ok((path, shown))
}

/// The same for whoever must not look outside: the plan is a file of the project.
pub fn locate_inside(project: &Project, text: &str) -> Result<(PathBuf, String), Error> {
    let (path, shown) = locate(project, text)?;
    of_project(project, &path)?;
    Ok((path, shown))
}

/// A file or directory of the project, all links followed. Records name plans from the workspace, and
/// nothing else is looked at when they are listed.
pub(crate) fn of_project(project: &Project, path: &Path) -> Result<PathBuf, Error> {
    // The caller reads the file and reports that it is missing.
    let Ok(real) = path.canonicalize() else {
        return Ok(path.to_path_buf());
    };
    let workspace = project.store.workspace();
    if real.starts_with(workspace) {
        return Ok(real);
    }
    Err(Error::OutsideProject {
        path: real,
        workspace: workspace.to_path_buf(),
    })
}

/// The file of this name, or stem, in a directory. Only a plain name can match.
fn plan_named(directory: &Path, name: &str) -> Option<PathBuf> {
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    if !plain {
        return None;
    }
    let endings = ENDINGS.iter().map(|ending| format!("{name}.{ending}"));
    endings
        .chain([name.to_owned()])
        .map(|name| directory.join(name))
        .find(|path| {
            path.symlink_metadata()
                .is_ok_and(|found| !found.is_symlink())
        })
}

/// The file that this plan's log names, if it is still there.
fn logged_path(project: &Project, key: &str) -> Result<Option<PathBuf>, Error> {
    let history = PlanHistory::read(project, key)?;
    let path = history
        .path()
        .map(|path| project.store.workspace().join(path));
    Ok(path.filter(|path| path.symlink_metadata().is_ok()))
}

/// The file whose plan has this id, which is a later version (`NAME-vN`) of the plan that the store knows it as.
fn replanned_path(project: &Project, text: &str) -> Result<Option<PathBuf>, Error> {
    let Some((base, version)) = text.rsplit_once("-v") else {
        return Ok(None);
    };
    if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let kept = plan_named(&project.store.plans_dir(), base);
    let path = match kept {
        Some(path) => Some(path),
        None => logged_path(project, base)?,
    };
    Ok(path.filter(|path| {
        let plan = PlanFile::read(path, base, &PermissiveWorkspace);
        plan.is_ok_and(|plan| plan.checked.plan.id.as_deref() == Some(text))
    }))
}

/// The file among the proposals, or in the archive, that says that it has this id and is called otherwise.
fn path_of_id(project: &Project, id: &str) -> Option<PathBuf> {
    let says_so = |path: &PathBuf| {
        let bytes = std::fs::read(path).unwrap_or_default();
        // What does not even have the word need not be understood.
        String::from_utf8_lossy(&bytes).contains(id)
            && PlanFile::read(path, id, &PermissiveWorkspace)
                .is_ok_and(|plan| plan.checked.plan.id.as_deref() == Some(id))
    };
    [project.store.plans_dir(), project.store.archive_dir()]
        .into_iter()
        .find_map(|directory| {
            let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
            let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
            let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
            paths.sort();
            paths.into_iter().find(says_so)
        })
}

fn unknown_plan(project: &Project, text: &str) -> Error {
    let name = |path: &Path| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let plain = stem.filter(|stem| !stem.starts_with('.') && !stem.contains('%'));
        plain.map(str::to_owned)
    };
    let kept = std::fs::read_dir(project.store.plans_dir());
    let kept = kept.into_iter().flatten().flatten();
    let logs = plan_log::all_logs(&project.store).unwrap_or_default();
    // Of most plans only the log is left, and no other name is worth reading it.
    let alike = |key: &String| key.len().abs_diff(text.len()) <= 3;
    let there = |key: &String| logged_path(project, key).is_ok_and(|path| path.is_some());
    let mut known: Vec<String> = logs
        .iter()
        .filter_map(|path| name(path))
        .filter(|key| alike(key) && there(key))
        .chain(kept.filter_map(|entry| name(&entry.path())))
        .collect();
    known.sort();
    known.dedup();
    let history = PlanHistory::read(project, text);
    Error::NoSuchPlan {
        plan: text.to_owned(),
        known,
        deleted: history.is_ok_and(|history| history.is_deleted()),
    }
}
