//! A server that others wrote, from npm. `cargo xtask test` installs it.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use signoff_work::mcp::Server;
use signoff_work::project::helpers::PinnedCommand;
use signoff_work::tools::StopFlag;

use crate::bench::Bench;

const FILE: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// A bench with the server; nothing, said loudly, where it is not installed.
fn bench() -> Option<Bench> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../mcp-server");
    let file = directory.join(FILE);
    if !file.is_file() {
        let file = file.display();
        eprintln!("!! SKIPPED: {file} is not there; `cargo xtask test` installs it where npm is");
        return None;
    }
    let command = ["node", file.to_str().unwrap(), "stdio"];
    let server = Server {
        confined: false,
        pinned: PinnedCommand::default(),
        name: "every".to_owned(),
        command: command.map(str::to_owned).to_vec(),
        env: vec![("TOKEN".into(), "given".into())],
        read_only: Vec::new(),
        repeatable: Vec::new(),
        timeout: None,
        recorded: None,
    };
    Some(Bench::with_servers(&[], vec![server]))
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
    let mut long = crate::bench::call(
        "every.trigger-long-running-operation",
        json!({"duration": 600, "steps": 600}),
    );
    long.timeout = Duration::from_millis(500);
    let end = bench.tools.call(&long, &stop);
    let message = "it took longer than 500ms".to_owned();
    let transient = true;
    assert_eq!(
        end,
        signoff_work::tools::CallEnd::Failed {
            message,
            transient,
            unknown: true,
        }
    );
    let hi = bench.done("every.echo", json!({"message": "hi"}));
    assert_eq!(hi, "Echo: hi");
}
