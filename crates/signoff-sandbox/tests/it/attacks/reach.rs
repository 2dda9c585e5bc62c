//! Attacks on what others listen to, and on other processes.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Stdio;
use std::time::Duration;

use signoff_sandbox::{Level, Network};

use crate::attacks::host::{Function, Host};
use crate::attacks::outcome::{ALL, Attack, By, MOUNTS, check, variable};
use crate::attacks::tool::{self, call};

pub(crate) const ATTACKS: &[(&str, Function)] = &[
    ("docker-socket", docker_socket),
    ("agent-socket", agent_socket),
    ("abstract-socket", abstract_socket),
    ("abstract-socket-online", abstract_socket_online),
    ("tcp", tcp),
    ("udp", udp),
    ("environment", environment),
    ("memory-map", memory_map),
    ("arguments", arguments),
    ("kill", kill),
    ("limit", limit),
    ("terminal", terminal),
    ("descriptor", descriptor),
];

fn attack(name: &'static str, stopped_by: &'static [Level]) -> Attack {
    Attack {
        name,
        by: By::Anybody,
        stopped_by,
    }
}

fn reached(host: &Host, words: &str) -> bool {
    tool::reached(&host.run(&call(words)))
}

fn docker_socket(host: &Host) -> bool {
    let path = host.path("run/docker.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    reached(host, &format!("unix {}", path.display()))
}

#[test]
fn talks_to_a_daemon_by_its_socket() {
    check(&attack("docker-socket", MOUNTS));
}

fn agent_socket(host: &Host) -> bool {
    let path = format!("/tmp/signoff-test-{}.sock", std::process::id());
    let listener = UnixListener::bind(&path).unwrap();
    let mut command = host.command(&call(&format!("unix {path}")));
    command.policy.as_mut().unwrap().temp = Some(host.path("temp"));
    let reached = tool::reached(&host.sandbox.run(command).unwrap());
    drop(listener);
    std::fs::remove_file(path).unwrap();
    reached
}

#[test]
fn talks_to_an_agent_that_holds_keys() {
    check(&attack("agent-socket", MOUNTS));
}

fn abstract_socket(host: &Host) -> bool {
    let name = format!("signoff-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    reached(host, &format!("abstract {name}"))
}

#[test]
fn talks_to_a_socket_without_a_path() {
    check(&attack("abstract-socket", ALL));
}

/// With the network on, as agents have it.
fn abstract_socket_online(host: &Host) -> bool {
    let name = format!("signoff-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();
    let mut command = host.command(&call(&format!("abstract {name}")));
    command.policy.as_mut().unwrap().network = Network::On;
    tool::reached(&host.sandbox.run(command).unwrap())
}

#[test]
fn talks_to_a_socket_without_a_path_while_online() {
    check(&attack("abstract-socket-online", ALL));
}

fn tcp(host: &Host) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    reached(host, &format!("tcp {}", listener.local_addr().unwrap()))
}

#[test]
fn talks_to_the_network() {
    check(&attack("tcp", ALL));
}

fn udp(host: &Host) -> bool {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    reached(host, &format!("udp {}", socket.local_addr().unwrap()));
    socket.recv(&mut [0; 16]).is_ok()
}

#[test]
fn talks_to_the_network_without_a_connection() {
    check(&attack("udp", MOUNTS));
}

fn environment(host: &Host) -> bool {
    let key = variable("SIGNOFF_TEST_SECRET");
    let ended = host.run("cat /proc/*/environ | tr '\\0' '\\n' | grep ^SIGNOFF_TEST_SECRET");
    ended
        .stdout
        .text()
        .contains(&format!("SIGNOFF_TEST_SECRET={key}"))
}

#[test]
fn reads_keys_in_the_environment_of_others() {
    check(&attack("environment", ALL));
}

/// The right to look is the right to trace.
fn memory_map(host: &Host) -> bool {
    let ended = host.run("cat /proc/*/maps | grep '/program$'");
    !ended.stdout.text().is_empty()
}

#[test]
fn traces_the_host() {
    check(&attack("memory-map", ALL));
}

/// A process of the same user, outside.
struct Victim(std::process::Child);

impl Victim {
    #[expect(clippy::disallowed_methods, reason = "the victim is not a command")]
    fn new() -> Self {
        let mut victim = std::process::Command::new("sleep");
        // Else it would keep whoever waits for our output, should we fail.
        victim.stdout(Stdio::null()).stderr(Stdio::null());
        Self(victim.arg("4242").spawn().unwrap())
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn arguments(host: &Host) -> bool {
    let _victim = Victim::new();
    let ended = host.run("cat /proc/*/cmdline | tr '\\0' ' ' | grep -o 'sleep [4]242'");
    !ended.stdout.text().is_empty()
}

#[test]
fn reads_what_others_were_called_with() {
    check(&attack("arguments", MOUNTS));
}

fn kill(host: &Host) -> bool {
    let victim = Victim::new();
    let ended = host.run(&format!("kill -KILL {} && echo killed", victim.0.id()));
    ended.stdout.text().contains("killed")
}

#[test]
fn kills_another_process() {
    check(&attack("kill", ALL));
}

/// Takes everything that a process needs to go on.
fn limit(host: &Host) -> bool {
    let victim = Victim::new();
    let pid = victim.0.id();
    let ended = host.run(&format!("prlimit --pid {pid} --nofile=0:0 && echo limited"));
    ended.stdout.text().contains("limited")
}

#[test]
fn limits_another_process() {
    check(&attack("limit", ALL));
}

/// A terminal of the person's: what is written there looks like the harness, what is read there was typed.
#[expect(unsafe_code, reason = "terminals have no safe form here")]
fn terminal(host: &Host) -> bool {
    let mut name = [0; 64];
    // SAFETY: a descriptor of ours, and a buffer of the size given.
    let name = unsafe {
        let terminal = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY);
        assert_eq!(libc::grantpt(terminal), 0);
        assert_eq!(libc::unlockpt(terminal), 0);
        assert_eq!(libc::ptsname_r(terminal, name.as_mut_ptr(), name.len()), 0);
        std::ffi::CStr::from_ptr(name.as_ptr())
    };
    let name = name.to_str().unwrap();
    let ended = host.run(&format!(
        "(: >> {name}) && echo opened; (: < {name}) && echo opened"
    ));
    ended.stdout.text().contains("opened")
}

#[test]
fn opens_a_terminal_of_the_person() {
    check(&attack("terminal", ALL));
}

/// A file that the host has open, without having said that it must not be inherited. With the defence off the shell
/// is started as any program starts one.
#[expect(clippy::disallowed_methods, reason = "with the defence off")]
fn descriptor(host: &Host) -> bool {
    use std::os::fd::AsRawFd;
    let file = std::fs::File::options()
        .append(true)
        .open(host.path("outside/file"))
        .unwrap();
    let kept = rustix::io::fcntl_dupfd_cloexec(&file, 9).unwrap();
    rustix::io::fcntl_setfd(&kept, rustix::io::FdFlags::empty()).unwrap();
    let script = format!(
        "echo evil > /proc/self/fd/{0}; echo evil >&9",
        kept.as_raw_fd()
    );
    if host.level == Level::None {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", &script]).status().unwrap();
    } else {
        host.run(&script);
    }
    host.is_changed("outside/file")
}

#[test]
fn writes_to_an_inherited_descriptor() {
    check(&attack("descriptor", ALL));
}
