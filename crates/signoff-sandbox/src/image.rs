//! What a child is to become, laid out so that it need not allocate.
#![expect(unsafe_code, reason = "one limit of the system is asked for")]

use std::ffi::{CStr, CString, c_char, c_int};
use std::os::fd::OwnedFd;
use std::ptr;
use std::sync::Arc;

use crate::brand::{Brand, RunTag};
use crate::enclosure::Enclosure;

/// What the child becomes. Its descriptors are numbered above those the child fills (`stdio::lift`).
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) program: CString,
    pub(crate) argv: Vec<CString>,
    pub(crate) env: Vec<CString>,
    pub(crate) cwd: CString,
    pub(crate) stdio: [OwnedFd; 3],
    pub(crate) hold: Option<Hold>,
    pub(crate) brand: Option<Brand>,
    /// Of which run it is.
    pub(crate) run_tag: Option<RunTag>,
    /// Namespaces that are made for it.
    pub(crate) enclosure: Option<Enclosure>,
    /// Whether it gives up all capabilities by itself; who confines another one needs them.
    pub(crate) gives_up: bool,
    /// Rules that it submits to.
    pub(crate) rules: Option<Arc<OwnedFd>>,
    /// System calls that are refused to it.
    pub(crate) filter: Option<&'static crate::seccomp::Filter>,
    /// A filter that it hands on.
    pub(crate) filter_file: Option<OwnedFd>,
    /// What it joins a group by that limits the memory of all its processes together.
    pub(crate) group_entry: Option<OwnedFd>,
    /// Bytes that each of its processes may allocate.
    pub(crate) memory: Option<u64>,
    /// Processes that it may have, where they can be told from the user's other ones.
    pub(crate) processes: Option<u32>,
}

/// What a child needs that waits before it becomes the command.
#[derive(Debug)]
pub(crate) struct Hold {
    /// It waits for one byte; end of file ends it.
    pub(crate) gate: OwnedFd,
    /// It tells here why it could not become the command.
    pub(crate) status: OwnedFd,
}

/// Null-terminated tables that point into an image, made before the fork.
pub(crate) struct Pointers {
    pub(crate) argv: Vec<*const c_char>,
    /// For a script without `#!`, as shells and `execvp` do it.
    pub(crate) shell_argv: Vec<*const c_char>,
    pub(crate) env: Vec<*const c_char>,
    /// Above every descriptor there is.
    pub(crate) open_max: c_int,
}

pub(crate) const SHELL: &CStr = c"/bin/sh";

impl Pointers {
    pub(crate) fn to(image: &Image) -> Self {
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
    // SAFETY: a plain question.
    let limit = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) };
    c_int::try_from(limit)
        .unwrap_or(c_int::MAX)
        .clamp(256, 65536)
}
