//! Four agents at once, against a service that replaces each refresh token when it is used.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

const AGENTS: [&str; 4] = ["a", "b", "c", "d"];
const RENEWALS: u32 = 5;

/// Renews its login some times. Where it is told that its token is void, it reads its file again.
const AGENT: &str = r#"
file=$1 port=$2 left=$3
renew() {
    token=$(sed -n 's/.*"refresh":"\([^"]*\)".*/\1/p' "$file")
    exec 3<>"/dev/tcp/127.0.0.1/$port" || exit 9
    echo "$token" >&3
    read -r answer <&3
    exec 3>&-
    [ "$answer" != invalid ] || return 1
    printf %s "$answer" > "$file.new" && mv "$file.new" "$file"
}
while [ "$left" -gt 0 ]; do
    if renew; then left=$((left - 1)); else sleep 0.02; fi
done
"#;

/// Answers a token with the next login, if it is the newest one; `stop` ends it.
fn serve(listener: TcpListener, newest: &AtomicU32) {
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut token = String::new();
        BufReader::new(&stream).read_line(&mut token).unwrap();
        if token.trim() == "stop" {
            return;
        }
        let number = newest.load(Ordering::SeqCst);
        let answer = if token.trim() == format!("token-{number}") {
            newest.store(number + 1, Ordering::SeqCst);
            login(number + 1)
        } else {
            "invalid".to_owned()
        };
        writeln!(stream, "{answer}").unwrap();
    }
}

fn start_agent(world: &World, agent: &str, port: u16) -> Child {
    let mut bash = Command::new("bash");
    bash.args(["-c", AGENT, "agent"]).arg(world.copy(agent));
    bash.args([port.to_string(), RENEWALS.to_string()]);
    bash.spawn().unwrap()
}

#[test]
fn four_agents_renew_one_login_and_the_newest_stays() {
    // Two of them belong to another process, which shares nothing but the files and the locks.
    let mut world = World::new();
    world.keeper = LoginKeeper::new(Some(world.locks()));
    let other = LoginKeeper::new(Some(world.locks()));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let newest = AtomicU32::new(1);
    std::thread::scope(|scope| {
        scope.spawn(|| serve(listener, &newest));
        let keepers = [&world.keeper, &world.keeper, &other, &other];
        let agents = AGENTS.into_iter().zip(keepers).map(|(agent, keeper)| {
            let kept = keeper.keep(&world.hand_over(agent, Shape::AnyObject));
            (kept, start_agent(&world, agent, port))
        });
        let agents: Vec<(KeptLogins, Child)> = agents.collect();
        for (kept, mut agent) in agents {
            assert!(agent.wait().unwrap().success());
            drop(kept);
        }
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        writeln!(stream, "stop").unwrap();
    });
    let number = newest.into_inner();
    assert_eq!(number, 1 + RENEWALS * 4);
    assert_eq!(world.persons_login(), login(number));
    assert_eq!(world.keeper.notes(), Vec::<String>::new());
    assert_eq!(other.notes(), Vec::<String>::new());
}
