//! Reads a plan of another tool: a file, or a directory with its tasks and the texts around them.

use std::path::Path;

use signoff_plan::source::Source;

use super::{READ_BYTES, cannot_read, read_files, read_up_to};
use crate::error::Error;

/// The text of another tool's plan.
#[derive(Debug, Clone)]
pub struct ForeignSource {
    /// What was read; of a directory, its markdown files.
    pub source: Source,
    /// Files of the directory that were not read, because they are not markdown.
    pub unread: Vec<String>,
}

/// How deep a directory is searched: `specs/CAPABILITY/spec.md` is two below it.
const DEPTH: usize = 4;

/// Reads what a path names. `name` is how messages call it.
pub fn read_foreign(path: &Path, name: &str) -> Result<ForeignSource, Error> {
    if !path.is_dir() {
        let bytes = read_up_to(path, READ_BYTES + 1)?;
        return Ok(ForeignSource {
            source: Source::new(name, bytes),
            unread: Vec::new(),
        });
    }
    let mut names = Vec::new();
    collect(path, "", DEPTH, &mut names)?;
    names.sort();
    let (texts, unread) = names.into_iter().partition(|name| is_markdown(name));
    let files = read_files(path, texts)?;
    Ok(ForeignSource {
        source: Source::directory(name, files),
        unread,
    })
}

fn is_markdown(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
}

/// The files below a directory, by their paths in it. What lies deeper than the limit is named as a directory.
fn collect(root: &Path, below: &str, depth: usize, names: &mut Vec<String>) -> Result<(), Error> {
    let directory = root.join(below);
    for entry in std::fs::read_dir(&directory).map_err(cannot_read(&directory))? {
        let entry = entry.map_err(cannot_read(&directory))?;
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        // A link to a directory may lead in a circle.
        let kind = entry.file_type().map_err(cannot_read(&directory))?;
        if kind.is_dir() && depth > 0 {
            collect(root, &format!("{name}/"), depth - 1, names)?;
        } else if kind.is_dir() || (kind.is_symlink() && root.join(&name).is_dir()) {
            names.push(format!("{name}/"));
        } else {
            names.push(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn markdown_is_read_and_the_rest_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for name in ["tasks.md", "specs/auth/spec.md", "a/b/c/d/e/f.md", "x.yaml"] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), name).unwrap();
        }
        symlink(root, root.join("circle")).unwrap();
        let found = read_foreign(root, "change").unwrap();
        let names = found.source.split().map(|(name, _)| name.to_owned());
        assert_eq!(
            names.collect::<Vec<_>>(),
            ["specs/auth/spec.md", "tasks.md"]
        );
        assert_eq!(found.unread, ["a/b/c/d/e/", "circle/", "x.yaml"]);
        let one = read_foreign(&root.join("tasks.md"), "t").unwrap();
        assert_eq!(one.source.text(), "tasks.md");
    }

    #[test]
    fn a_link_out_of_the_directory_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("change");
        fs::create_dir(&root).unwrap();
        fs::write(dir.path().join("secret.md"), "x").unwrap();
        symlink(dir.path().join("secret.md"), root.join("tasks.md")).unwrap();
        let error = read_foreign(&root, "change").unwrap_err();
        let text = format!("{error:?}");
        assert!(text.contains("leads out"), "{text}");
    }
}
