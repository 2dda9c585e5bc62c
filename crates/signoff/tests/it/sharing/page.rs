//! `docs/many-machines.md`, typed as it stands there, with real processes.

use std::fs;
use std::path::Path;

use signoff_testkit::transcript::{Fence, examples, matches, scan};
use signoff_testkit::{Reply, Script};

use super::fleet::Fleet;

#[test]
fn the_page_does_what_it_says() {
    let script = Script::new()
        .reply(
            Reply::when(["hello.txt"])
                .write("hello.txt", "hello\n")
                .say("done"),
        )
        .reply(
            Reply::when(["goodbye.txt"])
                .write("goodbye.txt", "goodbye\n")
                .say("done"),
        );
    let Some(fleet) = Fleet::unsigned(&script) else {
        return;
    };
    // At run time: a shared target directory may hold a test that another clone compiled.
    let package = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    let page = Path::new(&package).join("../../docs/many-machines.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let document = scan(&page).expect("the page is well formed");
    let mut parts = Vec::new();
    for fence in document.fences.iter().filter(|fence| !fence.literal) {
        if let Some(file) = fence.file() {
            fleet.project.write(file, &fence.text);
            fleet.project.git("add -A");
            fleet.project.git("commit -qm plan");
        } else if fence.info == "toml" {
            // What the page shows with names of its own.
            fleet.configure(&fleet.engine_settings());
        } else if fence.info == "console background" {
            for line in fence.text.lines() {
                let words = line.strip_prefix("$ signoff ").expect("a command of ours");
                let mut words: Vec<&str> = words.split(' ').collect();
                words.extend(["--lease", "2"]);
                parts.push(fleet.process(&words));
            }
        } else if fence.language() == "console" {
            type_all(&fleet, fence);
        }
    }
    assert_eq!(parts.len(), 4);
    assert_eq!(fleet.project.read("hello.txt"), "hello\n");
    assert_eq!(fleet.project.read("goodbye.txt"), "goodbye\n");
}

fn type_all(fleet: &Fleet, fence: &Fence) {
    for example in examples(fence).expect("examples") {
        if example.command.starts_with("cargo ") {
            continue;
        }
        let line = format!("exec 2>&1\n{}", example.command);
        let output = fleet.project.bash(&line, &fleet.project.path());
        let at = format!("line {}: {}\n{output}", example.line, example.command);
        assert_eq!(output.code, Some(example.code), "{at}");
        if let Some(expected) = &example.output {
            assert!(matches(expected, &output.stdout), "{at}");
        }
    }
}
