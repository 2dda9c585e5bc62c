//! Finds the tool that a reply needs among those that the agent declares, and fills its arguments.
//!
//! Every agent names its tools and their arguments in its own way, and changes them between versions. So the arguments
//! follow the schema in the request: known names get the values of the reply, other required ones get something valid.

use serde_json::{Map, Value, json};

use crate::answer::ToolCall;
use crate::conversation::{Conversation, Tool, elements};
use crate::script::{Reply, TodoEntry, TodoStatus};

/// Names of shell tools, best first, in lower case.
const SHELL: [&str; 9] = [
    "bash",
    "run_shell_command",
    "exec_command",
    "shell_command",
    "shell",
    "execute_command",
    "run_command",
    "run_terminal_cmd",
    "terminal",
];
const WRITE: [&str; 4] = ["write", "write_file", "writefile", "create_file"];
const TODO: [&str; 5] = [
    "todowrite",
    "write_todos",
    "update_plan",
    "todo_write",
    "todo",
];

/// The tools for a list that is kept entry by entry.
const CREATE_TASK: [&str; 1] = ["taskcreate"];
const UPDATE_TASK: [&str; 1] = ["taskupdate"];

/// The calls that make the agent do what the reply says.
///
/// None for replies that call nothing, and where the agent declares no tool for it.
pub(crate) fn calls(reply: &Reply, conversation: &Conversation) -> Vec<ToolCall> {
    let tools = &conversation.tools;
    match reply {
        Reply::Shell { command } => shell_call(command, tools).into_iter().collect(),
        Reply::Write { path, content } => write_call(path, content, tools)
            .or_else(|| shell_call(&write_command(path, content), tools))
            .into_iter()
            .collect(),
        Reply::Tool { name, arguments } => {
            let declared = tools.iter().find(|tool| is_named(&tool.name, name));
            vec![ToolCall {
                name: declared.map_or_else(|| name.clone(), |tool| tool.name.clone()),
                arguments: arguments.clone(),
            }]
        }
        Reply::Todo { entries } => match todo_call(entries, tools) {
            Some(call) => vec![call],
            None => task_calls(entries, conversation),
        },
        Reply::Text(_)
        | Reply::Status { .. }
        | Reply::BusyUntil { .. }
        | Reply::Endless
        | Reply::Garbage
        | Reply::HalfStream
        | Reply::Hang
        | Reply::Flood { .. } => Vec::new(),
    }
}

/// Does the agent have a tool for to-dos?
pub(crate) fn has_todo(conversation: &Conversation) -> bool {
    let tools = &conversation.tools;
    find(&TODO, tools).is_some() || find(&CREATE_TASK, tools).is_some()
}

/// Is this the tool's name, alone or behind that of its server?
fn is_named(declared: &str, name: &str) -> bool {
    let before = declared.strip_suffix(name);
    before.is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.']))
}

fn find<'t>(names: &[&str], tools: &'t [Tool]) -> Option<&'t Tool> {
    names.iter().find_map(|name| {
        tools
            .iter()
            .find(|tool| tool.name.eq_ignore_ascii_case(name))
    })
}

fn shell_call(command: &str, tools: &[Tool]) -> Option<ToolCall> {
    let tool = find(&SHELL, tools)?;
    let as_words = json!(["bash", "-lc", command]);
    let known = |name: &str, schema: &Value| match name {
        "command" | "cmd" if is_a(schema, "array") => Some(as_words.clone()),
        "command" | "cmd" => Some(json!(command)),
        "description" => Some(json!("Runs the command of the script")),
        _ => None,
    };
    Some(filled_call(tool, &known))
}

fn write_call(path: &str, content: &str, tools: &[Tool]) -> Option<ToolCall> {
    let tool = find(&WRITE, tools)?;
    let known = |name: &str, _: &Value| match name {
        "file_path" | "filePath" | "path" | "filename" => Some(json!(path)),
        "content" | "contents" | "text" | "file_text" => Some(json!(content)),
        _ => None,
    };
    Some(filled_call(tool, &known))
}

/// Writes a file by a shell.
fn write_command(path: &str, content: &str) -> String {
    let path = shell_quote(path);
    format!(
        "mkdir -p \"$(dirname {path})\" && printf %s {} > {path}",
        shell_quote(content)
    )
}

fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn todo_call(entries: &[TodoEntry], tools: &[Tool]) -> Option<ToolCall> {
    let tool = find(&TODO, tools)?;
    let list = |schema: &Value| {
        let entry = |(index, entry)| object(&schema["items"], &todo_values(index, entry));
        Value::Array(entries.iter().enumerate().map(entry).collect())
    };
    let known = |name: &str, schema: &Value| match name {
        "todos" | "plan" | "items" | "entries" => Some(list(schema)),
        _ => None,
    };
    Some(filled_call(tool, &known))
}

fn todo_values(index: usize, entry: &TodoEntry) -> impl Fn(&str, &Value) -> Option<Value> {
    let status = match entry.status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in_progress",
        TodoStatus::Completed => "completed",
    };
    move |name, _| match name {
        "content" | "step" | "description" | "text" | "title" | "subject" | "activeForm" => {
            Some(json!(entry.text))
        }
        "status" => Some(json!(status)),
        "priority" => Some(json!("medium")),
        "id" | "taskId" => Some(json!(format!("{}", index + 1))),
        _ => None,
    }
}

/// Creates the entries that do not exist yet, then says how far each one is. Claude Code numbers them from 1.
fn task_calls(entries: &[TodoEntry], conversation: &Conversation) -> Vec<ToolCall> {
    let tools = &conversation.tools;
    let (Some(create), Some(update)) = (find(&CREATE_TASK, tools), find(&UPDATE_TASK, tools))
    else {
        return Vec::new();
    };
    let created = conversation
        .called
        .iter()
        .filter(|name| **name == create.name)
        .count();
    let numbered = || entries.iter().enumerate();
    let new = numbered()
        .skip(created)
        .map(|(index, entry)| filled_call(create, &todo_values(index, entry)));
    let progress = numbered()
        .filter(|(index, entry)| *index < created || entry.status != TodoStatus::Pending)
        .map(|(index, entry)| {
            let values = todo_values(index, entry);
            let only_status = |name: &str, schema: &Value| {
                let is_status = name == "taskId" || name == "status";
                values(name, schema).filter(|_| is_status)
            };
            filled_call(update, &only_status)
        });
    new.chain(progress).collect()
}

type Known<'k> = dyn Fn(&str, &Value) -> Option<Value> + 'k;

fn filled_call(tool: &Tool, known: &Known<'_>) -> ToolCall {
    ToolCall {
        name: tool.name.clone(),
        arguments: object(&tool.schema, known),
    }
}

/// An object that fits the schema: every property that we know, and any value for the other required ones.
fn object(schema: &Value, known: &Known<'_>) -> Value {
    let is_required = |name: &str| elements(&schema["required"]).any(|required| required == name);
    let mut object = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let value =
            known(name, property).or_else(|| is_required(name).then(|| any_value(property)));
        if let Some(value) = value {
            object.insert(name.clone(), value);
        }
    }
    Value::Object(object)
}

fn any_value(schema: &Value) -> Value {
    if let Some(first) = elements(&schema["enum"]).next() {
        first.clone()
    } else if is_a(schema, "boolean") {
        json!(false)
    } else if is_a(schema, "number") || is_a(schema, "integer") {
        json!(1)
    } else if is_a(schema, "array") {
        json!([])
    } else if is_a(schema, "object") {
        json!({})
    } else {
        json!("stub")
    }
}

/// Gemini writes the names of types in capitals.
fn is_a(schema: &Value, kind: &str) -> bool {
    schema["type"]
        .as_str()
        .is_some_and(|name| name.eq_ignore_ascii_case(kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: Value, required: &[&str]) -> Tool {
        Tool {
            name: name.to_owned(),
            schema: json!({"type": "object", "properties": properties, "required": required}),
        }
    }

    fn conversation(tools: &[Tool]) -> Conversation {
        Conversation {
            model: "m".to_owned(),
            stream: false,
            turn: 0,
            tools: tools.to_vec(),
            called: Vec::new(),
        }
    }

    fn check(tools: &[Tool], reply: Reply, name: &str, arguments: Value) {
        let expected = ToolCall {
            name: name.to_owned(),
            arguments,
        };
        assert_eq!(calls(&reply, &conversation(tools)), [expected]);
    }

    fn run(command: &str) -> Reply {
        Reply::Shell {
            command: command.to_owned(),
        }
    }

    #[test]
    fn every_shell_tool_gets_the_command_in_its_own_form() {
        let text = json!({"type": "string"});
        let words = json!({"type": "array", "items": {"type": "string"}});
        let others = [
            tool("Read", json!({"file_path": text}), &["file_path"]),
            tool("mcp__other__bash", json!({"command": text}), &[]),
        ];
        let with = |tool: Tool| [others.to_vec(), vec![tool]].concat();
        check(
            &with(tool(
                "Bash",
                json!({"command": text, "timeout": {"type": "number"}, "description": text}),
                &["command"],
            )),
            run("ls"),
            "Bash",
            json!({"command": "ls", "description": "Runs the command of the script"}),
        );
        check(
            &with(tool(
                "exec_command",
                json!({"cmd": text, "tty": {"type": "boolean"}}),
                &["cmd"],
            )),
            run("ls"),
            "exec_command",
            json!({"cmd": "ls"}),
        );
        check(
            &with(tool(
                "shell",
                json!({"command": words, "workdir": text}),
                &["command"],
            )),
            run("ls"),
            "shell",
            json!({"command": ["bash", "-lc", "ls"]}),
        );
        let capital = json!({"command": {"type": "STRING"}, "is_background": {"type": "BOOLEAN"}});
        check(
            &with(tool(
                "run_shell_command",
                capital,
                &["command", "is_background"],
            )),
            run("ls"),
            "run_shell_command",
            json!({"command": "ls", "is_background": false}),
        );
        assert_eq!(calls(&run("ls"), &conversation(&others)), []);
    }

    #[test]
    fn a_file_is_written_by_the_tool_for_it_or_by_the_shell() {
        let text = json!({"type": "string"});
        let bash = tool("bash", json!({"command": text}), &["command"]);
        let write = tool(
            "write",
            json!({"filePath": text, "content": text}),
            &["filePath", "content"],
        );
        let reply = || Reply::Write {
            path: "a b/c".to_owned(),
            content: "it's\n".to_owned(),
        };
        check(
            &[bash.clone(), write],
            reply(),
            "write",
            json!({"filePath": "a b/c", "content": "it's\n"}),
        );
        check(
            &[bash],
            reply(),
            "bash",
            json!({"command": "mkdir -p \"$(dirname 'a b/c')\" && printf %s 'it'\\''s\n' > 'a b/c'"}),
        );
    }

    #[test]
    fn a_tool_of_a_server_is_called_by_its_own_name() {
        let reply = |name: &str| Reply::Tool {
            name: name.to_owned(),
            arguments: json!({"a": 1}),
        };
        for declared in [
            "plan_list",
            "mcp__signoff__plan_list",
            "mcp_signoff_plan_list",
        ] {
            let tools = [
                tool("my_list", json!({}), &[]),
                tool(declared, json!({}), &[]),
            ];
            check(&tools, reply("plan_list"), declared, json!({"a": 1}));
            check(&tools, reply("n_list"), "n_list", json!({"a": 1}));
        }
    }

    #[test]
    fn entries_follow_the_schema_of_the_list() {
        let text = json!({"type": "string"});
        let list = |entry: Value, required: &[&str]| json!({"type": "array", "items": {"type": "object", "properties": entry, "required": required}});
        let reply = || Reply::Todo {
            entries: vec![TodoEntry {
                text: "test it".to_owned(),
                status: TodoStatus::InProgress,
            }],
        };
        check(
            &[tool(
                "TodoWrite",
                json!({"todos": list(json!({"content": text, "status": text, "activeForm": text}), &["content"])}),
                &["todos"],
            )],
            reply(),
            "TodoWrite",
            json!({"todos": [{"content": "test it", "status": "in_progress", "activeForm": "test it"}]}),
        );
        let rank = json!({"type": "string", "enum": ["low", "high"]});
        check(
            &[tool(
                "update_plan",
                json!({"explanation": text, "plan": list(json!({"step": text, "status": text, "rank": rank}), &["rank"])}),
                &["plan"],
            )],
            reply(),
            "update_plan",
            json!({"plan": [{"step": "test it", "status": "in_progress", "rank": "low"}]}),
        );
    }

    #[test]
    fn a_list_that_is_kept_entry_by_entry_is_created_once() {
        let text = json!({"type": "string"});
        let create = tool(
            "TaskCreate",
            json!({"subject": text, "description": text}),
            &["subject", "description"],
        );
        let update = tool(
            "TaskUpdate",
            json!({"taskId": text, "status": text}),
            &["taskId"],
        );
        let entry = |text: &str, status| TodoEntry {
            text: text.to_owned(),
            status,
        };
        let entries = vec![
            entry("a", TodoStatus::Completed),
            entry("b", TodoStatus::Pending),
        ];
        let reply = Reply::Todo { entries };
        let mut talk = conversation(&[create, update]);
        let names = |talk: &Conversation| -> Vec<String> {
            let calls = calls(&reply, talk);
            calls
                .iter()
                .map(|call| format!("{} {}", call.name, call.arguments))
                .collect()
        };
        assert_eq!(
            names(&talk),
            [
                r#"TaskCreate {"subject":"a","description":"a"}"#,
                r#"TaskCreate {"subject":"b","description":"b"}"#,
                r#"TaskUpdate {"taskId":"1","status":"completed"}"#,
            ]
        );
        talk.called = vec!["TaskCreate".to_owned(); 2];
        assert_eq!(
            names(&talk),
            [
                r#"TaskUpdate {"taskId":"1","status":"completed"}"#,
                r#"TaskUpdate {"taskId":"2","status":"pending"}"#,
            ]
        );
    }
}
