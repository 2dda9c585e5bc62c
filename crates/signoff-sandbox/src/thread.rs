//! Threads. The machine may refuse one, as it may refuse a process.

use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Starts a thread, or says why that is impossible and what helps.
pub fn start_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let builder = Builder::new().name(name.to_owned());
    builder.spawn(work).map_err(start_refused)
}

/// The same for one that ends with its scope.
pub fn start_scoped_thread<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    let builder = Builder::new().name(name.to_owned());
    builder.spawn_scoped(scope, work).map_err(start_refused)
}

fn start_refused(error: io::Error) -> io::Error {
    let help = match error.kind() {
        io::ErrorKind::WouldBlock => {
            "; too many processes and threads run already: end some of them, or raise `ulimit -u`, then repeat the command"
        }
        _ => "",
    };
    io::Error::new(
        error.kind(),
        format!("cannot start a thread: {error}{help}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do() {
        let refusal = |errno| start_refused(io::Error::from_raw_os_error(errno)).to_string();
        let full = refusal(libc::EAGAIN);
        assert!(full.starts_with("cannot start a thread: "), "{full}");
        assert!(full.contains("`ulimit -u`"), "{full}");
        assert!(!refusal(libc::EPERM).contains("ulimit"));
        let thread = start_thread("one", || std::thread::current().name().map(str::to_owned));
        assert_eq!(thread.unwrap().join().unwrap().as_deref(), Some("one"));
    }
}
