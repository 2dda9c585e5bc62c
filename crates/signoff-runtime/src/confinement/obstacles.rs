//! Why runs of a project cannot have trees of their own.

use signoff_plan::Workspace as _;

use crate::error::Error;
use crate::project::Project;
use crate::project::directories::no_data_directory;
use crate::project::sandbox_level::level;

/// Why no run of this project can have trees of its own; nothing, if it can.
pub(crate) fn mount_obstacles(project: &Project) -> Result<Vec<String>, Error> {
    let mut why = Vec::new();
    let level = level(project)?;
    if !level.uses_mounts() {
        why.push(format!("the sandbox mounts nothing here (`{level}`)"));
    }
    why.extend(no_data_directory(
        &project.process,
        project.store.workspace(),
    ));
    Ok(why)
}

/// Why no run of the project can have trees of its own; nothing, if it can.
pub(crate) fn obstacles(project: &Project) -> Result<Vec<String>, Error> {
    let mut why = mount_obstacles(project)?;
    if !project.workspace().command_exists("git") {
        why.push("there is no git program".to_owned());
    }
    Ok(why)
}
