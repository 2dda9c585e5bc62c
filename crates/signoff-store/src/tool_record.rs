//! What tool servers offered when they were last asked: `.signoff/tools.json`.
//!
//! It is committed like the configuration: whoever clones the repository can check plans and use
//! signatures without starting a server. What it says of a server counts only while the server's command
//! is the same, and a call is made only if the server still says it.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use signoff_api::tool_record::{RecordedServer, RecordedTool, SCHEMA, ToolRecord};

use crate::config::Config;
use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::root::Store;

/// Largest file that is read.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Where the record of a workspace is.
fn path(workspace: &Path) -> PathBuf {
    workspace.join(".signoff").join("tools.json")
}

/// What is recorded of the servers that are configured now. What cannot be read is not recorded.
pub fn load(workspace: &Path, config: &Config) -> ToolRecord {
    let mut record = ToolRecord {
        schema: SCHEMA.to_owned(),
        servers: std::collections::BTreeMap::new(),
    };
    if config.servers.is_empty() {
        return record;
    }
    if let Some(found) = read(&path(workspace)) {
        let current = |name: &str, server: &RecordedServer| {
            let configured = config.servers.get(name);
            configured.is_some_and(|configured| {
                configured.value.command == server.command && configured.value.url == server.url
            })
        };
        record.servers = found.servers;
        record.servers.retain(|name, server| current(name, server));
    }
    record
}

fn read(path: &Path) -> Option<ToolRecord> {
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    let record: ToolRecord = serde_json::from_slice(&bytes).ok()?;
    (record.schema == SCHEMA).then_some(record)
}

/// Keeps a record. The file stays untouched where it says the same.
pub fn save(store: &Store, record: &ToolRecord) -> Result<(), FileError> {
    store.create_missing()?;
    let path = path(store.workspace());
    if read(&path).as_ref() == Some(record) {
        return Ok(());
    }
    let failed = |error: serde_json::Error| FileError::at("write", &path)(error.into());
    let mut text = serde_json::to_vec_pretty(record).map_err(failed)?;
    text.push(b'\n');
    atomic::overwrite(&path, &text, FileMode::Shared)
}

/// The tool of a server that a name leads to.
pub fn find<'r>(record: &'r ToolRecord, name: &str) -> Option<&'r RecordedTool> {
    let (server, tool) = name.split_once('.')?;
    let tools = &record.servers.get(server)?.tools;
    tools.iter().find(|known| known.name == tool)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::config::{ServerSettings, Setting};

    fn configured(command: &str) -> Config {
        let mut config = Config::default();
        let server = ServerSettings {
            command: vec![command.to_owned()],
            ..ServerSettings::default()
        };
        let server = Setting::built_in(server);
        config.servers.insert("toy".to_owned(), server);
        config
    }

    fn record() -> ToolRecord {
        let tool = RecordedTool {
            name: "get.it".to_owned(),
            description: "gets it".to_owned(),
            read_only: true,
            input_schema: json!({"type": "object"}),
            output_schema: None,
        };
        let server = RecordedServer {
            command: vec!["a".to_owned()],
            url: None,
            tools: vec![tool],
        };
        ToolRecord {
            schema: SCHEMA.to_owned(),
            servers: [("toy".to_owned(), server)].into(),
        }
    }

    #[test]
    fn what_was_saved_counts_for_the_same_command() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let root = store.workspace();
        assert_eq!(load(root, &configured("a")).servers.len(), 0);
        save(&store, &record()).unwrap();
        assert_eq!(load(root, &configured("a")), record());
        assert_eq!(load(root, &configured("b")).servers.len(), 0);
        assert_eq!(load(root, &Config::default()).servers.len(), 0);
        let found = record();
        assert!(find(&found, "toy.get.it").is_some());
        for name in ["toy", "toy.get", "get.it", "other.get.it"] {
            assert_eq!(find(&found, name), None, "{name}");
        }
    }

    #[test]
    fn a_damaged_or_foreign_record_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        save(&store, &record()).unwrap();
        let file = path(store.workspace());
        let good = fs::read_to_string(&file).unwrap();
        for bad in [
            "<<<<<<< HEAD".to_owned(),
            good[..good.len() / 2].to_owned(),
            good.replace("tool_record/1", "tool_record/2"),
        ] {
            fs::write(&file, &bad).unwrap();
            let found = load(store.workspace(), &configured("a"));
            assert_eq!(found.servers.len(), 0, "{bad}");
        }
    }
}
