//! Which paths of a home are on the allow-list: how programs lead to their tools, through whatever links.

mod by_name;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::installation::{self, Installation};
use super::path_set::PathSet;
use super::secrets::HomeSecrets;
use super::tools::{TOOLS, is_programs, prefix, tool_root};
use super::{HomeOptions, caches};
use crate::environment::CERTIFICATES;

/// Programs of the system lead to no home; these directories are not searched.
const OF_THE_SYSTEM: [&str; 4] = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"];
/// The most directories of programs that are searched.
const MOST_DIRECTORIES: usize = 256;
/// As many links may lead from one to the other, as for the kernel.
const MOST_LINKS: usize = 40;

/// What is allowed of a home.
#[derive(Debug, Default)]
pub(super) struct AllowList {
    /// The home, without links.
    home: PathBuf,
    /// It, and other places that are hidden like it.
    homes: Vec<PathBuf>,
    pub(super) tree: PathBuf,
    pub(super) secrets: HomeSecrets,
    /// What is seen as it is: files and directories below the home, without links.
    roots: PathSet,
    /// What a person named, where links lead.
    named: Vec<PathBuf>,
    /// Links on the way, and where each leads.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    /// Directories of downloads, and whether their tools only need to read there.
    pub(super) caches: BTreeMap<PathBuf, bool>,
    /// Where a person lets everything write.
    pub(super) writable: Vec<PathBuf>,
    /// Variables that name what is allowed.
    pub(super) variables: Vec<&'static str>,
    /// What a person asked for and does not get, with the reason.
    pub(super) refused: Vec<String>,
    searched: BTreeSet<PathBuf>,
}

impl AllowList {
    /// `homes` and `tree` are without links; the first is the home.
    pub(super) fn new(homes: &[PathBuf], tree: &Path, options: &HomeOptions) -> Self {
        let home = homes.first().map_or(Path::new(""), PathBuf::as_path);
        let mut list = Self {
            home: home.to_owned(),
            homes: homes.to_vec(),
            tree: tree.to_owned(),
            secrets: HomeSecrets::new(homes, &options.variables),
            ..Self::default()
        };
        let path = options.variables.get(OsStr::new("PATH"));
        let entries = path.iter().flat_map(std::env::split_paths);
        for entry in entries.filter(|entry| entry.is_absolute()) {
            list.allow_programs(&list.path_in_home(options, &entry));
        }
        for tool in TOOLS.iter().filter(|tool| !tool.path.is_empty()) {
            list.allow(&home.join(tool.path));
        }
        let tools = TOOLS.iter().map(|tool| tool.variable);
        let names = tools.chain(caches::variables()).chain(CERTIFICATES);
        for name in names.filter(|name| !name.is_empty()) {
            list.allow_variable(options, name);
        }
        for (path, reads_only) in caches::paths(home, &options.variables) {
            list.allow_cache(&path, reads_only);
        }
        for written in &options.visible {
            list.allow_named(options, written);
        }
        for written in &options.writable {
            list.allow_writing(options, written);
        }
        list.drop_inner_links();
        list
    }

    /// A link that lies in what is seen as it is need not be made.
    fn drop_inner_links(&mut self) {
        let mut links = std::mem::take(&mut self.links);
        links.retain(|link, _| {
            let shows = |parent: &Path| {
                let mut writable = self.writable.iter();
                self.shows(parent) || writable.any(|path| parent.starts_with(path))
            };
            !link.parent().is_some_and(shows)
        });
        self.links = links;
    }

    /// The outermost of what is seen as it is.
    pub(super) fn roots(&self) -> Vec<&Path> {
        self.roots.outermost()
    }

    /// Is this seen as it is? Something else may cover it there.
    pub(super) fn shows(&self, path: &Path) -> bool {
        self.roots.cover(path)
    }

    /// What has to be hidden where an empty directory is put in the place of some homes: secrets in what is seen.
    pub(super) fn paths_to_hide(&self, replaced: &[PathBuf]) -> Vec<PathBuf> {
        let is_replaced = |path: &Path| replaced.iter().any(|home| path.starts_with(home));
        let is_seen = |path: &&Path| !is_replaced(path) || self.shows_part_of(path);
        let holds_named = |path: &&Path| self.named.iter().any(|named| named.starts_with(path));
        let secrets = self.secrets.existing_paths();
        let secrets = secrets.filter(|path| is_seen(path) && !holds_named(path));
        secrets.map(Path::to_owned).collect()
    }

    /// Did a person name this, or what it lies in?
    pub(super) fn is_named(&self, path: &Path) -> bool {
        let mut named = self.named.iter().chain(&self.writable);
        named.any(|named| path.starts_with(named))
    }

    fn shows_part_of(&self, path: &Path) -> bool {
        let mut roots = self.roots.iter();
        roots.any(|root| path != root && path.starts_with(root))
    }

    /// A path in the home by the home's own name, without links.
    fn path_in_home(&self, options: &HomeOptions, path: &Path) -> PathBuf {
        let written = options.home.as_deref().unwrap_or(&self.home);
        match path.strip_prefix(written) {
            Ok(below) => normal(&self.home.join(below)),
            Err(_) => normal(path),
        }
    }

    /// What `~/x` stands for.
    fn expand(&self, options: &HomeOptions, written: &str) -> PathBuf {
        match written.strip_prefix("~/") {
            Some(below) => normal(&self.home.join(below)),
            None => self.path_in_home(options, Path::new(written)),
        }
    }

    /// Allows a directory of programs and its tool, and the tools that links in it lead to.
    fn allow_programs(&mut self, directory: &Path) {
        if let Ok(real) = directory.canonicalize()
            && !self.secrets.cover(&real)
            && !self.secrets.cover(directory)
        {
            self.allow_tool(directory);
            self.allow_tool(&real);
            self.follow_links(real);
        }
    }

    /// Allows the tools that the links of a directory of programs lead to, and those that links beside them lead to.
    fn follow_links(&mut self, directory: PathBuf) {
        let mut next = BTreeSet::from([directory]);
        while let Some(directory) = next.pop_first() {
            let mut system = OF_THE_SYSTEM.iter().map(Path::new);
            let may_search =
                system.all(|system| directory != system) && self.searched.len() < MOST_DIRECTORIES;
            if may_search && self.searched.insert(directory.clone()) {
                next.extend(self.allow_targets(&directory));
            }
        }
    }

    /// Allows what the links of a directory lead to, and says in which directories that lies.
    fn allow_targets(&mut self, directory: &Path) -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        let mut directories = BTreeSet::new();
        for link in links.map(|link| link.path()) {
            let Ok(target) = link.canonicalize() else {
                continue;
            };
            if self.secrets.cover(&target) {
                continue;
            }
            self.note_links(&link);
            if self.is_in_home(&target) {
                self.allow_tool(&target);
                let parent = target
                    .parent()
                    .filter(|parent| !self.homes.iter().any(|home| home == parent));
                // Programs call each other; what else lies beside one is the person's.
                if let Some(parent) =
                    parent.filter(|parent| parent.file_name().is_some_and(is_programs))
                {
                    self.allow_tool(parent);
                }
                directories.extend(parent.map(Path::to_owned));
            }
        }
        directories
    }

    fn is_in_home(&self, path: &Path) -> bool {
        self.homes.iter().any(|home| path.starts_with(home))
    }

    /// The innermost home that a path lies in, and where it lies there.
    fn below_home<'a>(&self, path: &'a Path) -> Option<(PathBuf, &'a Path)> {
        let found = self.homes.iter().filter(|home| path.starts_with(home));
        let home = found.max_by_key(|home| home.components().count())?;
        Some((home.clone(), path.strip_prefix(home).ok()?))
    }

    /// Allows the tool that a program or directory of programs belongs to; itself only, where other things lie around it.
    fn allow_tool(&mut self, path: &Path) {
        let Some((home, below)) = self.below_home(path) else {
            return;
        };
        if tool_root(below).is_some_and(|root| self.allow(&home.join(root))) {
            return;
        }
        if let Some(prefix) = prefix(below) {
            let prefix = home.join(prefix);
            match installation::tool_parts(&prefix) {
                Installation::Whole if self.allow(&prefix) => return,
                Installation::Parts {
                    parts,
                    marked: true,
                } => self.allow_parts(&prefix, &parts),
                Installation::Whole | Installation::Parts { .. } => {}
            }
        }
        self.allow(path);
    }

    fn allow_parts(&mut self, directory: &Path, parts: &[PathBuf]) {
        for part in parts {
            self.allow(&directory.join(part));
        }
    }

    /// Allows a directory that a variable says a tool is in: whole if nothing else lies there. Says whether a process
    /// sees something of it.
    fn allow_installed(&mut self, path: &Path) -> bool {
        let is_tool = match self.below_home(path) {
            Some((_, below)) => tool_root(below).is_some(),
            None => true,
        };
        if is_tool || !path.is_dir() {
            return self.allow(path);
        }
        match installation::tool_parts(path) {
            Installation::Whole => self.allow(path),
            Installation::Parts { parts, .. } => {
                self.allow_parts(path, &parts);
                parts.iter().any(|part| self.shows(&path.join(part)))
            }
        }
    }

    /// Allows a path if it is there and no secret; says whether a process sees it.
    fn allow(&mut self, path: &Path) -> bool {
        if self.secrets.cover(path) {
            return false;
        }
        match path.canonicalize() {
            Ok(real) if !self.secrets.cover(&real) && self.show(&real) => {
                self.note_links(path);
                true
            }
            Ok(_) | Err(_) => false,
        }
    }

    /// Adds a path without links; not what holds the home or the tree.
    fn show(&mut self, real: &Path) -> bool {
        let is_home = self.home.starts_with(real) || self.homes.iter().any(|home| home == real);
        if is_home || self.tree.starts_with(real) && real != self.tree {
            return false;
        }
        if self.is_in_home(real) && !real.starts_with(&self.tree) {
            self.roots.insert(real.to_owned());
        }
        true
    }

    /// Notes the links of the home that lead from a path to where it is.
    fn note_links(&mut self, path: &Path) {
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let link = self.first_link(&path);
            let Some(link) = link.filter(|link| !self.secrets.cover(link)) else {
                return;
            };
            let (Ok(target), Ok(rest)) = (fs::read_link(&link), path.strip_prefix(&link)) else {
                return;
            };
            let parent = link.parent().unwrap_or(&self.home);
            let next = normal(&parent.join(&target).join(rest));
            self.links.insert(link, target);
            path = next;
        }
    }

    fn first_link(&self, path: &Path) -> Option<PathBuf> {
        let (mut prefix, below) = self.below_home(path)?;
        below.components().find_map(|part| {
            prefix.push(part);
            prefix.is_symlink().then(|| prefix.clone())
        })
    }
}

/// Removes `.` and `..`, without asking where links lead.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                found.pop();
            }
            other => found.push(other),
        }
    }
    found
}
