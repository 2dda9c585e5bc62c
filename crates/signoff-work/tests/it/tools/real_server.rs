//! A server that others wrote, from npm. `cargo xtask test` installs it.

use std::io::{self, BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use signoff_work::mcp::{Server, ServerReach};
use signoff_work::project::helpers::PinnedCommand;
use signoff_work::tools::{CallEnd, StopFlag};

use crate::tools::bench::Bench;

const FILE: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// The server's program; nothing, said loudly, where it is not installed.
fn program() -> Option<String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../mcp-server");
    let file = directory.join(FILE);
    if !file.is_file() {
        let file = file.display();
        eprintln!("!! SKIPPED: {file} is not there; `cargo xtask test` installs it where npm is");
        return None;
    }
    Some(file.to_str().unwrap().to_owned())
}

fn every(reach: ServerReach) -> Server {
    Server {
        name: "every".to_owned(),
        reach,
        read_only: Vec::new(),
        repeatable: Vec::new(),
        timeout: None,
        recorded: None,
    }
}

/// A bench with the server.
fn bench() -> Option<Bench> {
    let file = program()?;
    let server = every(ServerReach::Process {
        command: ["node", &file, "stdio"].map(str::to_owned).to_vec(),
        confined: false,
        pinned: PinnedCommand::default(),
        env: vec![("TOKEN".into(), "given".into())],
    });
    Some(Bench::with_servers(&[], vec![server]))
}

/// The same server, over HTTP. It ends with this.
struct Served {
    process: Child,
    url: String,
}

impl Served {
    fn start() -> Option<Self> {
        let file = program()?;
        // Free a moment ago; who takes it in between makes the test fail, not pass.
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let process = Command::new("node")
            .args([&file, "streamableHttp"])
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut served = Self {
            process,
            url: format!("http://127.0.0.1:{port}/mcp"),
        };
        let said = BufReader::new(served.process.stderr.as_mut().unwrap());
        let listens = |line: io::Result<String>| line.unwrap().contains("listening");
        assert!(said.lines().any(listens), "the server does not listen");
        Some(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn a_real_server_is_understood_over_http() {
    let Some(served) = Served::start() else {
        return;
    };
    let server = every(ServerReach::Http {
        url: served.url.clone(),
        token: None,
    });
    let bench = Bench::with_servers(&[], vec![server]);
    let hi = bench.done("every.echo", json!({"message": "hi"}));
    assert_eq!(hi, "Echo: hi");
    let sum = bench.done("every.get-sum", json!({"a": 2, "b": 3}));
    assert!(sum.as_str().unwrap().contains('5'), "{sum}");
    let weather = bench.done(
        "every.get-structured-content",
        json!({"location": "Chicago"}),
    );
    assert!(weather["temperature"].is_number(), "{weather}");
    let mut long = crate::tools::bench::call(
        "every.trigger-long-running-operation",
        json!({"duration": 600, "steps": 600}),
    );
    long.timeout = Duration::from_millis(500);
    let end = bench.tools.call(&long, &StopFlag::new());
    let cut_off = matches!(&end, CallEnd::Failed { unknown: true, .. });
    assert!(cut_off, "{end:?}");
    let hi = bench.done("every.echo", json!({"message": "again"}));
    assert_eq!(hi, "Echo: again");
}

#[test]
fn a_real_server_is_understood() {
    let Some(bench) = bench() else { return };
    let listed = bench
        .tools
        .tools_of("every", Duration::from_mins(1), &StopFlag::new());
    let listed = listed.unwrap();
    let tool = |name: &str| listed.iter().find(|tool| tool.name == name).unwrap();
    assert!(tool("echo").read_only && !tool("gzip-file-as-resource").read_only);
    assert_eq!(tool("get-sum").input_schema["required"], json!(["a", "b"]));

    let hi = bench.done("every.echo", json!({"message": "hi"}));
    assert_eq!(hi, "Echo: hi");
    let sum = bench.done("every.get-sum", json!({"a": 2, "b": 3}));
    assert!(sum.as_str().unwrap().contains('5'), "{sum}");
    let place = json!({"location": "Chicago"});
    let weather = bench.done("every.get-structured-content", place);
    assert!(weather["temperature"].is_number(), "{weather}");
    let image = bench.done("every.get-tiny-image", json!({}));
    let kinds: Vec<_> = image
        .as_array()
        .unwrap()
        .iter()
        .map(|part| &part["type"])
        .collect();
    assert!(kinds.contains(&&json!("image")), "{kinds:?}");

    let seen = bench.done("every.get-env", json!({}));
    let seen: Value = serde_json::from_str(seen.as_str().unwrap()).unwrap();
    assert_eq!(
        (&seen["TOKEN"], &seen["GIVEN"]),
        (&json!("given"), &json!("yes"))
    );
    assert_eq!(seen.get("HOME"), None, "nothing but what it is given");
}

#[test]
fn a_real_server_survives_what_goes_wrong() {
    let Some(bench) = bench() else { return };
    assert_eq!(
        bench.fails("every.get-sum", json!({"a": "two", "b": 3})),
        "`a` must be a number, not text"
    );
    let refused = bench.fails(
        "every.get-structured-content",
        json!({"location": "Atlantis"}),
    );
    assert!(
        refused.contains("location") || refused.contains("Atlantis"),
        "{refused}"
    );
    let stop = StopFlag::new();
    let mut long = crate::tools::bench::call(
        "every.trigger-long-running-operation",
        json!({"duration": 600, "steps": 600}),
    );
    long.timeout = Duration::from_millis(500);
    let end = bench.tools.call(&long, &stop);
    let message = "it took longer than 500ms".to_owned();
    let transient = true;
    assert_eq!(
        end,
        CallEnd::Failed {
            message,
            transient,
            unknown: true,
        }
    );
    let hi = bench.done("every.echo", json!({"message": "hi"}));
    assert_eq!(hi, "Echo: hi");
}
