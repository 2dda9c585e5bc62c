//! What is asked of a server, and why a request has no result.

use serde_json::{Value, json};

use super::wire::RpcError;
use crate::call::CallError;

/// A request on its way.
#[derive(Debug)]
pub(super) struct Outgoing<'r> {
    pub(super) id: u64,
    pub(super) method: &'r str,
    pub(super) params: &'r Value,
}

impl Outgoing<'_> {
    /// The message on the wire.
    pub(super) fn message(&self) -> Value {
        let Self { id, method, params } = self;
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }

    /// The tool that it calls.
    pub(super) fn tool(&self) -> Option<&str> {
        let name = self.params.get("name").and_then(Value::as_str);
        name.filter(|_| self.method == "tools/call")
    }
}

/// Why a request has no result.
#[derive(Debug)]
pub(super) enum RequestError {
    Refused(RpcError),
    Call(CallError),
}

impl From<CallError> for RequestError {
    fn from(fault: CallError) -> Self {
        Self::Call(fault)
    }
}
