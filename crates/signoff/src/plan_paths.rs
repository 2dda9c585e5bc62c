//! From what was typed to plans: files, threads, directories of plans, stdin.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use signoff_plan::dialect::{Dialect, recognise};
use signoff_plan::source::Source;
use signoff_runtime::plan_file::{PlanFile, is_thread, read_source, read_stream};
use signoff_runtime::project::load_config;
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::root::discover;

use crate::failure::Failure;
use crate::session::Session;

/// Directories that hold no plans of ours.
const PASSED_OVER: [&str; 3] = ["node_modules", "target", "vendor"];

/// How files of plans end.
const ENDINGS: [&str; 4] = ["md", "yaml", "yml", "json"];

/// How messages call what comes from stdin.
pub(crate) const STDIN: &str = "<stdin>";

/// A plan's text and where it was.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) source: Source,
}

impl Found {
    /// Reads and checks it.
    pub(crate) fn check(self, dialect: Option<Dialect>, workspace: &DiskWorkspace) -> PlanFile {
        PlanFile::from_source(&self.path, self.source, dialect, workspace)
    }
}

/// What the checks may ask, with or without a project.
pub(crate) fn workspace(session: &Session) -> Result<DiskWorkspace, Failure> {
    let around = &session.around;
    let store = discover(&around.directory);
    let config = load_config(around, store.as_ref())?;
    let root = store
        .as_ref()
        .map_or(around.directory.as_path(), |store| store.workspace());
    Ok(DiskWorkspace::new(root, &around.path(), &config))
}

/// One plan: a file, the directory of a thread, or stdin.
pub(crate) fn read(session: &Session, path: &Path) -> Result<PlanFile, Failure> {
    Ok(one(session, path)?.check(None, &workspace(session)?))
}

/// Every plan that a path leads to. What cannot be read does not keep the others from being read.
pub(crate) fn find(session: &Session, path: &Path) -> Vec<Result<Found, Failure>> {
    let full = session.around.directory.join(path);
    if is_stdin(path) || !full.is_dir() || is_thread(&full) {
        return vec![one(session, path)];
    }
    let mut candidates = BTreeSet::new();
    let mut found = Vec::new();
    collect(&full, &mut candidates, &mut |place, why| {
        found.push(Err(unreadable(&shown(path, &full, place), &why)));
    });
    for candidate in candidates {
        let name = shown(path, &full, &candidate);
        match read_source(&candidate, &name) {
            Ok(source) => {
                if recognise(&source).is_some() || !source.parts().is_empty() {
                    let path = candidate;
                    found.push(Ok(Found { path, source }));
                }
            }
            Err(error) => found.push(Err(error.into())),
        }
    }
    if found.is_empty() {
        found.push(Err(Failure::new(
            2,
            "no-plans",
            format!("there is no plan in {}", path.display()),
        )
        .hint("a plan is a markdown file whose frontmatter says `type: plan`, or has one of the other forms in docs/plan-format.md")));
    }
    found
}

fn one(session: &Session, path: &Path) -> Result<Found, Failure> {
    let full = session.around.directory.join(path);
    let source = if is_stdin(path) {
        let bytes = read_stream(std::io::stdin().lock()).map_err(|why| unreadable(STDIN, &why))?;
        Source::new(STDIN, bytes)
    } else {
        read_source(&full, &path.display().to_string())?
    };
    Ok(Found { path: full, source })
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path below the one that was typed, as the person who typed it would write it.
fn shown(typed: &Path, full: &Path, found: &Path) -> String {
    let below = found.strip_prefix(full).unwrap_or(found);
    typed.join(below).display().to_string()
}

fn unreadable(name: &str, why: &std::io::Error) -> Failure {
    Failure::new(6, "unreadable", format!("{name}: {why}"))
}

/// Files that may be plans and directories that are threads, below this directory.
fn collect(
    directory: &Path,
    found: &mut BTreeSet<PathBuf>,
    trouble: &mut dyn FnMut(&Path, std::io::Error),
) {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(why) => return trouble(directory, why),
    };
    for entry in entries {
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            Ok((path, kind)) if kind.is_dir() && is_searched(&path) => {
                if path.join("tasks").is_dir() && path.join("plan.md").is_file() && is_thread(&path)
                {
                    found.insert(path);
                } else {
                    collect(&path, found, trouble);
                }
            }
            Ok((path, kind)) if kind.is_file() && has_ending(&path) => {
                found.insert(path);
            }
            Ok(_) => {}
            Err(why) => trouble(directory, why),
        }
    }
}

fn is_searched(directory: &Path) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && !PASSED_OVER.contains(&name.as_ref())
}

fn has_ending(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    ENDINGS.contains(&ending.as_ref())
}
