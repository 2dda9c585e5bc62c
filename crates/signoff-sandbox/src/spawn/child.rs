//! The steps of a child between fork and exec.
//!
//! After the fork the child is a copy of one thread of a process with many, or it runs in that process's own memory:
//! any lock may stay locked for ever. So it allocates nothing: it makes system calls on memory that was prepared
//! before the fork, and writes to nothing but its stack.
#![expect(unsafe_code, reason = "exec and the calls before it have no safe form")]

use std::ffi::c_int;

use crate::after_fork::descriptors::{GATE, GROUP, RULES, STATUS};
use crate::after_fork::failure::{self, ChildFailure, StartStage};
use crate::after_fork::signals;
use crate::after_fork::syscall::{SyscallError, SyscallResult};
use crate::confine::{landlock, privileges, seccomp};
use crate::namespaces::process_table;
use crate::spawn::child_descriptors::arrange_descriptors;
use crate::spawn::image::{ExecPointers, ProcessImage, SHELL};

/// Turns the calling process into the command, or returns why that failed.
///
/// # Safety
/// To be called in a forked child only, with pointers into `image`.
pub(crate) unsafe fn become_command(
    image: &ProcessImage,
    pointers: &ExecPointers,
    parent: c_int,
) -> ChildFailure {
    // SAFETY: system calls only, on descriptors and memory that `image` and `pointers` keep.
    unsafe {
        match prepare(image, pointers, parent) {
            Ok(()) => exec(image, pointers),
            Err(failure) => failure,
        }
    }
}

/// The same in namespaces, where the setup process has arranged the descriptors.
///
/// # Safety
/// As `become_command`.
pub(crate) unsafe fn become_command_in_namespaces(
    image: &ProcessImage,
    pointers: &ExecPointers,
) -> ChildFailure {
    // SAFETY: as `become_command`.
    unsafe {
        // The init process ends with the host too, and all others in the namespace with it; this is quicker.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        match prepare_command(image) {
            Ok(()) => exec(image, pointers),
            Err(failure) => failure,
        }
    }
}

/// Writes the failure of a child with a gate to its status pipe, and ends the child.
///
/// # Safety
/// To be called in a forked child only, after `become_command`.
pub(crate) unsafe fn report_and_exit(failure: ChildFailure) -> ! {
    let message = failure.to_bytes();
    // SAFETY: the message lives through the call; a child with a gate has this descriptor.
    unsafe {
        libc::write(STATUS, message.as_ptr().cast(), message.len());
        libc::_exit(127)
    }
}

/// # Safety
/// As `become_command`.
unsafe fn prepare(
    image: &ProcessImage,
    pointers: &ExecPointers,
    parent: c_int,
) -> Result<(), ChildFailure> {
    // SAFETY: as `become_command`.
    unsafe {
        arrange_descriptors(image, pointers, None)
            .map_err(|SyscallError| ChildFailure::at(StartStage::Prepare))?;
        if !image.outlives_host {
            die_with_parent(parent);
        }
        set_tags(image);
        prepare_command(image)
    }
}

/// The steps that are the same whether or not the command has namespaces.
///
/// # Safety
/// As `become_command`.
unsafe fn prepare_command(image: &ProcessImage) -> Result<(), ChildFailure> {
    // SAFETY: as `become_command`.
    unsafe {
        if libc::setsid() == -1 {
            return Err(ChildFailure::at(StartStage::Prepare));
        }
        set_limit(libc::RLIMIT_CORE, 0);
        apply_limits(image).map_err(|SyscallError| ChildFailure::at(StartStage::Confine))?;
        if libc::chdir(image.cwd.as_ptr()) == -1 {
            return Err(ChildFailure::at(StartStage::EnterDirectory));
        }
        signals::restore_defaults();
        drop_rights(image).map_err(|SyscallError| ChildFailure::at(StartStage::Confine))?;
        if image.gate.is_some() {
            wait_at_gate();
        }
        Ok(())
    }
}

/// What a policy demands before the command's directory is entered.
///
/// # Safety
/// As `become_command`.
unsafe fn apply_limits(image: &ProcessImage) -> SyscallResult {
    // SAFETY: as `become_command`.
    unsafe {
        if image.group_entry.is_some() {
            // Not earlier: an init process may share the host's memory, and the kernel would kill the host with it
            // when the group runs out of memory.
            let joined = libc::write(GROUP, c"0".as_ptr().cast(), 1);
            if joined == -1 {
                return Err(SyscallError);
            }
        }
        if let Some(memory) = image.memory {
            set_limit(libc::RLIMIT_DATA, memory);
        }
        let Some(spec) = &image.namespaces else {
            return Ok(());
        };
        if let Some(processes) = image.processes {
            // The kernel counts per user namespace, so only the command's own processes count.
            set_limit(libc::RLIMIT_NPROC, processes.into());
        }
        privileges::leave_session_keyring();
        match spec.kept {
            Some(_) => Ok(()),
            None => process_table::mount(&spec.table),
        }
    }
}

/// Drops what the command must not have. Nothing that needs a privilege may follow.
///
/// # Safety
/// As `become_command`.
unsafe fn drop_rights(image: &ProcessImage) -> SyscallResult {
    // SAFETY: as `become_command`.
    unsafe {
        if image.drops_privileges {
            privileges::drop_capabilities()?;
        }
        if image.rules.is_some() {
            privileges::set_no_new_privileges()?;
            landlock::restrict_self(RULES)?;
        }
        match image.filter {
            Some(filter) => seccomp::install(filter),
            None => Ok(()),
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn die_with_parent(parent: c_int) {
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have died before the signal was requested.
        if libc::getppid() != parent {
            libc::_exit(127);
        }
    }
}

/// Tags the process and every process that it will start.
///
/// # Safety
/// As `become_command`.
pub(crate) unsafe fn set_tags(image: &ProcessImage) {
    if let Some(tag) = image.command_tag {
        // SAFETY: a plain system call.
        unsafe { set_limit(libc::RLIMIT_LOCKS, tag.limit()) };
    }
    if let Some(tag) = image.run_tag {
        // SAFETY: a plain system call.
        unsafe { set_limit(libc::RLIMIT_RSS, tag.limit()) };
    }
}

#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = c_int;

/// # Safety
/// As `become_command`.
unsafe fn set_limit(resource: Resource, value: libc::rlim_t) {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: the structure lives through the call. If the system refuses, the limit stays as it is.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// # Safety
/// As `become_command`.
unsafe fn wait_at_gate() {
    let mut byte = 0_u8;
    // SAFETY: one byte is read into one byte.
    unsafe {
        loop {
            match libc::read(GATE, (&raw mut byte).cast(), 1) {
                1 => return,
                -1 if failure::errno() == libc::EINTR => {}
                _ => libc::_exit(127),
            }
        }
    }
}

/// # Safety
/// As `become_command`.
unsafe fn exec(image: &ProcessImage, pointers: &ExecPointers) -> ChildFailure {
    // SAFETY: the tables end with null and point to strings that end with zero.
    unsafe {
        libc::execve(
            image.program.as_ptr(),
            pointers.argv.as_ptr(),
            pointers.env.as_ptr(),
        );
        if failure::errno() == libc::ENOEXEC {
            libc::execve(
                SHELL.as_ptr(),
                pointers.shell_argv.as_ptr(),
                pointers.env.as_ptr(),
            );
        }
    }
    ChildFailure::at(StartStage::Execute)
}
