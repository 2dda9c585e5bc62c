//! The descriptors between a command and us. All of them close on exec.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use crate::command::Stdin;

/// Lowest number a descriptor for the child may have: below it the child puts what it keeps.
const LOWEST: i32 = crate::child::FREE;

/// Opens what the command reads.
///
/// Bytes come from a file in memory rather than a pipe: nobody has to feed it, so a command that does not read can
/// neither block us nor break a pipe.
pub(crate) fn stdin(stdin: &Stdin) -> io::Result<OwnedFd> {
    match stdin {
        Stdin::Null => lift(File::open("/dev/null")?.into()),
        Stdin::Bytes(bytes) => lift(memory(bytes)?.into()),
    }
}

/// Makes a pipe: our end to read, which never blocks, and the child's end to write.
pub(crate) fn output() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((ours.into(), lift(theirs.into())?))
}

/// Moves a descriptor out of the way of those the child fills.
pub(crate) fn lift(fd: OwnedFd) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd;
    if fd.as_raw_fd() >= LOWEST {
        return Ok(fd);
    }
    Ok(rustix::io::fcntl_dupfd_cloexec(&fd, LOWEST)?)
}

fn memory(bytes: &[u8]) -> io::Result<File> {
    use std::io::{Seek, Write};

    use rustix::fs::MemfdFlags;
    use rustix::io::Errno;

    let create = |flags| rustix::fs::memfd_create("stdin", MemfdFlags::CLOEXEC | flags);
    // Some systems demand the flag, kernels before 6.3 do not know it.
    let fd = create(MemfdFlags::NOEXEC_SEAL).or_else(|error| match error {
        Errno::INVAL => create(MemfdFlags::empty()),
        other => Err(other),
    })?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}
