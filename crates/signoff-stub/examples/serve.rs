//! A stub for the command line: `serve shell:COMMAND text:DONE …` prints its address and serves until its input ends, then
//! prints every request as a line of JSON.
//!
//! Replies: `shell:COMMAND`, `write:PATH:CONTENT`, `todo:DOING,LATER`, `text:TEXT`, `status:CODE[:RETRY_AFTER]`, `garbage`, `half`,
//! `hang`, `flood:BYTES`. `login:ACCESS:REFRESH` asks for a login.

use std::io::{self, Read, Write};

use serde_json::json;
use signoff_stub::{Login, Reply, Script, Stub, TodoEntry, TodoStatus};

fn main() -> io::Result<()> {
    let mut replies = Vec::new();
    let mut login = None;
    for argument in std::env::args().skip(1) {
        let (kind, rest) = argument.split_once(':').unwrap_or((&argument, ""));
        let (first, second) = rest.split_once(':').unwrap_or((rest, ""));
        if kind == "login" {
            login = Some(Login::new(first, second));
        } else {
            replies.push(reply(kind, rest, first, second)?);
        }
    }
    let mut script = Script::new(replies);
    if let Some(login) = login {
        script = script.with_login(login);
    }
    let stub = Stub::start(script)?;
    let mut out = io::stdout();
    writeln!(out, "{}", stub.url())?;
    out.flush()?;
    io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink())?;
    for request in stub.requests() {
        let line = json!({
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "headers": request.headers,
            "turn": request.prompt.as_ref().map(|prompt| prompt.turn),
            "tools": request.prompt.as_ref().map(|prompt| &prompt.tools),
            "body": request.body,
        });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn reply(kind: &str, rest: &str, first: &str, second: &str) -> io::Result<Reply> {
    let number = |text: &str| text.parse().map_err(io::Error::other);
    Ok(match kind {
        "shell" => Reply::Shell {
            command: rest.to_owned(),
        },
        "write" => Reply::Write {
            path: first.to_owned(),
            content: second.to_owned(),
        },
        "todo" => Reply::Todo {
            entries: entries(rest),
        },
        "text" => Reply::Text(rest.to_owned()),
        "status" => Reply::Status {
            code: first.parse().map_err(io::Error::other)?,
            retry_after: second.parse().ok(),
        },
        "garbage" => Reply::Garbage,
        "half" => Reply::HalfStream,
        "hang" => Reply::Hang,
        "flood" => Reply::Flood {
            bytes: number(rest)?,
        },
        other => return Err(io::Error::other(format!("`{other}` is not a reply"))),
    })
}

/// The first is being done, the others wait.
fn entries(list: &str) -> Vec<TodoEntry> {
    let entry = |(index, text): (usize, &str)| TodoEntry {
        text: text.to_owned(),
        status: if index == 0 {
            TodoStatus::InProgress
        } else {
            TodoStatus::Pending
        },
    };
    list.split(',').enumerate().map(entry).collect()
}
