//! What an attacker does that a shell cannot. The command calls this program with the variable.

use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use signoff_sandbox::CommandReport;

const TOOL: &str = "SIGNOFF_TEST_TOOL";

/// How a script calls the tool.
pub(crate) fn call(words: &str) -> String {
    format!("{TOOL}='{words}' \"$ME\" --exact attacks::tool::tool --nocapture")
}

/// Says whether the tool, which has run, got what it wanted.
#[track_caller]
pub(crate) fn reached(ended: &CommandReport) -> bool {
    let said = ended.stdout.text();
    assert!(said.contains("tried"), "the tool did not run: {ended:?}");
    said.contains("reached")
}

/// Asks for the keys of the session; returns the error, if it is one.
#[expect(unsafe_code, reason = "keys have no safe form here")]
fn ask_for_keys() -> Option<i32> {
    const GET_KEYRING: i32 = 0;
    const OF_SESSION: i32 = -3;
    // SAFETY: plain numbers.
    match unsafe { libc::syscall(libc::SYS_keyctl, GET_KEYRING, OF_SESSION, 0) } {
        -1 => std::io::Error::last_os_error().raw_os_error(),
        _ => None,
    }
}

/// Runs what attacks its own parent, and says whether that succeeded. `word` is what the attacker writes over.
#[expect(unsafe_code, reason = "to be traced has no safe form")]
#[expect(clippy::disallowed_methods, reason = "the attacker is not a command")]
fn judge(how: &str) -> bool {
    let word = std::sync::atomic::AtomicU8::new(0);
    // SAFETY: plain numbers. Where Yama restricts tracing, any process may trace this one.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
    let attack = format!("{how} {}", &raw const word as usize);
    let attacker = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "attacks::tool::tool", "--nocapture"])
        .env(TOOL, attack)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&attacker.stdout);
    assert!(said.contains("tried"), "{said}");
    let written = word.load(std::sync::atomic::Ordering::SeqCst) == 1;
    said.contains("reached") && (written || !how.contains("memory"))
}

fn parent() -> libc::pid_t {
    rustix::process::getppid().unwrap().as_raw_nonzero().get()
}

/// Traces its parent, and lets it go again.
#[expect(unsafe_code, reason = "tracing has no safe form")]
fn trace(request: libc::c_uint) {
    let nothing = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: no memory of this process is touched.
    unsafe {
        if libc::ptrace(request, parent(), nothing, nothing) == -1 {
            let error = std::io::Error::last_os_error();
            assert_eq!(error.raw_os_error(), Some(libc::EPERM));
            panic!("{error}");
        }
        if request == libc::PTRACE_SEIZE {
            libc::ptrace(libc::PTRACE_INTERRUPT, parent(), nothing, nothing);
        }
        libc::waitpid(parent(), std::ptr::null_mut(), libc::__WALL);
        libc::ptrace(libc::PTRACE_DETACH, parent(), nothing, nothing);
    }
}

#[expect(unsafe_code, reason = "the memory of others has no safe form")]
fn write_memory(address: usize) {
    let mut one = 1_u8;
    let part = |base| libc::iovec {
        iov_base: base,
        iov_len: 1,
    };
    let (from, to) = (
        part((&raw mut one).cast()),
        part(std::ptr::without_provenance_mut(address)),
    );
    // SAFETY: one byte of ours is read.
    let written =
        unsafe { libc::process_vm_writev(parent(), &raw const from, 1, &raw const to, 1, 0) };
    assert_eq!(written, 1);
}

fn write_memory_file(address: usize) {
    use std::os::unix::fs::FileExt;
    let file = std::fs::File::options()
        .write(true)
        .open(format!("/proc/{}/mem", parent()));
    file.unwrap()
        .write_all_at(&[1], address.try_into().unwrap())
        .unwrap();
}

#[expect(unsafe_code, reason = "descriptors of others have no safe form")]
fn take_descriptor() {
    // SAFETY: plain numbers.
    let taken = unsafe {
        let process = libc::syscall(libc::SYS_pidfd_open, parent(), 0);
        assert_ne!(process, -1);
        libc::syscall(libc::SYS_pidfd_getfd, process, 1, 0)
    };
    assert_ne!(taken, -1);
}

#[test]
fn tool() {
    let Ok(words) = std::env::var(TOOL) else {
        return;
    };
    let words: Vec<&str> = words.split(' ').collect();
    println!("\ntried");
    match words[..] {
        ["unix", path] => drop(UnixStream::connect(path).unwrap()),
        ["abstract", name] => {
            let address = SocketAddr::from_abstract_name(name).unwrap();
            drop(UnixStream::connect_addr(&address).unwrap());
        }
        ["tcp", address] => {
            let address = address.parse().unwrap();
            drop(TcpStream::connect_timeout(&address, Duration::from_secs(5)).unwrap());
        }
        ["udp", address] => {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.send_to(b"evil", address).unwrap();
        }
        ["memory", bytes] => {
            let mut hoard: Vec<u8> = Vec::new();
            hoard.try_reserve_exact(bytes.parse().unwrap()).unwrap();
            hoard.push(1);
        }
        ["judge", how] => assert!(judge(how)),
        ["attach", _] => trace(libc::PTRACE_ATTACH),
        ["seize", _] => trace(libc::PTRACE_SEIZE),
        ["write-memory", address] => write_memory(address.parse().unwrap()),
        ["memory-file", address] => write_memory_file(address.parse().unwrap()),
        ["take-descriptor", _] => take_descriptor(),
        ["keys"] => assert_ne!(ask_for_keys(), Some(libc::EPERM)),
        ["probe"] => {
            let probe = signoff_sandbox::probe().unwrap();
            println!("\nlevel {}", probe.level);
            for tried in &probe.failed_levels {
                println!("{}: {}", tried.level, tried.why);
            }
        }
        _ => panic!("no such tool"),
    }
    println!("\nreached");
}
