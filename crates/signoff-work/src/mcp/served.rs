//! The other side of the protocol: what an agent that reaches a server through the harness is answered. It reads and writes
//! nothing itself.

use serde_json::{Value, json};

use super::definition::Definition;

/// Versions with a handshake, the newest first. What an agent asks for is what it gets, if it is one of these.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const INVALID_REQUEST: i64 = -32600;
const UNKNOWN_METHOD: i64 = -32601;
const INTERNAL: i64 = -32603;

/// What a line of an agent asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentRequest {
    /// Nothing that needs an answer.
    Nothing,
    /// Something that is answered at once.
    Answered(Value),
    /// Which tools there are.
    List { id: Value },
    /// To call one.
    Call {
        id: Value,
        tool: String,
        args: Value,
    },
}

impl AgentRequest {
    /// Reads a line. `server` is the name that the agent is told.
    pub fn read(line: &[u8], server: &str) -> Self {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            let why = "a message is one line of JSON";
            return Self::Answered(failure(&Value::Null, INVALID_REQUEST, why));
        };
        let method = message.get("method").and_then(Value::as_str);
        let id = message.get("id").filter(|id| !id.is_null());
        let (Some(method), Some(id)) = (method, id.cloned()) else {
            return Self::Nothing;
        };
        let params = message.get("params").unwrap_or(&Value::Null);
        match method {
            "initialize" => Self::Answered(success(&id, &greeting(params, server))),
            "ping" => Self::Answered(success(&id, &json!({}))),
            "tools/list" => Self::List { id },
            "tools/call" => match params.get("name").and_then(Value::as_str) {
                Some(tool) => Self::Call {
                    id,
                    tool: tool.to_owned(),
                    args: params.get("arguments").cloned().unwrap_or(json!({})),
                },
                None => Self::Answered(failure(&id, INVALID_REQUEST, "a call names its tool")),
            },
            other => {
                let why = format!("`{other}` is not offered");
                Self::Answered(failure(&id, UNKNOWN_METHOD, &why))
            }
        }
    }
}

fn greeting(params: &Value, server: &str) -> Value {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let version = wanted.filter(|wanted| VERSIONS.contains(wanted));
    json!({
        "protocolVersion": version.unwrap_or(VERSIONS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": server, "version": env!("CARGO_PKG_VERSION") },
    })
}

/// The answer with the tools that there are, or why they are not known.
pub fn tools_answer(id: &Value, tools: Result<&[Definition], &str>) -> Value {
    let tools = match tools {
        Ok(tools) => tools,
        Err(why) => return failure(id, INTERNAL, why),
    };
    let entry = |tool: &Definition| {
        // Some agents insist that arguments are an object.
        let schema = match &tool.input_schema {
            schema @ Value::Object(_) => schema.clone(),
            _ => json!({ "type": "object" }),
        };
        json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": schema,
            "annotations": { "readOnlyHint": tool.read_only },
        })
    };
    let tools: Vec<Value> = tools.iter().map(entry).collect();
    success(id, &json!({ "tools": tools }))
}

/// The answer with the result of a call, or why it failed. A failed call is a result that the model reads.
pub fn call_answer(id: &Value, result: Result<&Value, &str>) -> Value {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let result = match result {
        Err(why) => json!({ "content": text(why), "isError": true }),
        Ok(Value::String(said)) => json!({ "content": text(said) }),
        Ok(Value::Array(parts)) if is_content(parts) => json!({ "content": parts }),
        Ok(value @ Value::Object(_)) => {
            json!({ "content": text(&value.to_string()), "structuredContent": value })
        }
        Ok(value) => json!({ "content": text(&value.to_string()) }),
    };
    success(id, &result)
}

/// Is it what a server sent because it is more than text?
fn is_content(parts: &[Value]) -> bool {
    let is_part = |part: &Value| part.get("type").is_some_and(Value::is_string);
    !parts.is_empty() && parts.iter().all(is_part)
}

fn success(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &Value) -> AgentRequest {
        AgentRequest::read(message.to_string().as_bytes(), "shop")
    }

    #[track_caller]
    fn answer(message: &Value) -> Value {
        match read(message) {
            AgentRequest::Answered(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn agents_are_greeted_in_their_version() {
        for (asked, told) in [("2025-06-18", "2025-06-18"), ("2099-01-01", "2025-11-25")] {
            let hello = answer(
                &json!({"id": 0, "method": "initialize", "params": {"protocolVersion": asked}}),
            );
            assert_eq!(hello["result"]["protocolVersion"], told);
            assert_eq!(hello["result"]["serverInfo"]["name"], "shop");
        }
        assert_eq!(
            answer(&json!({"id": "p", "method": "ping"}))["result"],
            json!({})
        );
    }

    #[test]
    fn what_is_not_offered_is_refused_and_what_needs_no_answer_gets_none() {
        let refused = answer(&json!({"id": 3, "method": "resources/list"}));
        assert_eq!(refused["error"]["code"], UNKNOWN_METHOD);
        let nameless = answer(&json!({"id": 3, "method": "tools/call", "params": {}}));
        assert_eq!(nameless["error"]["code"], INVALID_REQUEST);
        let AgentRequest::Answered(garbage) = AgentRequest::read(b"hello", "shop") else {
            panic!("garbage is answered");
        };
        assert_eq!(garbage["error"]["code"], INVALID_REQUEST);
        for silent in [
            json!({"method": "notifications/initialized"}),
            json!({"id": 1, "result": {}}),
            json!([]),
            json!(3),
        ] {
            assert_eq!(read(&silent), AgentRequest::Nothing, "{silent}");
        }
    }

    #[test]
    fn calls_are_read_with_and_without_arguments() {
        let call = |params| read(&json!({"id": 4, "method": "tools/call", "params": params}));
        let expected = |args| AgentRequest::Call {
            id: json!(4),
            tool: "order".to_owned(),
            args,
        };
        let args = json!({"item": "tea"});
        let with = call(json!({"name": "order", "arguments": args}));
        assert_eq!(with, expected(args));
        assert_eq!(call(json!({"name": "order"})), expected(json!({})));
    }

    #[test]
    fn results_are_what_a_model_can_read() {
        let result = |result: Result<Value, &str>| {
            call_answer(&json!(1), result.as_ref().map_err(|why| *why))["result"].clone()
        };
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        assert_eq!(result(Ok(json!("hi"))), json!({"content": text("hi")}));
        assert_eq!(
            result(Err("no")),
            json!({"content": text("no"), "isError": true})
        );
        let object = json!({"n": 1});
        assert_eq!(
            result(Ok(object.clone())),
            json!({"content": text("{\"n\":1}"), "structuredContent": object})
        );
        let image = json!([{"type": "image", "data": "AA=="}]);
        assert_eq!(result(Ok(image.clone())), json!({"content": image}));
        assert_eq!(result(Ok(json!([1]))), json!({"content": text("[1]")}));
    }

    #[test]
    fn tools_have_a_schema_that_agents_accept() {
        let tool = Definition {
            name: "order".to_owned(),
            description: "Orders.".to_owned(),
            input_schema: Value::Bool(true),
            output_schema: None,
            read_only: false,
        };
        let listed = tools_answer(&json!(1), Ok(&[tool]));
        let listed = &listed["result"]["tools"][0];
        assert_eq!(listed["inputSchema"], json!({"type": "object"}));
        let failed = tools_answer(&json!(1), Err("it does not start"));
        assert_eq!(failed["error"]["message"], "it does not start");
    }
}
