//! What a server says of its tools.

use serde_json::Value;

/// A tool of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Without the name of its server.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// The JSON Schema of its results, if the server says what they are.
    pub output_schema: Option<Value>,
    /// The server says that it changes nothing. A hint, and no more than the server is worth.
    pub read_only: bool,
}

impl Definition {
    /// Reads an entry of a `tools/list` result; nothing if it has no name.
    pub(super) fn read(entry: &Value) -> Option<Self> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let annotations = entry.get("annotations");
        let hint = annotations.and_then(|annotations| annotations.get("readOnlyHint"));
        Some(Self {
            name: text("name")?.to_owned(),
            description: text("description")
                .or(text("title"))
                .unwrap_or_default()
                .to_owned(),
            input_schema: entry
                .get("inputSchema")
                .cloned()
                .unwrap_or(Value::Bool(true)),
            output_schema: entry.get("outputSchema").cloned(),
            read_only: hint == Some(&Value::Bool(true)),
        })
    }

    /// Whether calls are checked and agreed to by the same rules. What it is said to do may be worded
    /// anew at each start.
    pub fn rules_as(&self, other: &Self) -> bool {
        self.input_schema == other.input_schema && self.read_only == other.read_only
    }
}
