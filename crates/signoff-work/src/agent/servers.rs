//! Tool servers as agents' configurations have them.

use serde_json::{Map, Value};

use super::driver::LaunchServer;

/// How long an agent is told to wait for a call, in milliseconds: a person may be asked about it, and the harness knows when
/// it takes too long.
pub(super) const WAIT_MS: u64 = 24 * 60 * 60 * 1000;

/// An object with an entry for each server.
pub(super) fn by_name(servers: &[LaunchServer], entry: impl Fn(&LaunchServer) -> Value) -> Value {
    let entries = servers
        .iter()
        .map(|server| (server.name.clone(), entry(server)));
    Value::Object(entries.collect::<Map<String, Value>>())
}
