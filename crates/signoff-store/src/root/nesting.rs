//! A store below another one is refused: an agent can make one in any directory of the project, with
//! signatures of its own making, and whoever works in that directory would believe them.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use super::{NAME, OTHERS, Store, is_root};
use crate::files::FileError;

/// Why the store that was found is not used.
#[derive(Debug)]
pub enum DiscoverError {
    /// It lies below another one.
    Nested {
        /// What was found first.
        inner: PathBuf,
        /// The store above it.
        outer: PathBuf,
    },
    /// A part of it is a link.
    File(FileError),
}

/// The store of the nearest directory, from `from` upwards, that has one. A store below another one
/// and a store behind links are refused.
pub fn discover(from: &Path) -> Result<Option<Store>, DiscoverError> {
    let from = from.canonicalize().unwrap_or_else(|_| from.to_path_buf());
    let mut roots = from.ancestors().filter(|directory| is_root(directory));
    let Some(nearest) = roots.next() else {
        return Ok(None);
    };
    if let Some(outer) = roots.next() {
        return Err(DiscoverError::Nested {
            inner: marker(nearest),
            outer: marker(outer),
        });
    }
    let store = Store::at(nearest);
    store.refuse_links().map_err(DiscoverError::File)?;
    Ok(Some(store))
}

/// What makes this directory the root of a project.
fn marker(root: &Path) -> PathBuf {
    let own = root.join(NAME);
    let others = OTHERS.iter().map(|(_, plans)| root.join(plans));
    let mut others = others.filter(|plans| plans.is_dir());
    if own.is_dir() {
        return own;
    }
    others.next().unwrap_or(own)
}

impl fmt::Display for DiscoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nested { inner, outer } => write!(
                f,
                "`{}` lies below another store, `{}`",
                inner.display(),
                outer.display()
            ),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for DiscoverError {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_store_below_another_is_refused_from_inside_and_the_outer_one_is_still_found() {
        for inner in [".signoff", ".pi/plans", ".rawko/plans"] {
            for outer in [".signoff", ".pi/plans", ".rawko/plans"] {
                let dir = tempfile::tempdir().unwrap();
                let root = dir.path().canonicalize().unwrap();
                fs::create_dir_all(root.join(outer)).unwrap();
                fs::create_dir_all(root.join("a/b").join(inner)).unwrap();
                fs::create_dir_all(root.join("a/b/c")).unwrap();
                for from in ["a/b", "a/b/c"] {
                    match discover(&root.join(from)) {
                        Err(DiscoverError::Nested {
                            inner: found,
                            outer: above,
                        }) => {
                            assert_eq!(found, root.join("a/b").join(inner));
                            assert_eq!(above, root.join(outer));
                        }
                        other => panic!("{inner} in {outer}: {other:?}"),
                    }
                }
                let found = discover(&root.join("a")).unwrap().unwrap();
                assert_eq!(found.workspace(), root);
            }
        }
    }

    #[test]
    fn a_store_behind_a_link_is_refused() {
        for name in [".signoff", ".signoff/config.toml", ".signoff/signatures"] {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().join("project");
            let foreign = dir.path().join("foreign");
            Store::create(dir.path()).unwrap();
            fs::rename(dir.path().join(".signoff"), &foreign).unwrap();
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            symlink(&foreign, root.join(name)).unwrap();
            match discover(&root) {
                Err(DiscoverError::File(error)) => {
                    assert!(error.is_link(), "{error}");
                    assert!(error.path.ends_with(name), "{error}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}
