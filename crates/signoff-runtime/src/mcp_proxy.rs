//! An agent's end of a tool server that the harness has: passes messages between the agent and a socket, as they are.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use signoff_sandbox::start_thread;

/// Bytes that are passed on at once.
const BUFFER: usize = 64 * 1024;

/// Passes messages on until the harness hangs up. At the end of the input, what was asked is still answered.
pub fn pass_messages(
    socket: &Path,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<()> {
    let stream = within_directory(socket, |path| UnixStream::connect(path))?;
    let asking = stream.try_clone()?;
    start_thread("signoff-mcp-input", move || {
        // If the harness is gone, the other direction ends.
        pass_on(input, &asking).ok();
        asking.shutdown(Shutdown::Write).ok();
    })?;
    pass_on(stream, output)
}

/// Everything, as soon as it is there.
fn pass_on(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                to.write_all(&buffer[..count])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Does something with a socket by a short path: addresses of sockets are limited to about 100 bytes.
pub(crate) fn within_directory<T>(
    socket: &Path,
    with: impl FnOnce(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let missing = || io::Error::from(io::ErrorKind::InvalidInput);
    let directory = socket.parent().ok_or_else(missing)?;
    let name = socket.file_name().ok_or_else(missing)?;
    let directory = std::fs::File::open(directory)?;
    let short = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
    with(&short.join(name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn what_is_asked_before_the_end_is_answered_however_long_the_path_is() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("x".repeat(120));
        std::fs::create_dir(&deep).unwrap();
        let socket = deep.join("s.sock");
        let listener = within_directory(&socket, |path| UnixListener::bind(path)).unwrap();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            stream.read_to_string(&mut asked).unwrap();
            stream.write_all(asked.to_uppercase().as_bytes()).unwrap();
        });
        let mut answered = Vec::new();
        pass_messages(&socket, &b"hello\n"[..], &mut answered).unwrap();
        answering.join().unwrap();
        assert_eq!(answered, b"HELLO\n");
    }
}
