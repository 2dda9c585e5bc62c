//! Runs that other machines drive: their files here are a copy.

use std::sync::Arc;

use signoff_api::request::RequestKind;
use signoff_store::runs::RunDir;

use crate::cluster::RemoteRunAccess;
use crate::error::Error;
use crate::project::Project;

/// Brings the copy of a run up to date, if it is one. Returns whether a process drives it elsewhere.
pub(crate) fn sync(project: &Project, dir: &RunDir, run: &str) -> Result<bool, Error> {
    match &project.elsewhere {
        Some(elsewhere) if dir.is_shared() => {
            elsewhere.sync(run).map_err(|why| Error::Unshared { why })
        }
        _ => Ok(false),
    }
}

/// Asks something of a run where it is driven; `None` if that is here.
pub(crate) fn ask(project: &Project, run: &str, what: &RequestKind) -> Result<Option<()>, Error> {
    let Some(elsewhere) = remote_access(project, run)? else {
        return Ok(None);
    };
    check_reply(elsewhere.ask(run, what.clone())).map(Some)
}

/// Puts files of a run's directory where the machines that drive it find them.
pub(crate) fn share_files(project: &Project, run: &str, names: &[String]) -> Result<(), Error> {
    match remote_access(project, run)? {
        Some(elsewhere) if !names.is_empty() => {
            let shared = elsewhere.share_files(run, names);
            shared.map_err(|why| Error::Unshared { why })
        }
        _ => Ok(()),
    }
}

/// Do other machines drive this run?
pub fn is_remote(project: &Project, run: &str) -> bool {
    project.store.run_dir(run).is_shared()
}

pub(crate) fn check_reply(reply: Result<Option<String>, String>) -> Result<(), Error> {
    match reply.map_err(|why| Error::Unshared { why })? {
        None => Ok(()),
        Some(why) => Err(Error::RefusedThere { why }),
    }
}

/// Refuses to drive a copy.
pub(crate) fn refuse_if_remote(project: &Project, run: &str) -> Result<(), Error> {
    if project.cluster.is_none() && project.store.run_dir(run).is_shared() {
        let run = run.to_owned();
        return Err(Error::Elsewhere { run });
    }
    Ok(())
}

/// The access to the machines that drive a run; `None` if it is driven here.
pub(crate) fn remote_access(
    project: &Project,
    run: &str,
) -> Result<Option<Arc<dyn RemoteRunAccess>>, Error> {
    if project.cluster.is_some() || !project.store.run_dir(run).is_shared() {
        return Ok(None);
    }
    let elsewhere = project.elsewhere.clone();
    elsewhere.map(Some).ok_or_else(|| Error::Elsewhere {
        run: run.to_owned(),
    })
}
