//! A project that a long-lived process keeps between calls.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use signoff_store::config::{Config, LayerFiles, Layers};

use super::process_context::config_layers;
use super::{ProcessContext, Project, find_store};
use crate::error::Error;

/// The project of the working directory as it was last opened.
#[derive(Debug, Default)]
pub struct CachedProject(Mutex<Option<CacheEntry>>);

#[derive(Debug)]
struct CacheEntry {
    layers: Layers,
    files: LayerFiles,
    project: Arc<Project>,
}

impl CachedProject {
    /// The same as [`Project::open`], without parsing a configuration again that has not changed. The store is looked for
    /// and the files are read every time: comparing their bytes costs less than parsing, and cannot be deceived.
    pub fn open(&self, process: &ProcessContext) -> Result<Arc<Project>, Error> {
        let store = find_store(process)?;
        let layers = config_layers(process, Some(&store));
        let files = layers.read();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.as_ref()
            && kept.project.store == store
            && kept.layers == layers
            && kept.files == files
        {
            return Ok(Arc::clone(&kept.project));
        }
        let config = Config::of(&layers, &files)?;
        let mut project = Project::with_config(process, store, config);
        project.kept_index = Some(Arc::default());
        project.kept_values = Some(Arc::default());
        let project = Arc::new(project);
        *kept = Some(CacheEntry {
            layers,
            files,
            project: Arc::clone(&project),
        });
        Ok(project)
    }
}

/// Values that other modules keep as long as the project is kept: one of each type.
#[derive(Debug, Default)]
pub(crate) struct CachedValues(Mutex<BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl CachedValues {
    /// The value of this type.
    pub(crate) fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Arc::<T>::default());
        Arc::clone(value)
            .downcast()
            .expect("a value is kept under its own type")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use signoff_store::root::Store;

    use super::*;

    struct World {
        folder: tempfile::TempDir,
        process: ProcessContext,
        kept: CachedProject,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().join("project");
            fs::create_dir(&root).unwrap();
            Store::create(&root).unwrap();
            Self {
                process: ProcessContext {
                    variables: std::collections::BTreeMap::new(),
                    directory: root.canonicalize().unwrap(),
                    user_config: Some(folder.path().join("user.toml")),
                    state_dir: None,
                    person: "tester".to_owned(),
                    services: crate::project::ExternalServices::default(),
                },
                folder,
                kept: CachedProject::default(),
            }
        }

        fn at(&self, path: &str) -> std::path::PathBuf {
            self.folder.path().join(path)
        }

        fn open(&self) -> Result<Arc<Project>, Error> {
            self.kept.open(&self.process)
        }

        fn jobs(&self) -> u32 {
            self.open().unwrap().config.run.jobs.value
        }
    }

    /// Other bytes of the same length at the same time, in the same file.
    fn rewrite_unseen(path: &Path, text: &str) {
        let before = path.metadata().unwrap();
        assert_eq!(before.len(), text.len() as u64);
        fs::write(path, text).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(before.modified().unwrap()).unwrap();
    }

    #[test]
    fn what_did_not_change_is_not_read_again_and_every_change_is_seen() {
        let world = World::new();
        let first = world.open().unwrap();
        assert!(Arc::ptr_eq(&first, &world.open().unwrap()));
        let config = world.at("project/.signoff/config.toml");
        fs::write(&config, "[run]\njobs = 2\n").unwrap();
        assert_eq!(world.jobs(), 2);
        rewrite_unseen(&config, "[run]\njobs = 3\n");
        assert_eq!(world.jobs(), 3, "a stamp would not have shown it");
        fs::remove_file(&config).unwrap();
        fs::write(world.at("user.toml"), "[run]\njobs = 5\n").unwrap();
        assert_eq!(world.jobs(), 5);
        fs::create_dir_all(world.at("project/.pi/plans")).unwrap();
        assert!(world.open().unwrap().config.approval.then_run.value);
    }

    #[test]
    fn what_project_open_refuses_is_refused_although_it_was_open() {
        let world = World::new();
        world.open().unwrap();
        let config = world.at("project/.signoff/config.toml");
        fs::write(&config, "[run]\njobs = true\n").unwrap();
        assert!(world.open().is_err(), "a mistake");
        fs::remove_file(&config).unwrap();
        world.open().unwrap();
        symlink(world.at("user.toml"), &config).unwrap();
        assert!(world.open().is_err(), "a link");
        fs::remove_file(&config).unwrap();
        world.open().unwrap();
        fs::create_dir(world.at(".signoff")).unwrap();
        assert!(world.open().is_err(), "a store below another");
        fs::remove_dir(world.at(".signoff")).unwrap();
        world.open().unwrap();
        fs::remove_dir_all(world.at("project/.signoff")).unwrap();
        assert!(matches!(world.open(), Err(Error::NoStore { .. })));
    }
}
