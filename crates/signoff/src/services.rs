//! Whether runs are shared with other machines, and through which database. A build without the feature `distributed` says
//! that it cannot, wherever somebody asks for it.

use std::sync::Arc;

use signoff_runtime::project::{ConnectRuns, ExternalServices, Project};
use signoff_runtime::telemetry::Telemetry;
use signoff_store::config::LandMode;
use signoff_store::signatures::Proof;
use signoff_work::environment::Variables;

/// What this program has besides this machine: runs that others drive, and a collector that is told of runs.
pub(crate) fn external_services(variables: &Variables) -> ExternalServices {
    ExternalServices {
        url: None,
        connect: CONNECT,
        telemetry: telemetry(variables),
    }
}

#[cfg(feature = "distributed")]
const CONNECT: Option<ConnectRuns> =
    Some(|project| Arc::new(signoff_distributed::client::RemoteRuns::of(project)));

#[cfg(not(feature = "distributed"))]
const CONNECT: Option<ConnectRuns> = None;

#[cfg(feature = "otel")]
fn telemetry(variables: &Variables) -> Option<Arc<dyn Telemetry>> {
    let exporter = signoff_telemetry::Exporter::of(variables)?;
    Some(Arc::new(exporter))
}

#[cfg(not(feature = "otel"))]
fn telemetry(_: &Variables) -> Option<Arc<dyn Telemetry>> {
    None
}

/// The project as a run starts in it that other machines go on with; `None` if runs stay here.
pub(crate) fn sharing_project(project: &Project) -> Option<Project> {
    project.config.engine.url.value.address()?;
    let mut project = project.clone();
    // Nobody works in the checkout, and only a key counts elsewhere.
    project.config.run.land.value = LandMode::End;
    let minimum = &mut project.config.approval.minimum.value;
    *minimum = (*minimum).max(Proof::Key);
    Some(project)
}
