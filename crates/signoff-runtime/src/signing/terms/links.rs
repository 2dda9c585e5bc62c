//! Symbolic links among the signed files: both the link and its target are signed.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use signoff_plan::digest::Digest;
use signoff_plan::links::{LinkRoute, route};
use signoff_work::tree::link_target;

/// The names of a file: its own, the links on the way to it, and the one that it has without links.
pub(super) fn names(root: &Path, file: &str) -> BTreeSet<String> {
    let LinkRoute { links, end } = route_of(root, file);
    let texts = links.into_iter().chain(end);
    let mut names: BTreeSet<String> = texts
        .filter_map(|name| String::from_utf8(name).ok())
        .filter(|name| !name.is_empty() && !root.join(name).is_dir() || is_link(root, name))
        .collect();
    names.insert(file.to_owned());
    names
}

/// Adds the files in the directory that a link leads to.
pub(super) fn add_link_target(root: &Path, link: &str, found: &mut BTreeSet<String>) {
    let Some(end) = route_of(root, link)
        .end
        .and_then(|end| String::from_utf8(end).ok())
    else {
        return;
    };
    let is_outside = !end.is_empty() && !Path::new(link).starts_with(&end);
    if is_outside && is_link(root, link) && root.join(&end).is_dir() {
        super::walk(root, &end, &format!("{end}/**"), found);
    }
}

/// The hash of a link that leads to no file.
pub(super) fn hash(path: &Path) -> Option<String> {
    let target = std::fs::read_link(path).ok()?;
    let text = [b"link to ", target.as_os_str().as_bytes()].concat();
    Some(Digest::of_bytes(&text).hex())
}

fn is_link(root: &Path, name: &str) -> bool {
    root.join(name).is_symlink()
}

fn route_of(root: &Path, file: &str) -> LinkRoute {
    let own = root.as_os_str().as_bytes();
    route(file.as_bytes(), Some(own), |path| link_target(root, path))
}
