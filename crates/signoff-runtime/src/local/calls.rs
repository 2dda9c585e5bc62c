//! Calls tools.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use signoff_engine::{Input, Run};
use signoff_sandbox::Sandbox;

use crate::drive::Prepared;
use crate::error::Error;
use crate::project::Project;

pub(super) struct Calls {}

impl Calls {
    pub(super) fn new(_: &Project, _: Arc<Sandbox>, _: Vec<(OsString, OsString)>) -> Self {
        Self {}
    }

    pub(super) fn prepare(&self, _: &Run, step: usize, _: u32) -> Prepared {
        Prepared::Instead(Input::CallImpossible {
            step,
            problems: vec!["no tools".to_owned()],
        })
    }

    pub(super) fn call(
        &self,
        _: &Run,
        _: usize,
        _: u32,
        _: (Duration, PathBuf),
    ) -> Result<impl FnOnce() -> Option<Input> + Send + 'static, Error> {
        Ok(|| None)
    }

    pub(super) fn stop(&self) {}
}
