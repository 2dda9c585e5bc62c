//! `connect` with the files that people have: nothing of theirs is ever lost.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use signoff_testkit::Project;

use crate::support::BINARY;

const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "pi"];

/// Files that people have, by where they are in a home or a project.
const CONFIGURATIONS: [(&str, &str, &str); 24] = [
    // Claude Code.
    ("claude", ".claude/settings.json", ""),
    ("claude", ".claude/settings.json", "{}"),
    ("claude", ".claude/settings.json", "{ }\n"),
    ("claude", ".claude/settings.json", "{\"model\":\"opus\"}"),
    (
        "claude",
        ".claude/settings.json",
        "{\r\n    \"model\": \"opus\",\r\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\r\n}\r\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "\u{feff}{\n\t\"model\": \"opus\"\n}",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ],\n    \"Stop\": []\n  }\n}\n",
    ),
    ("claude", ".claude/settings.json", "{\n  \"hooks\": {}\n}\n"),
    (
        "claude",
        ".claude/settings.json",
        "{\n  \"hooks\": {\"SessionStart\": [{\"hooks\": []}]}, \"env\": {\"KEY\": \"secret\"}\n}",
    ),
    (
        "claude",
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"github\": {\n      \"command\": \"gh-mcp\"\n    }\n  }\n}\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "\n\n{\n  \"ümlaut\": \"ä \\u00e4 \u{1f600}\"\n}\n\n\n",
    ),
    // Codex.
    ("codex", ".codex/config.toml", ""),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"gpt\"  # best\n",
    ),
    ("codex", ".codex/config.toml", "model = 'gpt'"),
    (
        "codex",
        ".codex/config.toml",
        "[mcp_servers.github]\r\ncommand = \"gh\"\r\n\r\n[mcp_servers.github.env]\r\nA = \"b\"\r\n",
    ),
    (
        "codex",
        ".codex/config.toml",
        "[profiles.x]\nnote = '''\n[mcp_servers.signoff]\n'''\n\n\n",
    ),
    (
        "codex",
        ".codex/hooks.json",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}\n",
    ),
    // Gemini CLI.
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  // my theme\n  \"ui\": {\"theme\": \"dark\"}, /* and\n  more */\n}\n",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  \"hooks\": {\n    \"BeforeTool\": [], // none yet\n  },\n}\n",
    ),
    ("gemini", ".gemini/settings.json", "// only a comment\n"),
    // opencode.
    (
        "opencode",
        "opencode.json",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {}\n}\n",
    ),
    (
        "opencode",
        "opencode.jsonc",
        "{\n  // servers\n  \"mcp\": {\n    \"x\": {\"type\": \"local\", \"command\": [\"x\"]}, // mine\n  },\n}\n",
    ),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\n   \"theme\": \"x\" }",
    ),
    (
        "opencode",
        ".config/opencode/opencode.jsonc",
        "{ \"theme\": \"x\", /* last */ }\n",
    ),
];

fn project() -> Project {
    let project = Project::new(BINARY);
    project.write(".signoff/.keep", "");
    project
}

/// All files and links below these directories, but for our own.
fn files(project: &Project) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut directories = vec![project.home(), project.path()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("it is there").flatten() {
            let path = entry.path();
            if path.ends_with(".signoff") || path.ends_with(".local") {
                continue;
            }
            if path.is_dir() && !path.is_symlink() {
                found.insert(path.clone(), Vec::new());
                directories.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path).expect("it can be read"));
            }
        }
    }
    found
}

fn put(root: &Path, name: &str, text: &str) -> PathBuf {
    let path = root.join(name);
    fs::create_dir_all(path.parent().expect("it has one")).expect("the folder is ours");
    fs::write(&path, text).expect("the folder is ours");
    path
}

#[test]
fn every_configuration_of_a_person_comes_back_byte_for_byte() {
    for (agent, name, text) in CONFIGURATIONS {
        check(agent, "--user", name, text);
    }
}

#[test]
fn every_configuration_of_a_project_comes_back_byte_for_byte() {
    for (agent, name, text) in CONFIGURATIONS {
        check(agent, "--project", name, text);
    }
}

/// Connects, connects again, and undoes it.
#[track_caller]
fn check(agent: &str, scope: &str, name: &str, text: &str) {
    let project = project();
    let root = if scope == "--user" {
        project.home()
    } else {
        project.path()
    };
    let path = put(&root, name, text);
    let before = files(&project);
    let connect = |more: &[&str]| {
        let words = [&["connect", agent, scope], more].concat();
        project.signoff(words).assert_success();
        files(&project)
    };
    let about = format!("{agent} {name} {text:?}");
    assert_eq!(connect(&["--dry-run"]), before, "{about}: --dry-run");
    let connected = connect(&[]);
    assert_ne!(connected, before, "{about}");
    assert_text_stays(text, &fs::read_to_string(&path).expect("it is there"));
    assert_eq!(connect(&[]), connected, "{about}: again");
    assert_eq!(connect(&["--undo"]), before, "{about}: undone");
}

/// Every character of the old text is in the new one, in its order; only space in empty brackets may go.
#[track_caller]
fn assert_text_stays(old: &str, new: &str) {
    let mut rest = new.chars();
    for c in old.chars().filter(|c| !c.is_whitespace()) {
        assert!(
            rest.any(|other| other == c),
            "{c:?} of {old:?} is gone from {new:?}"
        );
    }
}

#[test]
fn a_home_without_anything_is_empty_again() {
    for agent in AGENTS {
        for scope in ["--user", "--project"] {
            let project = project();
            let before = files(&project);
            project.signoff(["connect", agent, scope]).assert_success();
            assert_ne!(files(&project), before, "{agent}");
            project
                .signoff(["connect", agent, scope, "--undo"])
                .assert_success();
            assert_eq!(files(&project), before, "{agent} {scope}");
            let nothing = project.signoff(["connect", agent, scope, "--undo"]);
            nothing
                .assert_success()
                .assert_stderr_contains("was not connected");
        }
    }
}

/// What was written since stays, and only our entries go.
#[test]
fn a_file_that_was_changed_since_loses_only_our_entries() {
    let project = project();
    let path = put(
        &project.home(),
        ".claude/settings.json",
        "{\n  \"model\": \"opus\"\n}\n",
    );
    project.signoff(["connect", "claude"]).assert_success();
    let edited = fs::read_to_string(&path).expect("it is there");
    let edited = edited.replace("\"opus\"", "\"sonnet\"");
    fs::write(&path, edited).expect("it is ours");
    let undone = project.signoff(["connect", "claude", "--undo"]);
    undone.assert_success().assert_stdout_contains("changed ");
    assert_eq!(
        fs::read_to_string(&path).expect("it is there"),
        "{\n  \"model\": \"sonnet\"\n}\n"
    );
}

/// An update of the program is one line in the settings, and undoing it still leads back to the beginning.
#[test]
fn another_program_is_brought_up_to_date() {
    let project = project();
    let text = "{\n  \"model\": \"opus\"\n}\n";
    let path = put(&project.home(), ".claude/settings.json", text);
    project.signoff(["connect", "claude"]).assert_success();
    let older = fs::read_to_string(&path)
        .expect("it is there")
        .replace(BINARY, "/old/signoff");
    fs::write(&path, &older).expect("it is ours");
    project.signoff(["connect", "claude"]).assert_success();
    let newer = fs::read_to_string(&path).expect("it is there");
    assert_eq!(newer, older.replace("/old/signoff", BINARY));
    assert_eq!(newer.matches("PreToolUse").count(), 1, "{newer}");
    project
        .signoff(["connect", "claude", "--undo"])
        .assert_success();
    assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
}

/// People keep such files elsewhere and link to them.
#[test]
fn a_link_stays_a_link_and_its_target_is_edited() {
    let project = project();
    let text = "{\n  \"model\": \"opus\"\n}\n";
    let target = put(&project.home(), "dotfiles/claude.json", text);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::create_dir(project.home().join(".claude")).expect("the folder is ours");
    let link = project.home().join(".claude/settings.json");
    symlink("../dotfiles/claude.json", &link).expect("a link");
    let connected = project.signoff(["connect", "claude"]);
    connected
        .assert_success()
        .assert_stdout_contains("dotfiles/claude.json");
    assert!(link.is_symlink());
    assert!(
        fs::read_to_string(&target)
            .expect("it is there")
            .contains("signoff-guard")
    );
    let mode = fs::metadata(&target)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    project
        .signoff(["connect", "claude", "--undo"])
        .assert_success();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&target).expect("it is there"), text);
}

/// Nothing is written, not even the files that could be.
#[test]
fn what_cannot_be_edited_refuses_the_whole_with_the_text_to_paste() {
    let check = |agent: &str, name: &str, text: &[u8], says: &[&str]| {
        let project = project();
        let path = put(&project.home(), name, "");
        fs::write(&path, text).expect("it is ours");
        if says.contains(&"it is read-only") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("it is ours");
        }
        let before = files(&project);
        let refused = project.signoff(["connect", agent]);
        refused.assert_code(5);
        for words in says {
            refused.assert_stderr_contains(words);
        }
        assert_eq!(files(&project), before, "{name}");
    };
    let settings = ".claude/settings.json";
    check(
        "claude",
        settings,
        b"{\n  \"a\": 1,\n  oops\n}\n",
        &["line 3: a name in double quotes", "\"PreToolUse\": ["],
    );
    check(
        "claude",
        settings,
        b"{\"hooks\": []}",
        &["`hooks` has another form", "\"PreToolUse\": ["],
    );
    check(
        "claude",
        settings,
        b"{}",
        &["it is read-only", "\"PreToolUse\": ["],
    );
    check(
        "claude",
        settings,
        b"{\"a\": \"\xff\"}",
        &["it is not UTF-8"],
    );
    check(
        "claude",
        ".claude/skills/signoff/.mcp.json",
        b"{}",
        &["`connect` did not write it"],
    );
    check(
        "codex",
        ".codex/config.toml",
        b"a = = 1\n",
        &["line 1:", "[mcp_servers.signoff]"],
    );
    check(
        "codex",
        ".codex/config.toml",
        b"mcp_servers = {}\n",
        &["cannot be edited safely", "[mcp_servers.signoff]"],
    );
    let project = project();
    fs::create_dir(project.home().join(".claude")).expect("the folder is ours");
    symlink("/nowhere", project.home().join(settings)).expect("a link");
    let refused = project.signoff(["connect", "claude"]);
    refused
        .assert_code(5)
        .assert_stderr_contains("a link to a file that does not exist");
}

#[test]
fn an_agent_cannot_disconnect_itself() {
    let project = project().env("CLAUDECODE", "1");
    project
        .signoff(["connect", "claude", "--undo"])
        .assert_code(4);
    project
        .signoff(["connect", "claude", "--undo", "--dry-run"])
        .assert_success();
}

/// Files of ours that a person changed stay, and are named.
#[test]
fn a_script_that_was_changed_is_left() {
    let project = project();
    project.signoff(["connect", "pi"]).assert_success();
    let path = project.home().join(".pi/agent/extensions/signoff.ts");
    let text = fs::read_to_string(&path).expect("it is there");
    assert!(
        text.contains(&format!("PROGRAM: string = \"{BINARY}\"")),
        "{text}"
    );
    fs::write(&path, text + "// mine\n").expect("it is ours");
    project.signoff(["connect", "pi"]).assert_code(5);
    let undone = project.signoff(["connect", "pi", "--undo"]);
    undone
        .assert_success()
        .assert_stdout_contains("left as it is");
    assert!(path.exists());
}

/// Codex says nothing about hooks that it skips.
#[test]
fn whoever_connects_codex_is_told_to_trust_its_hooks() {
    let connected = project().signoff(["connect", "codex"]);
    connected
        .assert_success()
        .assert_stderr_contains("start `codex`, type `/hooks`, and trust those of Signoff");
}

#[test]
fn a_dry_run_shows_what_new_files_would_say() {
    let project = Project::new(BINARY);
    project.write(".signoff/.keep", "");
    project
        .signoff(["connect", "pi", "--project", "--dry-run"])
        .assert_success()
        .assert_stdout_contains("+export default function (pi: ExtensionAPI)")
        .assert_stdout_contains("+name: signoff")
        .assert_stderr_contains("nothing was written");
    assert!(!project.exists(".pi"));
    let made = project.signoff(["connect", "pi", "--project"]);
    made.assert_success();
    assert!(!made.stdout.contains("+export"), "{made}");
}
