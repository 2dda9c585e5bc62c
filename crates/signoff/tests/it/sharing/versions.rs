//! Machines that are not alike: another version of the tables, another time, a network that is cut.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::fleet::Fleet;
use crate::support::{agent, makes_out, only_item, plan};

/// A network between a machine and the database, which can be cut.
struct Network {
    address: SocketAddr,
    cut: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Network {
    fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let network = Self {
            address,
            cut: Arc::default(),
            streams: Arc::default(),
        };
        let (cut, streams) = (Arc::clone(&network.cut), Arc::clone(&network.streams));
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if cut.load(Ordering::Acquire) {
                    continue;
                }
                let Ok(far) = TcpStream::connect(server) else {
                    continue;
                };
                let both = [&near, &far].map(|stream| stream.try_clone().expect("a socket"));
                streams.lock().expect("nobody panics").extend(both);
                let [back_near, back_far] =
                    [&near, &far].map(|stream| stream.try_clone().expect("a socket"));
                std::thread::spawn(move || pass_on(near, far));
                std::thread::spawn(move || pass_on(back_far, back_near));
            }
        });
        network
    }

    fn cut(&self) {
        self.cut.store(true, Ordering::Release);
        for stream in self.streams.lock().expect("nobody panics").drain(..) {
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream) -> io::Result<()> {
    let mut bytes = [0; 16 * 1024];
    loop {
        let count = from.read(&mut bytes)?;
        if count == 0 {
            return to.shutdown(Shutdown::Write);
        }
        to.write_all(bytes.get(..count).unwrap_or_default())?;
    }
}

#[test]
fn a_worker_that_is_cut_off_ends_its_agent_and_another_one_does_the_work() {
    let Some(fleet) = Fleet::waiting() else {
        return;
    };
    let network = Network::to(fleet.database_address());
    let url = fleet.url_through(network.address);
    let _orchestrator = fleet.orchestrator();
    let mut cut_off = fleet.process(&[
        "worker", "--lease", "2", "--roles", "coder", "--engine", &url,
    ]);
    let run = fleet.hand_over();
    fleet.wait_for_file("begun");
    network.cut();
    assert!(cut_off.wait_until(|| false) || !cut_off.is_running());
    cut_off
        .wait()
        .assert_code(6)
        .assert_stderr_contains("lost its lease");
    assert!(fleet.agents().is_empty(), "{:?}", fleet.agents());
    let _other = fleet.worker("coder");
    fleet.let_go();
    fleet.wait_for(&run, "completed");
    let claims = "SELECT claim FROM signoff.orders WHERE id LIKE '%/work/%'";
    assert_eq!(fleet.postgres.sql(claims), "2");
}

#[test]
fn a_machine_of_another_version_leaves_and_says_why() {
    let gated = format!("{}**approval:** required\n", agent("Make it.", "out"));
    let Some(fleet) = Fleet::new(&makes_out(), &plan(&[&gated])) else {
        return;
    };
    let worker = fleet.worker("coder");
    fleet
        .postgres
        .sql("UPDATE signoff.version SET version = version + 1");
    worker
        .wait()
        .assert_code(6)
        .assert_stderr_contains("of another version");
    fleet
        .project
        .signoff(["worker", "--roles", "coder"])
        .assert_code(6)
        .assert_stderr_contains("of another version");
    fleet
        .postgres
        .sql("UPDATE signoff.version SET version = version - 1");
    // The same answer twice is one; another one comes too late.
    let _all = fleet.everything();
    let run = fleet.hand_over();
    fleet.wait_for(&run, "waiting");
    let item = only_item(&fleet.project);
    let id = item["id"].as_str().unwrap_or_default();
    fleet
        .project
        .signoff(["answer", id, "approve"])
        .assert_success();
    fleet.postgres.sql(
        "INSERT INTO signoff.requests (run, name, body, proof) SELECT run, name || 'x', body, proof FROM signoff.requests",
    );
    fleet
        .project
        .signoff(["answer", id, "reject"])
        .assert_code(5);
    fleet.wait_for(&run, "completed");
    assert_eq!(fleet.events(&run, "inbox_answered"), 1);
}
