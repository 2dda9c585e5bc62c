//! The pipes and files of a command's standard streams. All of them close on exec.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use crate::after_fork::descriptors::raise_above_reserved;
use crate::command::Stdin;
use crate::command::stdin_writer::StdinWriter;

/// What the command reads, and our end of it.
#[derive(Debug)]
pub(crate) struct OpenStdin {
    pub(crate) child: OwnedFd,
    /// Only of a pipe.
    pub(crate) writer: Option<StdinWriter>,
}

/// Opens what the command reads.
///
/// Bytes come from a file in memory instead of a pipe: we need not write while the command reads, so a command that
/// does not read can neither block us nor break a pipe.
pub(crate) fn open_stdin(stdin: &Stdin) -> io::Result<OpenStdin> {
    let child = match stdin {
        Stdin::Null => raise_above_reserved(File::open("/dev/null")?.into()),
        Stdin::Bytes(bytes) => raise_above_reserved(memory_file(bytes)?.into()),
        Stdin::Piped => return stdin_pipe(),
    };
    Ok(OpenStdin {
        child: child?,
        writer: None,
    })
}

/// Makes a pipe for input. Our end does not block.
pub(crate) fn stdin_pipe() -> io::Result<OpenStdin> {
    let (theirs, ours) = io::pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok(OpenStdin {
        child: raise_above_reserved(theirs.into())?,
        writer: Some(StdinWriter::new(ours)),
    })
}

/// Makes a pipe for output: our end, which does not block, and the child's end.
pub(crate) fn output_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((ours.into(), raise_above_reserved(theirs.into())?))
}

fn memory_file(bytes: &[u8]) -> io::Result<File> {
    use std::io::{Seek, Write};

    use rustix::fs::MemfdFlags;
    use rustix::io::Errno;

    let create = |flags| rustix::fs::memfd_create("stdin", MemfdFlags::CLOEXEC | flags);
    // Some systems require the flag; kernels before 6.3 do not know it.
    let fd = create(MemfdFlags::NOEXEC_SEAL).or_else(|error| match error {
        Errno::INVAL => create(MemfdFlags::empty()),
        other => Err(other),
    })?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}
