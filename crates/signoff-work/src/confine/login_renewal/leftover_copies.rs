//! Copies of logins that are left of an agent whose harness died.

use std::path::Path;

use super::copy::{CopyLocation, LARGEST, LoginCopy};
use super::shape::is_newer;
use crate::beneath::{Directory, Links};
use crate::confine::{AgentRequirements, Home};
use crate::environment::Variables;

impl Home {
    /// The copies in an agent's directory that say that they are newer than the person's files. What the agent was given is
    /// no longer known, so others are not written back.
    pub fn renewed_copies(
        &self,
        scratch: &Path,
        needs: &AgentRequirements,
        all: &Variables,
    ) -> Vec<LoginCopy> {
        let Some(real) = self.real_home() else {
            return Vec::new();
        };
        let copies = needs.files(real, all).into_iter().filter_map(|login| {
            let path = login.from.canonicalize().ok()?;
            let directory = Directory::open(path.parent()?).ok()?;
            let name = Path::new(path.file_name()?);
            let bytes = directory.read(name, Links::Refuse, LARGEST).ok()?;
            let location = CopyLocation::InHome {
                home: scratch.join("home"),
                path: login.to.clone(),
            };
            LoginCopy::of(&login, location, bytes)
        });
        copies.filter(LoginCopy::is_newer).collect()
    }
}

impl LoginCopy {
    fn is_newer(&self) -> bool {
        let copy = self.location.read();
        copy.is_ok_and(|copy| is_newer(&copy, &self.bytes))
    }
}
