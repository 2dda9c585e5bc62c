//! Where the page is, for links in notifications: a server says so while it runs.

use std::path::PathBuf;

use crate::project::Project;

/// Takes the address back when the server ends.
#[derive(Debug)]
pub struct Announcement {
    path: PathBuf,
    address: String,
}

fn path(project: &Project) -> PathBuf {
    project.store.runs_dir().join("page-address")
}

/// Records the address of the page, which ends with a slash. A link is a convenience: nothing fails without it.
pub fn announce(project: &Project, address: String) -> Option<Announcement> {
    project.store.create_missing().ok()?;
    let path = path(project);
    std::fs::write(&path, &address).ok()?;
    Some(Announcement { path, address })
}

/// The address, if a server said one.
pub(crate) fn known_address(project: &Project) -> Option<String> {
    let text = std::fs::read_to_string(path(project)).ok()?;
    let address = text.trim().to_owned();
    address.ends_with('/').then_some(address)
}

impl Drop for Announcement {
    fn drop(&mut self) {
        // Another server may have said another one since.
        let is_ours = std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.address);
        if is_ours {
            std::fs::remove_file(&self.path).ok();
        }
    }
}
