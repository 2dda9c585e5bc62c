//! The built-in tools.

use super::{Approval, Argument, ArgumentKind, BuiltIn, ResultType, Tool};

/// Every built-in tool. Paths are confined to the workspace, symbolic links included.
pub const BUILT_IN: &[Tool] = &[
    Tool {
        id: BuiltIn::ReadFile,
        name: "read_file",
        description: "reads a text file; gives `{path, content}`",
        arguments: &[
            path("path", "the file"),
            whole_number("from_line", "first line to read, from 1", 1),
            whole_number("to_line", "last line to read", 1),
        ],
        gives: &[("path", ResultType::Text), ("content", ResultType::Text)],
        approval: Approval::Never,
        read_only: true,
    },
    Tool {
        id: BuiltIn::WriteFile,
        name: "write_file",
        description: "writes a text file and the directories it needs; gives `{path, bytes}`",
        arguments: &[
            path("path", "the file"),
            text("content", "all that it will hold"),
        ],
        gives: &[("path", ResultType::Text), ("bytes", ResultType::Whole)],
        approval: Approval::IfExists { argument: "path" },
        read_only: false,
    },
    Tool {
        id: BuiltIn::EditFile,
        name: "edit_file",
        description: "replaces a text in a file, which must be there exactly once; gives `{path, replaced}`",
        arguments: &[
            path("path", "the file"),
            text("old_text", "what is there now"),
            text("new_text", "what will be there"),
            flag("replace_all", "replace every occurrence, however many"),
        ],
        gives: &[("path", ResultType::Text), ("replaced", ResultType::Whole)],
        approval: Approval::Always,
        read_only: false,
    },
    Tool {
        id: BuiltIn::DeleteFile,
        name: "delete_file",
        description: "deletes a file; gives `{path}`",
        arguments: &[path("path", "the file")],
        gives: &[("path", ResultType::Text)],
        approval: Approval::Always,
        read_only: false,
    },
    Tool {
        id: BuiltIn::MoveFile,
        name: "move_file",
        description: "moves or renames a file, and makes the directories it needs; gives `{from, to}`",
        arguments: &[path("from", "the file"), path("to", "where it goes")],
        gives: &[("from", ResultType::Text), ("to", ResultType::Text)],
        approval: Approval::IfExists { argument: "to" },
        read_only: false,
    },
    Tool {
        id: BuiltIn::ListDirectory,
        name: "list_directory",
        description: "lists what is in a directory; gives `{path, entries}`, each `{path, type, size}`",
        arguments: &[
            optional(path("path", "the directory; without it, the workspace")),
            flag("recursive", "also what is in directories below"),
        ],
        gives: &[
            ("path", ResultType::Text),
            (
                "entries",
                ResultType::List(&[
                    ("path", ResultType::Text),
                    ("type", ResultType::Text),
                    ("size", ResultType::Whole),
                ]),
            ),
        ],
        approval: Approval::Never,
        read_only: true,
    },
    Tool {
        id: BuiltIn::SearchFiles,
        name: "search_files",
        description: "finds lines that match a regular expression; gives `{matches}`, each `{path, line, text}`",
        arguments: &[
            Argument {
                pattern: true,
                ..text("pattern", "the regular expression")
            },
            optional(path("path", "where to look; without it, the workspace")),
            optional(text(
                "glob",
                "only files whose path matches, such as `*.rs`",
            )),
            whole_number("max_results", "stop after so many", 1),
        ],
        gives: &[(
            "matches",
            ResultType::List(&[
                ("path", ResultType::Text),
                ("line", ResultType::Whole),
                ("text", ResultType::Text),
            ]),
        )],
        approval: Approval::Never,
        read_only: true,
    },
    Tool {
        id: BuiltIn::RunCommand,
        name: "run_command",
        description: "runs a shell command in the sandbox, which must exit with 0; gives `{exit_code, stdout, stderr}`",
        arguments: &[
            text("command", "shell text"),
            optional(path("cwd", "where it runs; without it, the workspace")),
            whole_number("timeout_seconds", "how long it may take", 1),
            flag(
                "any_exit_code",
                "another exit code than 0 is a result, not a failure",
            ),
        ],
        gives: &[
            ("exit_code", ResultType::Whole),
            ("stdout", ResultType::Text),
            ("stderr", ResultType::Text),
        ],
        approval: Approval::Always,
        read_only: false,
    },
    Tool {
        id: BuiltIn::HttpRequest,
        name: "http_request",
        description: "sends an HTTP request, whose status must be below 400; gives `{status, headers, body}`, and `json` where the body is",
        arguments: &[
            text("url", "where to"),
            Argument {
                kind: ArgumentKind::OneOf(&[
                    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS",
                ]),
                ..optional(text("method", "without it, `GET`"))
            },
            Argument {
                kind: ArgumentKind::Texts,
                ..optional(text("headers", "names and values"))
            },
            optional(text("body", "what is sent")),
            whole_number("timeout_seconds", "how long it may take", 1),
            flag("any_status", "a status from 400 is a result, not a failure"),
        ],
        gives: &[
            ("status", ResultType::Whole),
            ("headers", ResultType::Texts),
            ("body", ResultType::Text),
            ("json", ResultType::Anything),
        ],
        approval: Approval::Unless {
            argument: "method",
            values: &["GET", "HEAD"],
        },
        read_only: false,
    },
];

const fn text(name: &'static str, description: &'static str) -> Argument {
    Argument {
        name,
        description,
        kind: ArgumentKind::Text,
        required: true,
        path: false,
        pattern: false,
    }
}

const fn path(name: &'static str, description: &'static str) -> Argument {
    Argument {
        path: true,
        ..text(name, description)
    }
}

const fn whole_number(name: &'static str, description: &'static str, least: u64) -> Argument {
    Argument {
        kind: ArgumentKind::Whole { least },
        ..optional(text(name, description))
    }
}

const fn flag(name: &'static str, description: &'static str) -> Argument {
    Argument {
        kind: ArgumentKind::Flag,
        ..optional(text(name, description))
    }
}

const fn optional(argument: Argument) -> Argument {
    Argument {
        required: false,
        ..argument
    }
}
