//! A fingerprint of everything that decides which project is found and how it is configured.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use signoff_engine::Millis;
use signoff_store::root::Store;

use super::Project;
use super::process_context::config_layers;

/// Clocks of file systems are coarse: a file that was changed less than this ago may change again and look the same.
const RACY: Millis = 2000;

/// The directories in which another store would appear, those in which a part of the store could become a link, and the files
/// of the configuration.
#[derive(Debug)]
pub struct ProjectFingerprint(Vec<(PathBuf, Option<FileFingerprint>)>);

/// The stamp of a file. Nobody can set the time of its last change (`ctime`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileFingerprint {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl ProjectFingerprint {
    /// The present stamps; `None` if one of them may have changed since the project was opened, or changed so recently
    /// that the next change might not show.
    pub fn of(project: &Project, asked: Millis) -> Option<Self> {
        let Project { store, process, .. } = project;
        let here = &process.directory;
        if here.canonicalize().ok()? != *here {
            return None;
        }
        let layers = config_layers(process, Some(store));
        let above = here.ancestors().flat_map(|directory| {
            let folders = Store::folders_of_marks(directory).filter(|folder| folder.exists());
            folders.chain([directory.to_owned()])
        });
        let paths = above
            .chain([store.dir().to_owned(), store.locks_dir(), store.plans_dir()])
            .chain(
                [layers.user, layers.pi, layers.project]
                    .into_iter()
                    .flatten(),
            );
        let looks: Vec<_> = paths.map(|path| (fingerprint_of(&path), path)).collect();
        let mut seen = looks.iter().filter_map(|(look, _)| look.as_ref());
        seen.all(|look| look.is_older_than(asked.saturating_sub(RACY)))
            .then(|| Self(looks.into_iter().map(|(look, path)| (path, look)).collect()))
    }

    /// Do they all still look the same?
    pub fn are_unchanged(&self) -> bool {
        self.0
            .iter()
            .all(|(path, seen)| fingerprint_of(path) == *seen)
    }
}

/// Follows links; `None` for what does not exist or cannot be read.
fn fingerprint_of(path: &Path) -> Option<FileFingerprint> {
    let found = fs::metadata(path).ok()?;
    Some(FileFingerprint {
        device: found.dev(),
        inode: found.ino(),
        size: found.size(),
        changed: (found.ctime(), found.ctime_nsec()),
    })
}

impl FileFingerprint {
    fn is_older_than(&self, time: Millis) -> bool {
        let (seconds, nanos) = self.changed;
        let changed = i128::from(seconds) * 1000 + i128::from(nanos) / 1_000_000;
        changed < i128::from(time)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::project::ProcessContext;

    /// Long after everything was written.
    const LATER: Millis = 4_000_000_000_000;

    struct World {
        folder: tempfile::TempDir,
        project: Project,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("a/project");
            fs::create_dir_all(root.join("src/.pi")).unwrap();
            Store::create(&root).unwrap();
            fs::create_dir_all(root.join(".signoff/locks/plans")).unwrap();
            let process = ProcessContext {
                variables: std::collections::BTreeMap::new(),
                directory: root.join("src").canonicalize().unwrap(),
                user_config: Some(folder.path().join("user.toml")),
                state_dir: None,
                person: "tester".to_owned(),
                services: crate::project::ExternalServices::default(),
            };
            let project = Project::open(&process).unwrap();
            Self { folder, project }
        }

        fn write(&self, path: &str) {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "[run]\njobs = 2\n").unwrap();
        }

        fn link(&self, path: &str) {
            let path = self.folder.path().join(path);
            fs::rename(&path, self.folder.path().join("elsewhere")).unwrap();
            symlink(self.folder.path().join("elsewhere"), path).unwrap();
        }
    }

    #[test]
    fn whatever_leads_to_another_project_or_configuration_shows() {
        type Change = fn(&World);
        let changes: [(&str, Change); 9] = [
            ("a store above", |world| world.write("a/.signoff/x")),
            ("another tool's store above", |world| {
                world.write(".rawko/plans/x");
            }),
            ("one in a folder that was there", |world| {
                world.write("a/project/src/.pi/plans/x");
            }),
            ("settings of the project", |world| {
                world.write("a/project/.signoff/config.toml");
            }),
            ("settings of the person", |world| world.write("user.toml")),
            ("a directory of the store is a link", |world| {
                world.link("a/project/.signoff/runs");
            }),
            ("one below it is", |world| {
                world.link("a/project/.signoff/locks/plans");
            }),
            ("the store is", |world| world.link("a/project/.signoff")),
            ("the way there is", |world| world.link("a")),
        ];
        for (what, change) in changes {
            let world = World::new();
            let seen = ProjectFingerprint::of(&world.project, LATER).unwrap();
            assert!(seen.are_unchanged(), "before: {what}");
            change(&world);
            assert!(!seen.are_unchanged(), "{what}");
        }
    }

    #[test]
    fn what_changed_a_moment_ago_is_not_relied_on() {
        let world = World::new();
        let changed = fs::metadata(world.project.store.dir()).unwrap().ctime();
        let changed = u64::try_from(changed).unwrap() * 1000;
        assert!(ProjectFingerprint::of(&world.project, changed + 1000).is_none());
        assert!(ProjectFingerprint::of(&world.project, changed + 60_000).is_some());
    }
}
