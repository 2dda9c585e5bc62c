//! What agents and contracts find of a person's home: an empty directory at its path, and an allow-list on top.
//!
//! Start reading at [`Home::resolve`], which works out the list once for a run (`allow.rs`; what is known of tools is data in
//! `tools.rs`, `caches.rs`, `secrets.rs` and `settings.rs`; which keys lie in tools is looked for in `inner.rs`), then at [`Home::prepare`], which makes the directory for one
//! process.

mod allow;
mod caches;
mod git_config;
mod inner_secrets;
mod installation;
mod path_set;
mod secrets;
mod settings;
mod tools;
mod unseen_paths;
mod view;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use self::allow::AllowList;
use self::settings::SettingsCopy;
pub(super) use self::view::{View, ViewOptions};
use super::{ITS_OWN, machine};
use crate::environment::Variables;

/// No home can be put in place of these.
const SYSTEM: [&str; 11] = [
    "/usr", "/bin", "/sbin", "/lib", "/etc", "/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp",
];

/// An empty home, for a person who has none.
const NO_HOME: &str = "/dev/null";

/// Where the home is, and what was asked for of it.
#[derive(Debug, Clone, Default)]
pub struct HomeOptions {
    /// As `HOME` says.
    pub home: Option<PathBuf>,
    /// Where else the person's things are, hidden like the home: what the account's home is if `HOME` says something
    /// else, and where variables put settings and state.
    pub other_homes: Vec<PathBuf>,
    /// The project, which is seen at its own path whatever the home is.
    pub tree: PathBuf,
    /// Variables of the harness's process: `PATH`, and those that say where tools are.
    pub variables: Variables,
    /// `[sandbox] home`
    pub visible: Vec<String>,
    /// `[sandbox] writable`
    pub writable: Vec<String>,
}

/// The home of one run's processes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Home(Arc<HomePlan>);

#[derive(Debug, Default)]
struct HomePlan {
    /// As `HOME` says.
    written: Option<PathBuf>,
    /// Without links.
    real: Option<PathBuf>,
    /// Whether an empty directory can be put in its place.
    replaceable: bool,
    /// Other places in which one is put as well, without links. None lies in another or in the home.
    others: Vec<PathBuf>,
    list: AllowList,
    /// Settings without credentials.
    copies: Vec<SettingsCopy>,
    git_config: String,
    environment: Vec<(OsString, OsString)>,
    hidden: Vec<PathBuf>,
    /// Where programs are outside of the home, and how names are resolved; without links.
    programs: Vec<PathBuf>,
}

impl Home {
    /// Works out what of a home is seen.
    pub fn resolve(options: &HomeOptions) -> Self {
        let written = options.home.clone().filter(|home| home.is_absolute());
        let real = written.as_ref().and_then(|home| home.canonicalize().ok());
        let real = real.filter(|real| real.is_dir());
        let home = real.as_deref().unwrap_or(Path::new(NO_HOME));
        let tree = options.tree.canonicalize();
        let tree = tree.unwrap_or_else(|_| options.tree.clone());
        let replaceable = real.is_some() && !holds_system(home) && !home.starts_with(&tree);
        let others = other_homes(options, home, &tree);
        let mut homes = vec![home.to_owned()];
        homes.extend(others.iter().cloned());
        let list = AllowList::new(&homes, &tree, options);
        let variable = |name: &&'static str| {
            let value = options.variables.get(OsStr::new(name))?;
            Some((OsString::from(name), value.clone()))
        };
        let xdg = options.variables.get(OsStr::new("XDG_CONFIG_HOME"));
        // A link that is covered leads nowhere.
        let is_found = |home: &PathBuf| !ITS_OWN.iter().any(|own| home.starts_with(own));
        let written = written.filter(is_found).or_else(|| real.clone());
        let path = options.variables.get(OsStr::new("PATH"));
        let replaced = homes.split_off(usize::from(!replaceable));
        // Those in the home are found by its allow-list, or not at all.
        let is_replaced = |path: &Path| replaced.iter().any(|home| path.starts_with(home));
        let is_outside = |path: &PathBuf| !(list.secrets.cover(path) || is_replaced(path));
        let programs = path.into_iter().flat_map(|path| machine::programs(path));
        let inner = inner_secrets::find_inner_secrets(&list);
        let mut copies = settings::copies(home, &options.variables);
        copies.extend(inner.copies);
        let mut hidden = list.paths_to_hide(&replaced);
        hidden.extend(inner.hidden);
        hidden.extend(machine::secrets_of_machine());
        Self(Arc::new(HomePlan {
            written,
            replaceable,
            copies,
            git_config: git_config::git_config(home, xdg.map(PathBuf::from)),
            environment: list.variables.iter().filter_map(variable).collect(),
            hidden,
            programs: programs.filter(is_outside).collect(),
            real,
            others,
            list,
        }))
    }

    /// What a person asked for and cannot have, a sentence for each.
    pub fn refusals(&self) -> &[String] {
        &self.0.list.refused
    }

    /// Names in the home that a process does not find in its own, in order. What the project lies in is not one of them.
    pub fn unseen_entries(&self) -> io::Result<Vec<OsString>> {
        let Some(real) = self.0.real.as_ref().filter(|_| self.0.replaceable) else {
            return Ok(Vec::new());
        };
        let tree = self.0.list.tree.as_path();
        let seen: Vec<&Path> = self.seen_paths().chain([tree]).collect();
        let mut unseen = Vec::new();
        for entry in fs::read_dir(real)? {
            let entry = entry?;
            let path = entry.path();
            if !seen.iter().any(|seen| seen.starts_with(&path)) {
                unseen.push(entry.file_name());
            }
        }
        unseen.sort();
        Ok(unseen)
    }

    fn seen_paths(&self) -> impl Iterator<Item = &Path> {
        let list = &self.0.list;
        let links = list.links.keys().chain(list.caches.keys());
        let links = links.chain(&list.writable).map(PathBuf::as_path);
        let copies = self.0.copies.iter().map(|copy| copy.at.as_path());
        list.roots().into_iter().chain(links).chain(copies)
    }

    /// Where programs are outside of the home, and how names are resolved; without links.
    pub(super) fn programs(&self) -> &[PathBuf] {
        &self.0.programs
    }

    /// Is this in the home, and something else found there?
    pub(super) fn covers(&self, path: &Path) -> bool {
        let real = self.0.real.as_ref().filter(|_| self.0.replaceable);
        let mut replaced = real.into_iter().chain(&self.0.others);
        replaced.any(|home| path.starts_with(home)) && !self.0.list.shows(path)
    }

    /// Is this found as it is, because the person said so or a tool needs it?
    pub(super) fn shows(&self, path: &Path) -> bool {
        let mut writable = self.0.list.writable.iter();
        self.0.list.shows(path) || writable.any(|root| path.starts_with(root))
    }

    /// Is this what nothing that is started gets to see?
    pub(super) fn is_secret(&self, path: &Path) -> bool {
        self.0.list.secrets.cover(path)
    }

    /// The home as it is, where logins are.
    pub(super) fn real_home(&self) -> Option<&Path> {
        self.0.real.as_deref()
    }

    /// Makes the home of one process in a directory that holds nothing yet, and says what is found where.
    pub(super) fn prepare(&self, scratch: &Path, options: &ViewOptions<'_>) -> io::Result<View> {
        view::prepare(&self.0, scratch, options)
    }
}

/// Does this hold a part of the system?
fn holds_system(home: &Path) -> bool {
    SYSTEM.iter().any(|path| Path::new(path).starts_with(home))
}

/// The outermost of the other homes that are there and in whose place an empty directory can be put: the home of a
/// service may be a directory of the system.
fn other_homes(options: &HomeOptions, home: &Path, tree: &Path) -> Vec<PathBuf> {
    let is_own = |path: &Path| ITS_OWN.iter().any(|own| path.starts_with(own));
    let is_system = |path: &PathBuf| {
        let is_inside = SYSTEM.iter().any(|system| path.starts_with(system));
        holds_system(path) || is_inside && !is_own(path)
    };
    let found = options.other_homes.iter().filter(|path| path.is_absolute());
    let found = found.filter_map(|path| path.canonicalize().ok());
    let found = found.filter(|path| path.is_dir() && !is_system(path));
    let found = found.filter(|path| !path.starts_with(tree) && !path.starts_with(home));
    let mut found: Vec<PathBuf> = found.collect();
    // In their order an outer path comes before what lies in it.
    found.sort();
    found.dedup_by(|inner, outer| inner.starts_with(outer));
    found
}
