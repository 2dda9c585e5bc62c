//! What was ignored, whatever is ignored now.

use super::entries::tree_entries;
use super::index::listed;
use super::names::{Name, name, parts, texts};
use super::{GitError, Id, Own};

impl Own {
    /// Which of these paths a commit or tree neither has nor would take: its own `.gitignore` files say so, whatever has
    /// become of them.
    pub fn ignored_by(&self, tree: &Id, paths: &[String]) -> Result<Vec<String>, GitError> {
        let scratch = self.scratch()?;
        let (folder, index) = (scratch.folder("rules")?, scratch.path("index"));
        self.call_in(&folder, &index)
            .words(["read-tree", tree.as_str()])
            .run()?;
        let words = ["ls-tree", "-r", "-z", "--full-tree", tree.as_str()];
        let mut rules = tree_entries(&self.call().words(words).run()?)?;
        rules.retain(|entry| entry.name.ends_with(b".gitignore"));
        self.stage(&index, &folder, rules.iter().map(|entry| &entry.name))?;
        let names: Vec<Name> = paths.iter().map(|path| name(path)).collect();
        let said = self
            .call_in(&folder, &index)
            .words(["check-ignore", "-z", "--stdin"])
            .stdin(listed(&names))
            .run_to(&[0, 1])?;
        let ignored: Vec<Name> = parts(&said.out).map(<[u8]>::to_vec).collect();
        Ok(texts(&ignored))
    }
}
