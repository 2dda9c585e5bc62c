use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::config::{DriverName, ServerSettings};
use crate::root::Store;

fn executable(path: &Path) {
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn patterns_match_files_that_are_there() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["tests/deep/a.py", "b.md", ".git/x.py"] {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let workspace = DiskWorkspace::new(dir.path(), OsStr::new(""), &Config::default());
    for pattern in [
        "tests/**",
        "tests/",
        "./b.md",
        "**/*.py",
        "*.md",
        "tests/deep/?.py",
    ] {
        assert!(workspace.pattern_matches(pattern), "{pattern}");
    }
    for pattern in ["test/**", "*.py", ".git/*", "tests/*.py", "b.md/x"] {
        assert!(!workspace.pattern_matches(pattern), "{pattern}");
    }
}

#[test]
fn paths_do_not_leave_the_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("work");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/a.rs"), "").unwrap();
    fs::write(dir.path().join("outside"), "").unwrap();
    symlink(dir.path().join("outside"), root.join("out")).unwrap();
    symlink("src/a.rs", root.join("in")).unwrap();
    let workspace = DiskWorkspace::new(&root, OsStr::new(""), &Config::default());
    for path in ["src", "src/a.rs", "./src/../src/a.rs", "in"] {
        assert!(workspace.path_exists(path), "{path}");
    }
    for path in [
        "",
        "no",
        "../outside",
        "out",
        "/etc/passwd",
        "src/../../outside",
    ] {
        assert!(!workspace.path_exists(path), "{path}");
    }
    assert!(workspace.leads_outside("out"));
    assert!(!workspace.leads_outside("in") && !workspace.leads_outside("no"));
}

#[test]
fn trees_need_git_and_mounts_and_no_repository() {
    let dir = tempfile::tempdir().unwrap();
    let bin = tempfile::tempdir().unwrap();
    let workspace = || DiskWorkspace::new(dir.path(), bin.path().as_os_str(), &Config::default());
    assert!(!workspace().has_trees());
    let git = bin.path().join("git");
    fs::write(&git, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(workspace().has_trees());
    assert!(!workspace().with_mounts(|| false).has_trees());
}

#[test]
fn lines_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = DiskWorkspace::new(dir.path(), OsStr::new(""), &Config::default());
    for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2)] {
        fs::write(dir.path().join("a"), text).unwrap();
        assert_eq!(workspace.line_count("a"), Some(count), "{text:?}");
    }
    assert_eq!(workspace.line_count("no"), None);
}

#[test]
fn topics_are_notes_of_the_store() {
    let dir = tempfile::tempdir().unwrap();
    let topics = dir.path().join(".signoff/topics");
    fs::create_dir_all(&topics).unwrap();
    fs::write(topics.join("style.md"), "").unwrap();
    fs::write(dir.path().join("README.md"), "").unwrap();
    let workspace = DiskWorkspace::new(dir.path(), OsStr::new(""), &Config::default());
    assert!(workspace.topic_exists("style"));
    for name in ["", "other", "../../README", "/etc"] {
        assert!(!workspace.topic_exists(name), "{name}");
    }
}

#[test]
fn commands_are_found_outside_the_workspace_and_asked_once() {
    let dir = tempfile::tempdir().unwrap();
    let (root, bin) = (dir.path().join("work"), dir.path().join("bin"));
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::create_dir(&bin).unwrap();
    executable(&bin.join("good"));
    executable(&root.join("bin/planted"));
    fs::write(bin.join("text"), "").unwrap();
    let path = std::env::join_paths([root.join("bin"), PathBuf::from(""), bin.clone()]);
    let workspace = DiskWorkspace::new(&root, &path.unwrap(), &Config::default());
    assert!(workspace.command_exists("good"));
    assert!(workspace.command_exists("bin/planted"));
    for name in ["planted", "text", "absent", "", "../bin"] {
        assert!(!workspace.command_exists(name), "{name}");
    }
    let inside = |name| workspace.command_inside(name);
    assert_eq!(inside("planted").as_deref(), Some("bin/planted"));
    assert_eq!((inside("good"), inside("absent")), (None, None));
    fs::remove_file(bin.join("good")).unwrap();
    assert!(workspace.command_exists("good"), "the answer is remembered");
}

#[test]
fn a_command_that_path_finds_first_inside_the_workspace_is_another_one() {
    let dir = tempfile::tempdir().unwrap();
    let (root, bin) = (dir.path().join("work"), dir.path().join("bin"));
    fs::create_dir_all(root.join(".venv/bin")).unwrap();
    fs::create_dir(&bin).unwrap();
    for name in ["python", "only-outside"] {
        executable(&bin.join(name));
    }
    for name in ["python", "only-inside"] {
        executable(&root.join(".venv/bin").join(name));
    }
    let shadowed = |entries: [PathBuf; 2], name: &str| {
        let path = std::env::join_paths(entries).unwrap();
        let workspace = DiskWorkspace::new(&root, &path, &Config::default());
        let found = workspace.command_shadowed(name)?;
        Some((found.inside, found.outside))
    };
    let activated = || [root.join(".venv/bin"), bin.clone()];
    let outside = bin.canonicalize().unwrap().join("python");
    assert_eq!(
        shadowed(activated(), "python"),
        Some((".venv/bin/python".to_owned(), outside.display().to_string()))
    );
    for name in [
        "only-outside",
        "only-inside",
        "absent",
        "",
        ".venv/bin/python",
    ] {
        assert_eq!(shadowed(activated(), name), None, "{name}");
    }
    let later = [bin.clone(), root.join(".venv/bin")];
    assert_eq!(
        shadowed(later, "python"),
        None,
        "PATH finds the same one first"
    );
}

#[test]
fn tools_are_known_once_their_server_was_asked() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    for name in ["asked", "new"] {
        let server = Setting::built_in(ServerSettings::default());
        config.servers.insert(name.to_owned(), server);
    }
    let text = r#"{"schema": "signoff.tool_record/1", "servers": {
        "asked": {"command": [], "tools": [
            {"name": "get", "description": "", "read_only": true, "input_schema": {"type": "object"}, "output_schema": {"type": "array"}}
        ]},
        "gone": {"command": [], "tools": []}
    }}"#;
    let store = Store::create(dir.path()).unwrap();
    fs::write(store.dir().join("tools.json"), text).unwrap();
    let workspace = DiskWorkspace::new(dir.path(), OsStr::new(""), &config);
    for name in ["asked", "asked.get", "new"] {
        assert!(workspace.tool_known(name), "{name}");
    }
    for name in [
        "asked.put",
        "new.anything",
        "gone",
        "gone.x",
        "get",
        "",
        ".get",
    ] {
        assert!(!workspace.tool_known(name), "{name}");
    }
    let schema = serde_json::json!({"type": "object"});
    assert_eq!(workspace.tool_schema("asked.get"), Some(schema));
    assert_eq!(workspace.tool_schema("new.get"), None);
    let schema = serde_json::json!({"type": "array"});
    assert_eq!(workspace.tool_output_schema("asked.get"), Some(schema));
    assert_eq!(workspace.tools(), ["asked", "new", "asked.get"]);
}

#[test]
fn a_default_agent_stands_in_for_all() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    let agent = Setting::built_in(AgentSettings {
        command: vec!["x".to_owned()],
        ..AgentSettings::of_driver(DriverName::Command)
    });
    config.agents.insert("coder".to_owned(), agent.clone());
    let workspace = DiskWorkspace::new(dir.path(), OsStr::new(""), &config);
    assert!(workspace.agent_exists("coder") && !workspace.agent_exists("tester"));
    assert!(workspace.agent_exists("claude-code"));
    config.agents.insert("default".to_owned(), agent);
    let workspace = DiskWorkspace::new(dir.path(), OsStr::new(""), &config);
    assert!(workspace.agent_exists("tester"));
    assert_eq!(workspace.agents(), ["coder", "default"]);
}
