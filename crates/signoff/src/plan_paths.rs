//! Finds the plans that typed paths lead to: files, threads, directories of plans, stdin.

mod threads;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use signoff_plan::dialect::{Dialect, recognise};
use signoff_plan::source::Source;
use signoff_runtime::Error;
use signoff_runtime::plan_file::{PlanFile, read_source, read_stream};
use signoff_runtime::plans::find as find_plan;
use signoff_runtime::project::{Project, load_config, workspace_at};
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::root::discover;

use self::threads::{enclosing_thread, holds_thread, is_thread_below, part_of};
use crate::dialect_guess::{extension, guess_dialect};
use crate::failure::Failure;
use crate::session::Session;
use crate::shell_words::STDIN;

/// Directories that are not searched for plans.
const SKIPPED: [&str; 3] = ["node_modules", "target", "vendor"];

/// Extensions of plan files.
const EXTENSIONS: [&str; 5] = ["md", "markdown", "yaml", "yml", "json"];

/// The text of a possible plan, and its path.
pub(crate) struct PlanCandidate {
    pub(crate) path: PathBuf,
    pub(crate) source: Source,
    /// The dialect it looks like, if it is not recognised as a plan.
    pub(crate) guessed_dialect: Option<Dialect>,
}

impl PlanCandidate {
    fn new(path: PathBuf, source: Source) -> Self {
        let guessed_dialect = match recognise(&source) {
            Some(_) => None,
            None => guess_dialect(&source),
        };
        Self {
            path,
            source,
            guessed_dialect,
        }
    }

    /// Is it a plan, or does it look like one?
    fn is_plan(&self) -> bool {
        let is_thread = !self.source.parts().is_empty();
        is_thread || self.guessed_dialect.is_some() || recognise(&self.source).is_some()
    }

    /// Reads and checks it.
    pub(crate) fn check(self, dialect: Option<Dialect>, workspace: &DiskWorkspace) -> PlanFile {
        let dialect = dialect.or(self.guessed_dialect);
        PlanFile::from_source(&self.path, self.source, dialect, workspace)
    }
}

/// The workspace for the checks, with or without a project.
pub(crate) fn workspace(session: &Session) -> Result<DiskWorkspace, Failure> {
    let process = &session.process;
    let store = discover(&process.directory).map_err(Error::from)?;
    let config = load_config(process, store.as_ref())?;
    let root = store
        .as_ref()
        .map_or(process.directory.as_path(), |store| store.workspace());
    Ok(workspace_at(root, process, &config))
}

/// Reads and checks one plan: a file, the directory of a thread, or stdin.
pub(crate) fn read(
    session: &Session,
    path: &Path,
    dialect: Option<Dialect>,
) -> Result<PlanFile, Failure> {
    Ok(read_candidate(session, path, dialect)?.check(dialect, &workspace(session)?))
}

/// Refuses to read stdin twice.
pub(crate) fn stdin_once<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
    if paths.into_iter().filter(|path| is_stdin(path)).count() < 2 {
        return Ok(());
    }
    Err(Failure::new(
        2,
        "usage",
        "`-` is given twice, but stdin can be read only once",
    ))
}

/// Every plan that the paths lead to, each once. An unreadable file does not hide the others.
pub(crate) fn find(
    session: &Session,
    paths: &[PathBuf],
    dialect: Option<Dialect>,
) -> Vec<Result<PlanCandidate, Failure>> {
    let mut known = BTreeSet::new();
    let found = paths
        .iter()
        .flat_map(|path| plans_at(session, path, dialect));
    found
        .filter(|one| match one {
            // A link and its target are one file.
            Ok(found) => known.insert(found.path.canonicalize().unwrap_or(found.path.clone())),
            Err(_) => true,
        })
        .collect()
}

/// Every plan that one path leads to.
fn plans_at(
    session: &Session,
    path: &Path,
    dialect: Option<Dialect>,
) -> Vec<Result<PlanCandidate, Failure>> {
    let path = &match path_of_name(session, path) {
        Ok(path) => path,
        Err(unknown) => return vec![Err(unknown)],
    };
    let full = session.process.directory.join(path);
    if is_stdin(path) || !full.is_dir() || holds_thread(&full) {
        return vec![read_candidate(session, path, dialect)];
    }
    let mut candidates = BTreeSet::new();
    let mut found = Vec::new();
    collect_candidates(&full, &mut candidates, &mut |unread, why| {
        found.push(Err(cannot_read(&path_as_typed(path, &full, unread), &why)));
    });
    for candidate in candidates {
        let name = path_as_typed(path, &full, &candidate);
        match read_source(&candidate, &name) {
            Ok(source) => {
                let one = PlanCandidate::new(candidate, source);
                found.extend(one.is_plan().then_some(Ok(one)));
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
        .hint("`signoff new --list` shows the templates for a plan")));
    }
    found
}

fn read_candidate(
    session: &Session,
    path: &Path,
    dialect: Option<Dialect>,
) -> Result<PlanCandidate, Failure> {
    let path = &path_of_name(session, path)?;
    let full = session.process.directory.join(path);
    if is_stdin(path) {
        let bytes = read_stream(std::io::stdin().lock()).map_err(|why| cannot_read(STDIN, &why))?;
        return Ok(PlanCandidate::new(full, Source::new(STDIN, bytes)));
    }
    let source = read_source(&full, &path.display().to_string())?;
    let found = PlanCandidate::new(full, source);
    let own = dialect.is_some() || found.is_plan();
    match enclosing_thread(path, &found.path).filter(|_| !own) {
        Some(thread) => Err(part_of(path, &thread)),
        None => Ok(found),
    }
}

/// The path of a plan that the store knows by this name, unless a file has it.
fn path_of_name(session: &Session, name: &Path) -> Result<PathBuf, Failure> {
    let here = &session.process.directory;
    if is_stdin(name) || here.join(name).symlink_metadata().is_ok() {
        return Ok(name.to_owned());
    }
    // Outside a project a plan is known by its path alone.
    let (Ok(project), Some(text)) = (Project::open(&session.process), name.to_str()) else {
        return Ok(name.to_owned());
    };
    match find_plan(&project, text) {
        Ok(path) => Ok(path.strip_prefix(here).unwrap_or(&path).to_owned()),
        Err(unknown @ Error::NoSuchPlan { .. }) => Err(unknown.into()),
        Err(_) => Ok(name.to_owned()),
    }
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path below the typed one, in the same style.
fn path_as_typed(typed: &Path, full: &Path, found: &Path) -> String {
    let below = found.strip_prefix(full).unwrap_or(found);
    typed.join(below).display().to_string()
}

fn cannot_read(name: &str, why: &std::io::Error) -> Failure {
    Failure::new(6, "unreadable", format!("{name}: {why}"))
}

/// Files that may be plans and directories that are threads, below this directory.
fn collect_candidates(
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
                if is_thread_below(&path) {
                    found.insert(path);
                } else {
                    collect_candidates(&path, found, trouble);
                }
            }
            Ok((path, kind)) if kind.is_file() && has_plan_extension(&path) => {
                found.insert(path);
            }
            Ok(_) => {}
            Err(why) => trouble(directory, why),
        }
    }
}

fn is_searched(directory: &Path) -> bool {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    !name.starts_with('.') && !SKIPPED.contains(&name.as_ref())
}

fn has_plan_extension(path: &Path) -> bool {
    EXTENSIONS.contains(&extension(path).as_str())
}
