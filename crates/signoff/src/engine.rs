//! Whether runs are shared with other machines, and through which database. A build without the feature `distributed` says
//! that it cannot, wherever somebody asks for it.

use signoff_runtime::project::{EngineAccess, Project};
use signoff_store::config::LandMode;
use signoff_store::signatures::Proof;

/// How this program reaches runs that other machines drive.
pub(crate) fn access() -> EngineAccess {
    #[cfg(feature = "distributed")]
    return EngineAccess {
        url: None,
        connect: Some(|project| {
            std::sync::Arc::new(signoff_distributed::client::RemoteRuns::of(project))
        }),
    };
    #[cfg(not(feature = "distributed"))]
    EngineAccess::default()
}

/// The project as a run starts in it that other machines go on with; `None` if runs stay here.
pub(crate) fn for_sharing(project: &Project) -> Option<Project> {
    project.config.engine.url.value.address()?;
    let mut project = project.clone();
    // Nobody works in the checkout, and only a key counts elsewhere.
    project.config.run.land.value = LandMode::End;
    // A new version is drafted and signed where the plan's files are.
    project.config.run.max_replans.value = 0;
    let minimum = &mut project.config.approval.minimum.value;
    *minimum = (*minimum).max(Proof::Key);
    Some(project)
}
