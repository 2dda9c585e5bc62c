//! What was ignored, whatever is ignored now.

use std::fs;

use crate::git::entries::tree_entries;
use crate::git::names::{Name, nul_separated, nul_terminated, path};
use crate::git::{GitError, HarnessGit, Id};

impl HarnessGit {
    /// Which of these paths a commit or tree neither has nor would take: its own `.gitignore` files say so, whatever has
    /// become of them. A path that ends in a slash is a directory.
    pub(crate) fn ignored_names(&self, tree: &Id, names: &[Name]) -> Result<Vec<Name>, GitError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let scratch = self.scratch()?;
        let (folder, index) = (scratch.folder("rules")?, scratch.path("index"));
        self.call_in(&folder, &index)
            .args(["read-tree", tree.as_str()])
            .run()?;
        let words = ["ls-tree", "-r", "-z", "--full-tree", tree.as_str()];
        let mut rules = tree_entries(&self.call().args(words).run()?)?;
        rules.retain(|entry| entry.name.ends_with(b".gitignore"));
        self.write_files(&index, &folder, rules.iter().map(|entry| &entry.name))?;
        for name in names.iter().filter(|name| name.ends_with(b"/")) {
            // Whether a path is a directory is looked up. What cannot be made is asked about as a file.
            fs::create_dir_all(folder.join(path(name))).ok();
        }
        let said = self
            .call_in(&folder, &index)
            .args(["check-ignore", "-z", "--stdin"])
            .stdin(nul_terminated(names))
            .run_to(&[0, 1])?;
        Ok(nul_separated(&said.out).map(<[u8]>::to_vec).collect())
    }
}
