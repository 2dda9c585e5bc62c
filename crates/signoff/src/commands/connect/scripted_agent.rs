//! The demo's agent, as a process of its own.

use std::path::Path;

use signoff_work::scripted::{ProcessIo, play as play_script};

use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn run_scripted_agent(session: &Session, script: &Path) -> Result<u8, Failure> {
    let marker = session
        .process
        .variables
        .get(std::ffi::OsStr::new(signoff_sandbox::MARKER));
    let mut io = ProcessIo {
        prompt: &mut std::io::stdin().lock(),
        stdout: &mut std::io::stdout().lock(),
        stderr: &mut std::io::stderr().lock(),
        marker: marker.map(|marker| marker.to_string_lossy().into_owned()),
    };
    play_script(script, &mut io)
        .map_err(|error| Failure::new(1, "script", format!("{}: {error}", script.display())))
}
