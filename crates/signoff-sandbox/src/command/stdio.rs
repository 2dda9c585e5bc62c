//! The descriptors between a command and us. All of them close on exec.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use crate::after_fork::descriptors::raise_above_reserved;
use crate::command::Stdin;

/// Opens what the command reads.
///
/// Bytes come from a file in memory rather than a pipe: nobody has to feed it, so a command that does not read can
/// neither block us nor break a pipe.
pub(crate) fn stdin(stdin: &Stdin) -> io::Result<OwnedFd> {
    match stdin {
        Stdin::Null => raise_above_reserved(File::open("/dev/null")?.into()),
        Stdin::Bytes(bytes) => raise_above_reserved(memory(bytes)?.into()),
    }
}

/// Makes a pipe: our end to read, which never blocks, and the child's end to write.
pub(crate) fn output() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((ours.into(), raise_above_reserved(theirs.into())?))
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
