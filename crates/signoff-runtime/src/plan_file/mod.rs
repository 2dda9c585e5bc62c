//! A plan's file or directory, read and checked.

mod foreign;
mod signed_text;

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use signoff_engine::PlanState;
use signoff_plan::Workspace;
use signoff_plan::check::{Checked, bad_filename, check};
use signoff_plan::dialect::{Dialect, base_id, parse, parse_as, recognise};
use signoff_plan::digest::{Digest, canonical};
use signoff_plan::source::Source;
use signoff_store::journal::Record;
use signoff_store::plan_log;

pub use self::foreign::{ForeignSource, read_foreign};
pub(crate) use self::signed_text::SignedText;
use crate::error::Error;
use crate::project::Project;

/// Bytes of a text that is only to be checked.
const LARGEST_TEXT: usize = 1 << 20;

/// A plan as it is on disk now.
#[derive(Debug, Clone)]
pub struct PlanFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes.
    pub source: Source,
    /// The result of the checks.
    pub checked: Checked,
}

impl PlanFile {
    /// Reads and checks a file, or the directory of a thread. `name` is how messages call it.
    pub fn read(path: &Path, name: &str, workspace: &dyn Workspace) -> Result<Self, Error> {
        let source = read_source(path, name)?;
        Ok(Self::from_source(path, source, None, workspace))
    }

    /// Reads it again. A text that is the same is not checked again.
    pub(crate) fn read_again(&self, workspace: &dyn Workspace) -> Result<Self, Error> {
        let source = read_source(&self.path, self.source.name())?;
        if source == self.source {
            return Ok(self.clone());
        }
        Ok(Self::from_source(&self.path, source, None, workspace))
    }

    /// Checks bytes that were read before.
    pub fn from_bytes(path: &Path, name: &str, bytes: Vec<u8>, workspace: &dyn Workspace) -> Self {
        Self::from_source(path, Source::new(name, bytes), None, workspace)
    }

    /// Checks a text that was read before, in the given dialect or in the one it shows.
    pub fn from_source(
        path: &Path,
        source: Source,
        dialect: Option<Dialect>,
        workspace: &dyn Workspace,
    ) -> Self {
        let draft = dialect.map_or_else(|| parse(&source), |dialect| parse_as(&source, dialect));
        let mut checked = check(&draft, workspace);
        if checked.dialect == Dialect::Thread {
            let strays = stray_files(path).into_iter();
            let problems = strays.map(|name| bad_filename::stray_file(&name));
            checked.diagnostics.splice(..0, problems);
        }
        Self {
            path: path.to_owned(),
            source,
            checked,
        }
    }

    /// Checks a text that somebody sent: one at a time, because a check takes time and memory, and none that is larger than the
    /// plans that models may write.
    pub fn of_text(
        text: &str,
        dialect: Option<Dialect>,
        workspace: &dyn Workspace,
    ) -> Result<Self, Error> {
        static CHECKING: Mutex<()> = Mutex::new(());
        if text.len() > LARGEST_TEXT {
            let why = "a text to check has at most 1 MiB".to_owned();
            return Err(Error::BadRequest { why });
        }
        let _one = CHECKING.lock().unwrap_or_else(PoisonError::into_inner);
        let source = Source::new("text", text.as_bytes().to_vec());
        Ok(Self::from_source(
            Path::new("text"),
            source,
            dialect,
            workspace,
        ))
    }

    /// The name under which the store knows it. A replan in the same file is the next version of its plan,
    /// whatever id it has: what was signed and run before is about the same work.
    pub fn key(&self, project: &Project) -> Result<String, Error> {
        let plan = &self.checked.plan;
        let store = &project.store;
        let base = base_id(plan).filter(|base| plan.id.as_deref() != Some(*base));
        if let Some(base) = base {
            let log = plan_log::read(store, base)?;
            let path = |record: &Record| record.body.get("path")?.as_str().map(PathBuf::from);
            let known = log.iter().rev().find_map(path);
            if known.is_some_and(|known| same_file(&store.workspace().join(known), &self.path)) {
                return Ok(base.to_owned());
            }
        }
        Ok(store.key_of(plan.id.as_deref(), &self.path))
    }

    /// What lies in a thread's directory and is not part of the plan; a directory's name ends with a slash.
    pub fn stray_files(&self) -> Vec<String> {
        if self.checked.dialect == Dialect::Thread && self.path.is_dir() {
            stray_files(&self.path)
        } else {
            Vec::new()
        }
    }

    /// What a signature covers.
    pub fn canonical(&self) -> Value {
        canonical(&self.checked.plan)
    }

    /// Digest of [`PlanFile::canonical`].
    pub fn digest(&self) -> Digest {
        self.checked.digest()
    }
}

/// Whether two paths name one file, by whatever way.
pub(crate) fn same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    real(one) == real(other)
}

/// How many bytes of a plan are read: far more than any plan may have, so that a larger one is
/// reported as such and not held in memory.
pub const READ_BYTES: usize = 64 * 1024 * 1024;

/// Reads what a path names: a file, or the files of a thread's directory. `name` is how messages
/// call it.
pub fn read_source(path: &Path, name: &str) -> Result<Source, Error> {
    if path.is_dir() {
        return Ok(Source::directory(name, thread_files(path)?));
    }
    Ok(Source::new(name, read_up_to(path, READ_BYTES + 1)?))
}

/// Reads what comes from a stream, up to a little more than a plan may have.
pub fn read_stream(stream: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream
        .take(READ_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map(|_| bytes)
}

/// Is this directory one plan, a thread? A `plan.md` that is a plan of its own makes it a directory
/// of plans, whatever else is in it.
pub fn is_thread(directory: &Path) -> bool {
    let plan = directory.join(PLAN);
    match read_up_to(&plan, READ_BYTES + 1) {
        Ok(bytes) => {
            let begins = bytes.trim_ascii_start().starts_with(b"---")
                || bytes.starts_with("\u{feff}---".as_bytes());
            (begins || directory.join(TASKS).is_dir())
                && recognise(&Source::new(PLAN, bytes)).is_none()
        }
        Err(_) => directory.join(TASKS).is_dir(),
    }
}

const PLAN: &str = "plan.md";
const TASKS: &str = "tasks";

/// The files of a thread: its plan, then its tasks by name. Every file in `tasks/` is there, also
/// those that cannot be tasks: they are problems, not to be passed over. Hidden ones are nobody's
/// plan.
fn thread_files(directory: &Path) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let (plan, tasks) = (directory.join(PLAN), directory.join(TASKS));
    let mut names = Vec::new();
    if plan.symlink_metadata().is_ok() {
        names.push(PLAN.to_owned());
    }
    if tasks.is_dir() {
        stays_inside(directory, &tasks)?;
        let first = names.len();
        for entry in std::fs::read_dir(&tasks).map_err(cannot_read(&tasks))? {
            let entry = entry.map_err(cannot_read(&tasks))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                names.push(format!("{TASKS}/{name}"));
            }
        }
        names.get_mut(first..).unwrap_or_default().sort();
    }
    if names.is_empty() && !tasks.is_dir() {
        let why = "a directory without `plan.md` or `tasks/` is not a plan";
        return Err(cannot_read(directory)(io::Error::new(
            io::ErrorKind::NotFound,
            why,
        )));
    }
    read_files(directory, names)
}

/// What else lies in the directory of a thread, by name. Hidden files are nobody's plan.
fn stray_files(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let names = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_known = name == PLAN || name == TASKS || name.starts_with('.');
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let shown = if is_directory {
            format!("{name}/")
        } else {
            name
        };
        (!is_known).then_some(shown)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn read_files(directory: &Path, names: Vec<String>) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut left = READ_BYTES + 1;
    let mut files = Vec::new();
    for name in names {
        let path = directory.join(&name);
        if path.is_dir() {
            files.push((format!("{name}/"), Vec::new()));
            continue;
        }
        stays_inside(directory, &path)?;
        let bytes = read_up_to(&path, left)?;
        left -= bytes.len();
        files.push((name, bytes));
    }
    Ok(files)
}

/// A link out of the directory would put somebody else's file into the plan.
fn stays_inside(directory: &Path, path: &Path) -> Result<(), Error> {
    let real = |path: &Path| path.canonicalize().map_err(cannot_read(path));
    if real(path)?.starts_with(real(directory)?) {
        return Ok(());
    }
    let why = io::Error::other("a link that leads out of the plan's directory is not followed");
    Err(cannot_read(path)(why))
}

fn read_up_to(path: &Path, limit: usize) -> Result<Vec<u8>, Error> {
    can_be_read(path).map_err(cannot_read(path))?;
    let file = File::open(path).map_err(cannot_read(path))?;
    let mut bytes = Vec::new();
    file.take(limit as u64)
        .read_to_end(&mut bytes)
        .map_err(cannot_read(path))?;
    Ok(bytes)
}

/// Refuses what might never end, or never begin: devices, and pipes that have a name. A pipe without
/// one, as the shell makes for `<(command)`, has a writer that ends.
fn can_be_read(path: &Path) -> io::Result<()> {
    let kind = path.metadata()?.file_type();
    let nameless = kind.is_fifo() && path.canonicalize().is_err();
    if kind.is_file() || kind.is_dir() || nameless {
        return Ok(());
    }
    let why = "this is not a file; what a program writes is read from stdin, as `-`";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

fn cannot_read(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |why| Error::Unreadable {
        path: path.to_owned(),
        why,
    }
}

/// The plan has no errors, and what it names exists.
pub(crate) fn require_no_errors(plan: &PlanFile) -> Result<(), Error> {
    let checked = plan.checked.clone().strict();
    if checked.errors() == 0 {
        return Ok(());
    }
    Err(Error::Invalid {
        source: Box::new(plan.source.clone()),
        diagnostics: checked.diagnostics,
    })
}

/// The word a dialect has for a state; `None` where its files carry none.
pub(crate) fn status_word(dialect: Dialect, state: PlanState) -> Option<&'static str> {
    match dialect {
        Dialect::Workunit => Some(state.in_workunit()),
        Dialect::Proposal => Some(state.in_proposal()),
        Dialect::Record => Some(state.in_record()),
        Dialect::Toolplan | Dialect::Thread => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn thread(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let dir = thread(files);
        let source = read_source(dir.path(), "t").unwrap();
        let names: Vec<&str> = source
            .parts()
            .iter()
            .map(|part| part.name.as_str())
            .collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn the_files_of_a_thread_are_read_in_order_and_none_is_passed_over() {
        check(
            &[
                ("tasks/02-b.md", ""),
                ("tasks/01-a.md", ""),
                ("plan.md", ""),
                ("notes.md", ""),
            ],
            &["plan.md", "tasks/01-a.md", "tasks/02-b.md"],
        );
        check(
            &[
                ("tasks/notes.txt", ""),
                ("tasks/.gitkeep", ""),
                ("tasks/sub/01-a.md", ""),
            ],
            &["tasks/notes.txt", "tasks/sub/"],
        );
        check(&[("plan.md", "")], &["plan.md"]);
    }

    #[test]
    fn what_is_not_read_is_said() {
        let dir = thread(&[
            ("plan.md", "---\ntitle: T\n---\n"),
            ("tasks/01-a.md", "x"),
            ("task/02-b.md", "x"),
            ("notes.md", "x"),
            (".hidden", "x"),
        ]);
        let plan = PlanFile::read(dir.path(), "t", &signoff_plan::PermissiveWorkspace).unwrap();
        let told: Vec<_> = plan
            .checked
            .diagnostics
            .iter()
            .filter(|one| one.message.contains("is not part of the plan"))
            .map(|one| (one.severity, one.help.as_deref().unwrap_or_default()))
            .collect();
        let warning = signoff_plan::diagnostic::Severity::Warning;
        assert_eq!(
            told,
            [
                (
                    warning,
                    "move it into `tasks/` if it is a task, otherwise out of the plan's directory"
                ),
                (warning, "rename it to `tasks/`"),
            ]
        );
    }

    #[test]
    fn a_directory_without_either_is_no_plan() {
        let dir = thread(&[("notes.md", "")]);
        let Err(Error::Unreadable { why, .. }) = read_source(dir.path(), "t") else {
            panic!("it is not a plan");
        };
        assert_eq!(why.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn links_are_followed_inside_the_directory_only() {
        let outside = thread(&[("secret", "x")]);
        let dir = thread(&[("plan.md", ""), ("tasks/01-a.md", "a")]);
        symlink("01-a.md", dir.path().join("tasks/02-b.md")).unwrap();
        assert!(read_source(dir.path(), "t").is_ok());
        symlink(
            outside.path().join("secret"),
            dir.path().join("tasks/03-c.md"),
        )
        .unwrap();
        assert!(read_source(dir.path(), "t").is_err());
        let linked = thread(&[("plan.md", "")]);
        symlink(dir.path().join("tasks"), linked.path().join("tasks")).unwrap();
        assert!(read_source(linked.path(), "t").is_err());
    }

    #[test]
    fn a_plan_of_its_own_makes_no_thread() {
        let own = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# A\n";
        let of = |files: &[(&str, &str)]| is_thread(thread(files).path());
        assert!(of(&[
            ("plan.md", "---\ntitle: x\n---\n"),
            ("tasks/01-a.md", "")
        ]));
        assert!(of(&[("plan.md", "---\ntitle: x\n---\n")]));
        assert!(of(&[("plan.md", "no frontmatter"), ("tasks/01-a.md", "")]));
        assert!(of(&[("tasks/01-a.md", "")]));
        assert!(!of(&[("plan.md", own), ("tasks/01-a.md", "")]));
        assert!(!of(&[("plan.md", "# Some prose\n")]));
        assert!(!of(&[("other.md", "")]));
    }
}
