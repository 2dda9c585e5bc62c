//! A workspace with files, and calls in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use signoff_sandbox::Sandbox;
use signoff_work::mcp::Server;
use signoff_work::tools::{Call, CallEnd, StopFlag, Toolbox};

/// A workspace, beside which is a directory that no tool may reach.
pub(crate) struct Bench {
    // Before the directory, in which a server may be working.
    pub(crate) tools: Toolbox,
    pub(crate) dir: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with_servers(files, Vec::new())
    }

    pub(crate) fn with_servers(files: &[(&str, &str)], servers: Vec<Server>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("work");
        fs::create_dir_all(dir.path().join("outside")).unwrap();
        fs::create_dir_all(&root).unwrap();
        fs::write(dir.path().join("outside/secret"), "secret").unwrap();
        for (path, content) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let sandbox = Arc::new(Sandbox::new().unwrap());
        let path = std::env::var_os("PATH").unwrap();
        let environment = vec![
            (OsString::from("PATH"), path),
            (OsString::from("GIVEN"), OsString::from("yes")),
        ];
        let tools = Toolbox::new(root, servers, sandbox, environment);
        Self { tools, dir }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    pub(crate) fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    pub(crate) fn end(&self, tool: &str, args: Value) -> CallEnd {
        self.tools.call(&call(tool, args), &StopFlag::new())
    }

    /// The result of a call that must succeed.
    #[track_caller]
    pub(crate) fn done(&self, tool: &str, args: Value) -> Value {
        match self.end(tool, args) {
            CallEnd::Done(value) => value,
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Why a call that must fail does, and not by chance.
    #[track_caller]
    pub(crate) fn fails(&self, tool: &str, args: Value) -> String {
        match self.end(tool, args) {
            CallEnd::Failed {
                message, transient, ..
            } => {
                assert!(!transient, "{message}");
                message
            }
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// Why a call failed that may succeed another time.
    #[track_caller]
    pub(crate) fn fails_for_now(&self, tool: &str, args: Value) -> String {
        match self.end(tool, args) {
            CallEnd::Failed {
                message, transient, ..
            } => {
                assert!(transient, "{message}");
                message
            }
            other => panic!("{tool}: {other:?}"),
        }
    }
}

/// A call that somebody agreed to.
pub(crate) fn call(tool: &str, args: Value) -> Call {
    Call {
        tool: tool.to_owned(),
        args,
        timeout: Duration::from_mins(1),
        marker: format!("test-tools-{}", std::process::id()),
        log: None,
        agreed: true,
    }
}

pub(crate) fn at(path: &str) -> Value {
    json!({ "path": path })
}

/// Names of everything below a directory, sorted.
pub(crate) fn tree(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let inner = tree(&entry.path());
            found.extend(inner.into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}
