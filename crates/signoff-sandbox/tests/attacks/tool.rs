//! What an attacker does that a shell cannot. The command calls this program with the variable.

use std::net::{TcpStream, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use signoff_sandbox::Ended;

const TOOL: &str = "SIGNOFF_TEST_TOOL";

/// How a script calls the tool.
pub(crate) fn call(words: &str) -> String {
    format!("{TOOL}='{words}' \"$ME\" --exact tool::tool --nocapture")
}

/// Says whether the tool, which has run, got what it wanted.
#[track_caller]
pub(crate) fn reached(ended: &Ended) -> bool {
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
        ["keys"] => assert_ne!(ask_for_keys(), Some(libc::EPERM)),
        ["probe"] => {
            let probe = signoff_sandbox::probe().unwrap();
            println!("\nlevel {}", probe.level);
            for tried in &probe.tried {
                println!("{}: {}", tried.level, tried.why);
            }
        }
        _ => panic!("no such tool"),
    }
    println!("\nreached");
}
