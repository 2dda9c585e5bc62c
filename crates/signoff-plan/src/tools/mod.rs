//! Tools that the harness calls itself: what they are named, what they take, when a person must
//! agree. All of it is data here; `signoff-work` calls them.

mod builtin;
mod demands;
pub(crate) mod schema;
mod scope;
mod server_url;
mod stops;
mod tree_at;

use serde_json::{Map, Value, json};

pub use self::builtin::BUILT_IN;
pub use self::demands::plan_demands;
pub use self::schema::schema_problems;
pub use self::scope::{Grant, allows};
pub use self::server_url::server_url_problem;
pub use self::stops::{is_agreed, is_named, scope, stop_reasons};
use crate::Workspace;
use crate::workspace::leaves;

/// Which built-in tool it is. What it may do and how it is called is decided by this, never by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    /// `read_file`
    ReadFile,
    /// `write_file`
    WriteFile,
    /// `edit_file`
    EditFile,
    /// `delete_file`
    DeleteFile,
    /// `move_file`
    MoveFile,
    /// `list_directory`
    ListDirectory,
    /// `search_files`
    SearchFiles,
    /// `run_command`
    RunCommand,
    /// `http_request`
    HttpRequest,
}

/// A built-in tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tool {
    /// Which one it is.
    pub id: BuiltIn,
    /// Its name, as plans call it.
    pub name: &'static str,
    /// What it does and gives back, for people and planners.
    pub description: &'static str,
    /// What it takes, in the order worth reading.
    pub arguments: &'static [Argument],
    /// The members of what it gives.
    pub gives: &'static [(&'static str, ResultType)],
    /// When a person must agree first.
    pub approval: Approval,
    /// Changes nothing, so that a call whose end is unknown can be made again.
    pub read_only: bool,
}

/// An argument of a built-in tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
    /// What it can be.
    pub kind: ArgumentKind,
    /// Whether every call must have it.
    pub required: bool,
    /// Whether it is a path, which must stay within the workspace.
    pub path: bool,
    /// Whether it is a regular expression.
    pub pattern: bool,
}

/// What an argument can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Any text.
    Text,
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// A whole number that is not below this.
    Whole {
        /// The least that makes sense.
        least: u64,
    },
    /// `true` or `false`.
    Flag,
    /// Names with a text each.
    Texts,
}

/// What a member of a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultType {
    /// Any text.
    Text,
    /// A whole number.
    Whole,
    /// A list of objects with these members.
    List(&'static [(&'static str, Self)]),
    /// Names with a text each.
    Texts,
    /// Whatever the other side sent.
    Anything,
}

/// When a person must agree to a call, unless the tool is named in the plan's scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Never: it only reads.
    Never,
    /// Always.
    Always,
    /// If the path in this argument is that of an existing file.
    IfExists {
        /// Name of the argument.
        argument: &'static str,
    },
    /// Unless this argument is missing or has one of these values.
    Unless {
        /// Name of the argument.
        argument: &'static str,
        /// Values that need no agreement.
        values: &'static [&'static str],
    },
}

impl Approval {
    /// The text by which a signature's terms name it. Another text would void every signature of a plan that calls
    /// such a tool.
    pub fn signed_text(&self) -> String {
        match self {
            Self::Never => "Never".to_owned(),
            Self::Always => "Always".to_owned(),
            Self::IfExists { argument } => format!("IfExists {{ argument: \"{argument}\" }}"),
            Self::Unless { argument, values } => {
                let values = values.join("\", \"");
                format!("Unless {{ argument: \"{argument}\", values: [\"{values}\"] }}")
            }
        }
    }
}

/// The built-in tool of this name.
pub fn built_in(name: &str) -> Option<&'static Tool> {
    BUILT_IN.iter().find(|tool| tool.name == name)
}

impl Tool {
    /// Works in the project's tree; the others only talk to other systems.
    pub fn needs_tree(&self) -> bool {
        self.id != BuiltIn::HttpRequest
    }

    /// May change files of the project's tree.
    pub fn changes_tree(&self) -> bool {
        self.needs_tree() && !self.read_only
    }

    /// The files that a call with these arguments writes, by the names of the arguments that name them.
    pub fn written_files(&self) -> &'static [&'static str] {
        match self.id {
            BuiltIn::WriteFile | BuiltIn::EditFile | BuiltIn::DeleteFile => &["path"],
            BuiltIn::MoveFile => &["from", "to"],
            BuiltIn::RunCommand
            | BuiltIn::HttpRequest
            | BuiltIn::ReadFile
            | BuiltIn::ListDirectory
            | BuiltIn::SearchFiles => &[],
        }
    }

    /// The arguments that name a file which is there after a call.
    fn created_files(&self) -> &'static [&'static str] {
        match self.id {
            BuiltIn::WriteFile | BuiltIn::EditFile => &["path"],
            BuiltIn::MoveFile => &["to"],
            BuiltIn::DeleteFile
            | BuiltIn::RunCommand
            | BuiltIn::HttpRequest
            | BuiltIn::ReadFile
            | BuiltIn::ListDirectory
            | BuiltIn::SearchFiles => &[],
        }
    }

    /// The arguments that name a file which is gone after a call.
    fn removed_files(&self) -> &'static [&'static str] {
        match self.id {
            BuiltIn::DeleteFile => &["path"],
            BuiltIn::MoveFile => &["from"],
            BuiltIn::WriteFile
            | BuiltIn::EditFile
            | BuiltIn::RunCommand
            | BuiltIn::HttpRequest
            | BuiltIn::ReadFile
            | BuiltIn::ListDirectory
            | BuiltIn::SearchFiles => &[],
        }
    }

    /// A call with these arguments whose end is unknown can be made again.
    pub fn is_repeatable(&self, args: &Value) -> bool {
        let method = args.get("method").and_then(Value::as_str).unwrap_or("GET");
        self.read_only || self.id == BuiltIn::HttpRequest && matches!(method, "GET" | "HEAD")
    }

    /// What a call with these arguments changes, in words for the person who must agree.
    pub fn change(&self, args: &Value) -> String {
        let text = |argument: &str| {
            args.get(argument)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        match self.id {
            BuiltIn::EditFile => format!("edits `{}`", text("path")),
            BuiltIn::DeleteFile => format!("deletes `{}`", text("path")),
            BuiltIn::RunCommand => format!("runs `{}`", text("command")),
            BuiltIn::HttpRequest => format!("sends `{}` to `{}`", text("method"), text("url")),
            BuiltIn::WriteFile
            | BuiltIn::MoveFile
            | BuiltIn::ReadFile
            | BuiltIn::ListDirectory
            | BuiltIn::SearchFiles => format!("`{}` changes something", self.name),
        }
    }

    /// The JSON Schema of what it gives.
    pub fn output_schema(&self) -> Value {
        object_schema(self.gives)
    }

    /// The JSON Schema of its arguments.
    pub fn input_schema(&self) -> Value {
        let properties: Map<_, _> = self
            .arguments
            .iter()
            .map(|argument| (argument.name.to_owned(), argument.schema()))
            .collect();
        let required = self.arguments.iter().filter(|argument| argument.required);
        let required: Value = required.map(|argument| argument.name).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

fn object_schema(members: &[(&'static str, ResultType)]) -> Value {
    let members: Map<_, _> = members
        .iter()
        .map(|(name, given)| ((*name).to_owned(), given.schema()))
        .collect();
    json!({"type": "object", "properties": members, "additionalProperties": false})
}

impl ResultType {
    fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Whole => json!({"type": "integer"}),
            Self::List(members) => json!({"type": "array", "items": object_schema(members)}),
            Self::Texts => json!({"type": "object", "additionalProperties": {"type": "string"}}),
            Self::Anything => Value::Bool(true),
        }
    }
}

/// Whether something offers a tool of this name, or one that this pattern or the name of a server covers.
pub fn is_provided(name: &str, workspace: &dyn Workspace) -> bool {
    if built_in(name).is_some() || workspace.tool_known(name) {
        return true;
    }
    let scope = [name.to_owned()];
    let covers = |tool: &str| allows(&scope, tool).is_some();
    BUILT_IN.iter().any(|tool| covers(tool.name))
        || workspace.tools().iter().any(|tool| covers(tool))
}

/// The paths in these arguments of a built-in tool that leave the workspace; a call would fail by them.
pub fn paths_outside<'v>(tool: &str, args: &'v Value, workspace: &dyn Workspace) -> Vec<&'v str> {
    let arguments = built_in(tool)
        .map(|tool| tool.arguments)
        .unwrap_or_default();
    let paths = arguments.iter().filter(|argument| argument.path);
    let given = paths.filter_map(|argument| args.get(argument.name)?.as_str());
    given.filter(|path| leaves(workspace, path)).collect()
}

impl Argument {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            ArgumentKind::Text => json!({"type": "string"}),
            ArgumentKind::OneOf(words) => json!({"type": "string", "enum": words}),
            ArgumentKind::Whole { least } => json!({"type": "integer", "minimum": least}),
            ArgumentKind::Flag => json!({"type": "boolean"}),
            ArgumentKind::Texts => {
                json!({"type": "object", "additionalProperties": {"type": "string"}})
            }
        };
        if let Value::Object(members) = &mut schema {
            members.insert("description".to_owned(), Value::from(self.description));
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_by_use_and_unique() {
        let names: Vec<_> = BUILT_IN.iter().map(|tool| tool.name).collect();
        let expected = "read_file write_file edit_file delete_file move_file list_directory \
                        search_files run_command http_request";
        assert_eq!(names.join(" "), expected);
        assert_eq!(
            built_in("read_file").map(|tool| tool.name),
            Some("read_file")
        );
        assert_eq!(built_in("read"), None);
    }

    #[test]
    fn what_reads_only_needs_no_agreement() {
        for tool in BUILT_IN {
            let never = tool.approval == Approval::Never;
            assert_eq!(tool.read_only, never, "{}", tool.name);
            if let Approval::IfExists { argument } | Approval::Unless { argument, .. } =
                tool.approval
            {
                let known = tool.arguments.iter().any(|known| known.name == argument);
                assert!(known, "{}", tool.name);
            }
        }
    }

    #[test]
    fn the_signed_terms_name_an_approval_as_they_always_did() {
        let text = |tool: &str| built_in(tool).map(|tool| tool.approval.signed_text());
        for (tool, expected) in [
            ("read_file", "Never"),
            ("delete_file", "Always"),
            ("write_file", "IfExists { argument: \"path\" }"),
            (
                "http_request",
                "Unless { argument: \"method\", values: [\"GET\", \"HEAD\"] }",
            ),
        ] {
            assert_eq!(text(tool).as_deref(), Some(expected), "{tool}");
        }
    }

    #[test]
    fn what_a_tool_gives_is_what_its_description_says() {
        for tool in BUILT_IN {
            for (name, _) in tool.gives {
                assert!(tool.description.contains(name), "{} {name}", tool.name);
            }
            assert_eq!(tool.output_schema()["type"], "object", "{}", tool.name);
        }
    }

    #[test]
    fn a_schema_says_what_a_call_needs() {
        let schema = built_in("http_request").expect("a tool").input_schema();
        assert_eq!(schema["required"], json!(["url"]));
        assert_eq!(schema["properties"]["method"]["enum"][0], "GET");
        assert_eq!(schema["properties"]["timeout_seconds"]["minimum"], 1);
        assert_eq!(
            schema["properties"]["headers"]["additionalProperties"]["type"],
            "string"
        );
        assert_eq!(schema["additionalProperties"], false);
    }
}
