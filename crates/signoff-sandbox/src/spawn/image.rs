//! What a child is to become, laid out so that the child need not allocate.
#![expect(unsafe_code, reason = "one limit of the system is asked for")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::Arc;

use crate::confine::seccomp::Filter;
use crate::namespaces::spec::NamespaceSpec;
use crate::process_tree::tags::{CommandTag, RunTag};

/// The program that the child executes, and everything that it does before. Its descriptors lie above those that the
/// child fills (`descriptors::raise_above_reserved`).
#[derive(Debug)]
pub(crate) struct ProcessImage {
    pub(crate) program: CString,
    pub(crate) argv: Vec<CString>,
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: CString,
    pub(crate) stdio: [OwnedFd; 3],
    /// The gate that it waits at, if it does.
    pub(crate) gate: Option<ChildGate>,
    pub(crate) command_tag: Option<CommandTag>,
    pub(crate) run_tag: Option<RunTag>,
    /// Whether it goes on when this process is killed.
    pub(crate) outlives_host: bool,
    /// Namespaces that it runs in, if not in ours.
    pub(crate) namespaces: Option<NamespaceSpec>,
    /// Whether it drops all capabilities. `bwrap` needs them until it has confined the command.
    pub(crate) drops_privileges: bool,
    /// Landlock rules that it applies to itself.
    pub(crate) rules: Option<Arc<OwnedFd>>,
    /// The system call filter that it installs.
    pub(crate) filter: Option<&'static Filter>,
    /// The system call filter that `bwrap` installs.
    pub(crate) filter_file: Option<OwnedFd>,
    /// The file by which it joins the control group that limits the memory of all its processes together.
    pub(crate) group_entry: Option<OwnedFd>,
    /// Bytes that each of its processes may allocate.
    pub(crate) memory: Option<u64>,
    /// Processes that it may have, where they can be told from the user's other ones.
    pub(crate) processes: Option<u32>,
}

/// The child's side of a gate.
#[derive(Debug)]
pub(crate) struct ChildGate {
    /// The child waits for one byte; end of file ends it.
    pub(crate) release: OwnedFd,
    /// The child writes here why it could not become the command.
    pub(crate) status: OwnedFd,
}

/// Null-terminated tables that point into an image, made before the fork.
pub(crate) struct ExecPointers {
    pub(crate) argv: Vec<*const c_char>,
    /// For a script without `#!`, which shells and `execvp` hand to a shell.
    pub(crate) shell_argv: Vec<*const c_char>,
    pub(crate) env: Vec<*const c_char>,
    /// Above every descriptor there is.
    pub(crate) open_max: c_int,
}

pub(crate) const SHELL: &CStr = c"/bin/sh";

impl ExecPointers {
    pub(crate) fn new(image: &ProcessImage) -> Self {
        let table = |strings: &[CString]| -> Vec<*const c_char> {
            let pointers = strings.iter().map(|string| string.as_ptr());
            pointers.chain([ptr::null()]).collect()
        };
        let argv = table(&image.argv);
        let mut shell_argv = vec![SHELL.as_ptr(), image.program.as_ptr()];
        shell_argv.extend(argv.iter().skip(1));
        Self {
            argv,
            shell_argv,
            env: table(&image.env),
            open_max: open_max(),
        }
    }
}

fn open_max() -> c_int {
    // SAFETY: the call only reads a limit.
    let limit = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) };
    c_int::try_from(limit)
        .unwrap_or(c_int::MAX)
        .clamp(256, 65536)
}
