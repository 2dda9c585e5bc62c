//! What the engine has to know of a change beyond the names of its files.

use signoff_engine::{ChangeDetails, TreeChange, asked_before, change_details};
use signoff_work::git::{GitError, Id, Own};

/// The files that differ between two commits or trees, and what is worth knowing of them.
pub(crate) fn changed_files(
    own: &Own,
    from: &Id,
    to: &Id,
) -> Result<(Vec<String>, Box<ChangeDetails>), GitError> {
    let report = own.inspect(from, to)?;
    let change = TreeChange {
        files: report.files,
        removed: report.removed,
        links: report.links,
    };
    let there_before = own.paths_in(from, &asked_before(&change))?;
    let details = change_details(&change, &there_before);
    Ok((change.files, Box::new(details)))
}
