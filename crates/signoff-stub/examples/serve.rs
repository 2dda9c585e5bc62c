//! A stub for the command line: `serve shell:COMMAND text:DONE …` prints its address and serves until its input ends, then
//! prints every request as a line of JSON.
//!
//! Replies: `shell:COMMAND`, `write:PATH:CONTENT`, `todo:+DONE,>DOING,LATER`, `text:TEXT`, `status:CODE[:RETRY_AFTER]`, `garbage`,
//! `half`, `hang`, `flood:BYTES`. `usage:INPUT:CACHED:OUTPUT` is for the replies after it. `login:ACCESS:REFRESH` asks for a login.

use std::io::{self, Read, Write};

use serde_json::json;
use signoff_stub::{Login, Received, Reply, Script, Stub, TodoEntry, TodoStatus, Turn, Usage};

fn main() -> io::Result<()> {
    let stub = Stub::start(script(std::env::args().skip(1))?)?;
    let mut out = io::stdout();
    writeln!(out, "{}", stub.url())?;
    out.flush()?;
    io::copy(&mut io::stdin().lock().by_ref(), &mut io::sink())?;
    for request in stub.requests() {
        writeln!(out, "{}", line(&request))?;
    }
    Ok(())
}

fn script(arguments: impl Iterator<Item = String>) -> io::Result<Script> {
    let mut turns = Vec::new();
    let mut usage = Usage::default();
    let mut login = None;
    for argument in arguments {
        let (kind, rest) = argument.split_once(':').unwrap_or((&argument, ""));
        let (first, second) = rest.split_once(':').unwrap_or((rest, ""));
        match kind {
            "login" => login = Some(Login::new(first, second)),
            "usage" => usage = tokens(rest)?,
            _ => turns.push(Turn::from(reply(kind, rest, first, second)?).with_usage(usage)),
        }
    }
    let script = Script::new(turns);
    Ok(match login {
        Some(login) => script.with_login(login),
        None => script,
    })
}

fn line(request: &Received) -> serde_json::Value {
    json!({
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "headers": request.headers,
        "turn": request.prompt.as_ref().map(|prompt| prompt.turn),
        "tools": request.prompt.as_ref().map(|prompt| &prompt.tools),
        "body": request.body,
    })
}

fn tokens(text: &str) -> io::Result<Usage> {
    let numbers: Result<Vec<u64>, _> = text.split(':').map(str::parse).collect();
    match numbers.map_err(io::Error::other)?[..] {
        [input, cached, output] => Ok(Usage {
            input,
            cached,
            output,
        }),
        _ => Err(io::Error::other("usage is three numbers")),
    }
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
        "endless" => Reply::Endless,
        "flood" => Reply::Flood {
            bytes: number(rest)?,
        },
        other => return Err(io::Error::other(format!("`{other}` is not a reply"))),
    })
}

fn entries(list: &str) -> Vec<TodoEntry> {
    let entry = |text: &str| {
        let (status, text) = if let Some(done) = text.strip_prefix('+') {
            (TodoStatus::Completed, done)
        } else if let Some(doing) = text.strip_prefix('>') {
            (TodoStatus::InProgress, doing)
        } else {
            (TodoStatus::Pending, text)
        };
        TodoEntry {
            text: text.to_owned(),
            status,
        }
    };
    list.split(',').map(entry).collect()
}
