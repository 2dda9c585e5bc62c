//! What a build says that cannot share runs.

use signoff_runtime::live::RunOptions;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::project::Project;

use crate::args::{Orchestrator, Worker};
use crate::failure::Failure;
use crate::session::Session;

fn not_built_in() -> Result<u8, Failure> {
    let message = "this build of signoff cannot share runs between machines";
    Err(Failure::new(6, "not-built", message)
        .hint("build it with `cargo build --release --features distributed`")
        .hint("`--engine local` runs a plan on this machine"))
}

pub(crate) fn worker(_: &mut Session, _: &Worker) -> Result<u8, Failure> {
    not_built_in()
}

pub(crate) fn orchestrator(_: &mut Session, _: &Orchestrator) -> Result<u8, Failure> {
    not_built_in()
}

pub(crate) fn start(
    _: &mut Session,
    _: &Project,
    _: &PlanFile,
    _: &RunOptions,
) -> Result<u8, Failure> {
    not_built_in()
}

pub(crate) fn move_run(
    _: &mut Session,
    _: &Project,
    _: &str,
    _: &RunOptions,
) -> Result<u8, Failure> {
    not_built_in()
}

pub(crate) fn follow(_: &mut Session, _: &Project, _: &str) -> Result<u8, Failure> {
    not_built_in()
}

pub(crate) fn doctor(_: &mut Session) -> Result<u8, Failure> {
    not_built_in()
}

pub(crate) fn all_runs(_: &mut Session) -> Result<u8, Failure> {
    not_built_in()
}
