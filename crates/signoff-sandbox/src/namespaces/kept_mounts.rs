//! Mounts that are made once and used by one command after the other, with a PID namespace of their own.
//!
//! Making a command's mounts takes longer than starting it. A caller who knows that a command left its directories
//! unchanged hands the same mounts to the next one. What else a command can leave is checked here: processes, shared
//! memory and terminals. The empty directories in place of hidden ones cannot be written to.
#![expect(unsafe_code, reason = "namespaces have no safe form here")]

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs, io};

use crate::after_fork::syscall::{self, SyscallError, SyscallResult};
use crate::namespaces::init_process::InitProcess;
use crate::namespaces::pool::PooledNamespaces;

/// Mounts for commands of one and the same policy, which run one after the other.
///
/// They are gone when the last copy of this is dropped and no command uses them.
#[derive(Debug, Clone)]
pub struct KeptMounts(Arc<MountedNamespaces>);

/// Namespaces with everything mounted.
#[derive(Debug)]
struct MountedNamespaces {
    /// `None` only after they went back to the pool.
    namespaces: Option<PooledNamespaces>,
    init: Option<InitProcess>,
    mounts: OwnedFd,
    processes: OwnedFd,
    process_namespace: u64,
    /// Shared memory and terminals.
    devices: Vec<Device>,
    is_unusable: AtomicBool,
}

impl Drop for MountedNamespaces {
    fn drop(&mut self) {
        let Some(init) = self.init.take() else {
            return;
        };
        init.kill_namespace();
        if init.reap()
            && let Some(namespaces) = self.namespaces.take()
        {
            namespaces.give_back();
        }
    }
}

impl KeptMounts {
    /// Takes over what a child made: its mount and PID namespaces, then the devices to watch.
    pub(crate) fn new(
        namespaces: PooledNamespaces,
        init: Option<InitProcess>,
        opened: Vec<OwnedFd>,
    ) -> io::Result<Self> {
        let mut opened = opened.into_iter();
        let (Some(mounts), Some(processes)) = (opened.next(), opened.next()) else {
            return Err(io::Error::other(
                "cannot confine the process: its mounts are gone",
            ));
        };
        // From here on the init process is killed when this is dropped.
        let mut mounted = MountedNamespaces {
            namespaces: Some(namespaces),
            init,
            process_namespace: 0,
            mounts,
            processes,
            devices: Vec::new(),
            is_unusable: AtomicBool::new(false),
        };
        mounted.process_namespace = rustix::fs::fstat(&mounted.processes)?.st_ino;
        mounted.devices = opened.map(Device::new).collect::<io::Result<_>>()?;
        Ok(Self(Arc::new(mounted)))
    }

    /// Whether no command left anything in shared memory or terminals, nor a process. The caller has to know the same
    /// of other directories.
    pub fn are_as_new(&self) -> bool {
        !self.is_unusable() && self.0.devices.iter().all(Device::is_unchanged)
    }

    /// Moves the calling process there; into the PID namespace only its children are moved.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn enter(&self) -> SyscallResult {
        let (mounts, processes) = (self.0.mounts.as_raw_fd(), self.0.processes.as_raw_fd());
        // SAFETY: plain system calls.
        unsafe {
            self.0.namespaces.as_ref().ok_or(SyscallError)?.enter()?;
            syscall::check(libc::setns(mounts, libc::CLONE_NEWNS).into())?;
            syscall::check(libc::setns(processes, libc::CLONE_NEWPID).into())
        }
    }

    pub(crate) fn init(&self) -> Option<&InitProcess> {
        self.0.init.as_ref()
    }

    pub(crate) fn process_namespace(&self) -> u64 {
        self.0.process_namespace
    }

    /// Kills every process in there. No command can be started there any more.
    pub(crate) fn give_up(&self) {
        self.0.is_unusable.store(true, Ordering::Release);
        if let Some(init) = &self.0.init {
            init.kill_namespace();
        }
    }

    pub(crate) fn is_unusable(&self) -> bool {
        self.0.is_unusable.load(Ordering::Acquire)
    }
}

/// A device or a directory of devices, and its state before a command used it.
#[derive(Debug)]
struct Device {
    file: fs::File,
    before: DeviceState,
}

/// Everything that a command can change of it, except its times.
#[derive(Debug, PartialEq, Eq)]
struct DeviceState {
    mode: u32,
    owner: (u32, u32),
    entries: usize,
    has_attributes: bool,
}

impl Device {
    fn new(fd: OwnedFd) -> io::Result<Self> {
        let file = fs::File::from(fd);
        let before = DeviceState::read(&file)?;
        Ok(Self { file, before })
    }

    fn is_unchanged(&self) -> bool {
        DeviceState::read(&self.file).is_ok_and(|now| now == self.before)
    }
}

impl DeviceState {
    fn read(file: &fs::File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let found = file.metadata()?;
        let (mut entries, mut has_attributes) = (0, false);
        if found.is_dir() {
            entries = rustix::fs::Dir::read_from(file)?.count();
            let mut listed = [0_u8; 1];
            has_attributes = match rustix::fs::flistxattr(file, &mut listed) {
                Ok(length) => length > 0,
                Err(rustix::io::Errno::NOTSUP) => false,
                Err(error) => return Err(error.into()),
            };
        }
        Ok(Self {
            mode: found.mode(),
            owner: (found.uid(), found.gid()),
            entries,
            has_attributes,
        })
    }
}
