//! The built-in tools.

use super::{Approval, Argument, ArgumentKind, BuiltIn, Given, Tool};

/// Every built-in tool. Paths are confined to the workspace, symbolic links included.
pub const BUILT_IN: &[Tool] = &[
    Tool {
        id: BuiltIn::ReadFile,
        name: "read_file",
        description: "reads a text file; gives `{path, content}`",
        arguments: &[
            path("path", "the file"),
            whole("from_line", "first line to read, from 1", 1),
            whole("to_line", "last line to read", 1),
        ],
        gives: &[("path", Given::Text), ("content", Given::Text)],
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
        gives: &[("path", Given::Text), ("bytes", Given::Whole)],
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
        gives: &[("path", Given::Text), ("replaced", Given::Whole)],
        approval: Approval::Always,
        read_only: false,
    },
    Tool {
        id: BuiltIn::DeleteFile,
        name: "delete_file",
        description: "deletes a file; gives `{path}`",
        arguments: &[path("path", "the file")],
        gives: &[("path", Given::Text)],
        approval: Approval::Always,
        read_only: false,
    },
    Tool {
        id: BuiltIn::MoveFile,
        name: "move_file",
        description: "moves or renames a file, and makes the directories it needs; gives `{from, to}`",
        arguments: &[path("from", "the file"), path("to", "where it goes")],
        gives: &[("from", Given::Text), ("to", Given::Text)],
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
            ("path", Given::Text),
            (
                "entries",
                Given::List(&[
                    ("path", Given::Text),
                    ("type", Given::Text),
                    ("size", Given::Whole),
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
            whole("max_results", "stop after so many", 1),
        ],
        gives: &[(
            "matches",
            Given::List(&[
                ("path", Given::Text),
                ("line", Given::Whole),
                ("text", Given::Text),
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
            whole("timeout_seconds", "how long it may take", 1),
            flag(
                "any_exit_code",
                "another exit code than 0 is a result, not a failure",
            ),
        ],
        gives: &[
            ("exit_code", Given::Whole),
            ("stdout", Given::Text),
            ("stderr", Given::Text),
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
            whole("timeout_seconds", "how long it may take", 1),
            flag("any_status", "a status from 400 is a result, not a failure"),
        ],
        gives: &[
            ("status", Given::Whole),
            ("headers", Given::Texts),
            ("body", Given::Text),
            ("json", Given::Anything),
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

const fn whole(name: &'static str, description: &'static str, least: u64) -> Argument {
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
