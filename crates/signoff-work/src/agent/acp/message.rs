//! Messages of JSON-RPC 2.0.

use serde_json::{Value, json};

/// The agent asked for something that we do not offer.
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// The agent asked with arguments that make no sense.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// What an agent answers if nobody is logged in.
pub(super) const AUTH_REQUIRED: i64 = -32000;

pub(super) fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

pub(super) fn response(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(super) fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
