//! What a child is to become, put together from a command and its confinement.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::launch::confinement::{Confinement, Wrapper};
use crate::process_tree::MARKER;
use crate::process_tree::tags::{CommandTag, RunTag};
use crate::spawn::image::{ChildGate, ProcessImage};

/// What was made for one child.
pub(crate) struct ChildParts {
    pub(crate) stdio: [OwnedFd; 3],
    pub(crate) gate: Option<ChildGate>,
    pub(crate) command_tag: Option<CommandTag>,
    pub(crate) group_entry: Option<OwnedFd>,
    pub(crate) outlives_host: bool,
}

/// Returns the image of a command whose program was found at this path.
pub(crate) fn build_image(
    command: &Command,
    program: PathBuf,
    confinement: Confinement,
    parts: ChildParts,
) -> io::Result<ProcessImage> {
    let policy = command.policy.as_ref();
    // In a PID namespace, processes are found without a marker in their environment.
    let is_unmarked =
        confinement.namespaces.is_some() && policy.is_some_and(|policy| policy.unmarked);
    let shown_marker = command.marker.as_deref().filter(|_| !is_unmarked);
    let (program, argv) = match confinement.wrapper {
        Some(Wrapper { program, argv }) => {
            let own = command.argv.iter().skip(1).cloned();
            (program, argv.into_iter().chain(own).collect())
        }
        None => (program, command.argv.clone()),
    };
    Ok(ProcessImage {
        program: c_string(program.as_os_str())?,
        argv: argv
            .iter()
            .map(|argument| c_string(argument))
            .collect::<io::Result<_>>()?,
        env: environment(&command.env, shown_marker)?,
        cwd: c_string(command.cwd.as_os_str())?,
        stdio: parts.stdio,
        gate: parts.gate,
        command_tag: parts.command_tag,
        run_tag: command.marker.as_deref().map(RunTag::of_marker),
        outlives_host: parts.outlives_host,
        namespaces: confinement.namespaces,
        drops_privileges: confinement.drops_privileges,
        rules: confinement.rules,
        filter: confinement.filter,
        filter_file: confinement.filter_file,
        group_entry: parts.group_entry,
        memory: policy.and_then(|policy| policy.memory),
        processes: policy.and_then(|policy| policy.processes),
    })
}

/// Returns the environment as the system takes it, with this marker instead of any other.
fn environment(
    variables: &[(OsString, OsString)],
    marker: Option<&str>,
) -> io::Result<Vec<CString>> {
    let mark = marker.map(|value| assign(OsStr::new(MARKER), OsStr::new(value)));
    let kept = variables
        .iter()
        .filter(|(name, _)| marker.is_none() || name != MARKER);
    kept.map(|(name, value)| assign(name, value))
        .chain(mark)
        .collect()
}

fn assign(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        return Err(invalid("a variable's name is empty or contains `=`"));
    }
    let assignment = [name.as_bytes(), b"=", value.as_bytes()].concat();
    c_string(OsStr::from_bytes(&assignment))
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| {
        invalid(&format!(
            "`{}` contains a zero byte",
            Path::new(text).display()
        ))
    })
}

pub(crate) fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
