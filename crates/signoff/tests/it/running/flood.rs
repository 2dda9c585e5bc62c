//! An agent that does not stop printing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use signoff_testkit::Project;

use crate::support::{BINARY, soak};

/// A line of a stream that says something each time.
const LINE: &str = r#"{"type":"assistant","message":{"id":"m","model":"x","content":[{"type":"text","text":"I am still at it, and this line is as long as such lines are."}]}}"#;

/// 2 MB, and 1 GB in the long form.
#[test]
fn output_without_end_fills_neither_memory_nor_disk() {
    let megabytes = if soak() { 1024 } else { 2 };
    let place = tempfile::tempdir().expect("a temporary folder");
    let program = place.path().join("claude");
    let script = format!(
        "#!/bin/sh\nyes '{LINE}' | head -c {megabytes}M\necho\necho made > made.txt\necho '{}'\n",
        r#"{"type":"result","subtype":"success","is_error":false,"result":"done"}"#
    );
    fs::write(&program, script).expect("the folder is ours");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let path = format!("{}:/usr/bin:/bin", place.path().display());
    let project = Project::new(BINARY).confined().env("PATH", path);
    project
        .write(".signoff/config.toml", "[agents.default]\ndriver = 'claude'\n")
        .write(
            "plan.md",
            "---\ntype: plan\nstatus: draft\nowner: o\n---\n\n# Test\n\n## Steps\n\n### 1. A\n\n\
             **target:** default\n**task:** make made.txt\n**contract:**\n```bash\ngrep -qx made made.txt\n```\n",
        );
    project.signoff(["trust"]).assert_success();
    let mut running = project.spawn(["run", "plan.md", "--approve"]);
    let status = format!("/proc/{}/status", running.id());
    let mut peak = 0;
    running.wait_until(|| {
        peak = peak.max(peak_memory(&status));
        false
    });
    running.wait().assert_success();
    assert!((1..200_000).contains(&peak), "{peak} kB");
    let stored = size(&project.path().join(".signoff"));
    assert!(stored <= 80 << 20, "{stored} bytes");
}

/// In kB.
fn peak_memory(status: &str) -> u64 {
    let text = fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else {
        return fs::symlink_metadata(path).map_or(0, |found| found.len());
    };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}
