//! What variables, caches and the configuration allow by name.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::super::{HomeOptions, caches};
use super::AllowList;
use crate::environment::CERTIFICATES;

impl AllowList {
    /// Passes a variable on if all that it names is seen.
    pub(super) fn allow_variable(&mut self, options: &HomeOptions, name: &'static str) {
        let Some(value) = options.variables.get(OsStr::new(name)) else {
            return;
        };
        let paths: Vec<PathBuf> = std::env::split_paths(value).collect();
        let is_cache = caches::variables().any(|cache| cache == name);
        let is_tool = !CERTIFICATES.contains(&name);
        let is_seen = |list: &mut Self, path: &PathBuf| {
            let path = list.path_in_home(options, path);
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            // An agent could have put a tool into the tree.
            if !path.is_absolute() || real.starts_with(&list.tree) {
                return false;
            }
            let is_seen = if is_tool {
                list.allow_installed(&path)
            } else {
                list.allow(&path)
            };
            // Directories of downloads are shown by themselves, and made in the process's own home if need be.
            is_seen || is_cache && !list.secrets.cover(&real)
        };
        if paths.iter().all(|path| is_seen(self, path)) {
            self.variables.push(name);
        }
    }

    pub(super) fn allow_cache(&mut self, path: &Path, reads_only: bool) {
        let Ok(real) = path.canonicalize() else {
            return;
        };
        let is_secret = self.secrets.cover(path) || self.secrets.cover(&real);
        let holds_tree_or_home = self.tree.starts_with(&real) || self.home.starts_with(&real);
        if real.is_dir() && !is_secret && !holds_tree_or_home && !real.starts_with(&self.tree) {
            self.note_links(path);
            self.caches.insert(real, reads_only);
        }
    }

    /// Allows what a person named in `[sandbox] home`; what is not there is passed over.
    pub(super) fn allow_named(&mut self, options: &HomeOptions, written: &str) {
        let path = self.expand(options, written);
        let Ok(real) = path.canonicalize() else {
            return;
        };
        let why = if self.secrets.cover_own(&path) || self.secrets.cover_own(&real) {
            "it is Signoff's own"
        } else if self.secrets.cover(&real) && !self.secrets.cover(&path) {
            "it leads to keys or logins; name those themselves if you mean them"
        } else if !self.show(&real) {
            "your home or the project lies in it; name what is needed of it"
        } else {
            self.note_links(&path);
            self.named.push(real);
            return;
        };
        self.refuse("home", written, why);
    }

    /// Allows what a person named in `[sandbox] writable`.
    pub(super) fn allow_writing(&mut self, options: &HomeOptions, written: &str) {
        let path = self.expand(options, written);
        let real = path.canonicalize();
        let why = match real {
            Err(_) => "it does not exist",
            Ok(real) if !real.is_dir() => "it is not a directory",
            Ok(real) if self.secrets.touch_own(&real) => "it is or holds Signoff's own directory",
            Ok(real) if self.secrets.cover(&real) => "keys or logins are kept there",
            Ok(real) if real.starts_with(&self.tree) => "it lies in the project",
            Ok(real) if self.tree.starts_with(&real) => "the project lies in it",
            Ok(real) if self.home.starts_with(&real) => "your home lies in it",
            Ok(real) => {
                self.note_links(&path);
                self.writable.push(real);
                return;
            }
        };
        self.refuse("writable", written, why);
    }

    fn refuse(&mut self, key: &str, written: &str, why: &str) {
        let text = format!("`{written}` of `[sandbox] {key}`: {why}");
        self.refused.push(text);
    }
}
