//! Tools of servers.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use signoff_work::mcp::{Definition, Server};
use signoff_work::tools::{CallEnd, StopFlag};

use crate::tools::bench::{Bench, call};
use crate::tools::stdio_server::{SCRIPT, life, running, server};

fn bench() -> Bench {
    with(server("toy.sh"))
}

fn with(server: Server) -> Bench {
    Bench::with_servers(&[("toy.sh", SCRIPT)], vec![server])
}

fn echo(text: &str) -> Value {
    json!({ "text": text })
}

#[test]
fn a_server_is_started_once_and_ends_with_the_run() {
    let bench = bench();
    assert_eq!(life(&bench.root()), "");
    assert_eq!(bench.done("toy.echo", echo("hi")), "echo: hi given");
    assert_eq!(bench.done("toy.echo", echo("again")), "echo: again given");
    assert_eq!(bench.done("toy.ask", json!({})), "fine");
    let Bench { tools, dir } = bench;
    drop(tools);
    assert_eq!(life(&dir.path().join("work")), "started ended");
}

#[test]
fn what_it_offers_is_listed_page_by_page() {
    let bench = bench();
    let listed = bench
        .tools
        .tools_of("toy", Duration::from_mins(1), &StopFlag::new());
    let listed = listed.unwrap();
    let names: Vec<_> = listed.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        names,
        ["echo", "sleep", "die", "fail", "ask", "flood", "hang"]
    );
    assert_eq!(listed[0].description, "says it again");
    assert!(listed[0].read_only && !listed[1].read_only);
    let unknown = bench
        .tools
        .tools_of("no", Duration::from_secs(1), &StopFlag::new());
    assert_eq!(unknown, Err("there is no server `no`".to_owned()));
}

#[test]
fn calls_are_checked_against_what_it_says() {
    let bench = bench();
    assert_eq!(
        bench.tools.check("toy.echo", &json!({})),
        [""; 0],
        "not known yet"
    );
    assert_eq!(bench.fails("toy.echo", json!({})), "`text` is missing");
    assert_eq!(
        bench.tools.check("toy.echo", &json!({})),
        ["`text` is missing"]
    );
    assert_eq!(
        bench.fails("toy.nothing", json!({})),
        "server `toy` has no tool `nothing`; `signoff tools` lists them"
    );
    assert_eq!(bench.fails("toy.fail", json!({})), "no such city");
}

#[test]
fn a_lost_server_is_started_again() {
    let bench = bench();
    let lost = bench.fails_for_now("toy.die", json!({}));
    assert_eq!(
        lost,
        "the connection to server `toy` was lost: warming up\nout of memory"
    );
    assert_eq!(bench.done("toy.echo", echo("back")), "echo: back given");
    assert_eq!(
        bench.fails("toy.flood", json!({})),
        "server `toy` sent more than 16 MiB at once"
    );
    assert_eq!(bench.done("toy.echo", echo("back")), "echo: back given");
    assert_eq!(life(&bench.root()).matches("started").count(), 3);
}

#[test]
fn a_call_that_takes_too_long_is_given_up_and_the_server_stays() {
    let mut slow = server("toy.sh");
    slow.timeout = Some(Duration::from_secs(3));
    let bench = with(slow);
    assert_eq!(bench.done("toy.echo", echo("a")), "echo: a given");
    assert_eq!(
        bench.fails_for_now("toy.sleep", json!({})),
        "it took longer than 3s"
    );
    assert_eq!(bench.done("toy.echo", echo("b")), "echo: b given");
    assert_eq!(life(&bench.root()), "started sleeping cancelled");
}

#[test]
fn a_server_that_hangs_in_a_call_is_started_again() {
    let mut hanging = server("toy.sh");
    hanging.timeout = Some(Duration::from_secs(3));
    let bench = with(hanging);
    assert_eq!(
        bench.fails_for_now("toy.hang", json!({})),
        "it took longer than 3s"
    );
    assert_eq!(bench.done("toy.echo", echo("back")), "echo: back given");
    assert_eq!(life(&bench.root()), "started hanging started");
}

#[test]
fn a_stop_ends_a_call_and_others_go_on_beside_it() {
    let bench = bench();
    let stop = StopFlag::new();
    thread::scope(|scope| {
        let sleeping = scope.spawn(|| bench.tools.call(&call("toy.sleep", json!({})), &stop));
        while life(&bench.root()) != "started sleeping" {
            thread::yield_now();
        }
        assert_eq!(bench.done("toy.echo", echo("beside")), "echo: beside given");
        stop.set();
        assert_eq!(sleeping.join().unwrap(), CallEnd::Stopped);
    });
}

#[test]
fn what_does_not_start_says_why() {
    let missing = running(&["no-such-server"]);
    assert_eq!(
        with(missing).fails("toy.echo", echo("a")),
        "server `toy` does not start: program `no-such-server` not found"
    );
    let broken = running(&["bash", "-c", "echo no key >&2; exit 1"]);
    assert_eq!(
        with(broken).fails_for_now("toy.echo", echo("a")),
        "the connection to server `toy` was lost: no key"
    );
    // Reads nothing and says nothing.
    let mut deaf = running(&["sleep", "1000"]);
    deaf.timeout = Some(Duration::from_millis(200));
    let end = with(deaf).fails_for_now("toy.echo", echo("a"));
    assert_eq!(end, "it took longer than 200ms");
}

/// A server of the version that knows no handshake.
#[test]
fn a_server_without_handshake_is_asked_request_by_request() {
    let script = r#"
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  version='"io.modelcontextprotocol/protocolVersion":"2026-07-28"'
  case $line in
    *'"tools/list"'*"$version"*) printf '%s\n' "{\"id\":$id,\"result\":{\"resultType\":\"complete\",\"tools\":[{\"name\":\"now\",\"inputSchema\":{}}]}}" ;;
    *'"tools/call"'*"$version"*) printf '%s\n' "{\"id\":$id,\"result\":{\"resultType\":\"complete\",\"structuredContent\":{\"n\":5}}}" ;;
    *) printf '%s\n' "{\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}" ;;
  esac
done"#;
    let bench = Bench::with_servers(&[("new.sh", script)], vec![server("new.sh")]);
    assert_eq!(bench.done("toy.now", json!({})), json!({"n": 5}));
    let refuses = "while read -r line; do echo '{\"id\":'$((++n))',\"error\":{\"message\":\"no licence\"}}'; done";
    let bench = Bench::with_servers(&[("no.sh", refuses)], vec![server("no.sh")]);
    assert_eq!(
        bench.fails("toy.now", json!({})),
        "server `toy` refused: no licence"
    );
}

#[test]
fn a_record_and_a_person_say_what_needs_a_yes() {
    let recorded = |name: &str, read_only| Definition {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({}),
        read_only,
        output_schema: None,
    };
    let mut known = server("toy.sh");
    known.recorded = Some(vec![recorded("die", true), recorded("sleep", false)]);
    known.read_only = vec!["ask".to_owned()];
    known.repeatable = vec!["fl*".to_owned()];
    let bench = with(known);
    for (tool, asks, repeats) in [
        ("toy.die", false, true),
        ("toy.sleep", true, false),
        ("toy.ask", false, true),
        ("toy.flood", true, true),
        ("toy.fail", true, false),
    ] {
        let why = bench.tools.needs_approval(tool, &json!({}), false);
        assert_eq!(why.is_some(), asks, "{tool}");
        assert_eq!(
            bench.tools.is_repeatable(tool, &json!({})),
            repeats,
            "{tool}"
        );
        assert_eq!(bench.tools.changes_tree(tool), asks, "{tool}");
    }
    // It was said to change nothing, and says so no longer.
    assert_eq!(
        bench.fails("toy.die", json!({})),
        "`toy.die` is not the tool that was signed for: the server describes it otherwise now; `signoff tools` records it anew"
    );
}
