//! A client of a tool server, as bare as possible: what is measured is the server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server that has answered `initialize`.
pub(super) struct Session {
    server: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
    /// From the start of the process to its first answer.
    pub(super) began_in: Duration,
}

impl Session {
    pub(super) fn start(command: &[String], project: &Path) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", command.join(" "));
        let (program, args) = command.split_first().ok_or("no program")?;
        let begun = Instant::now();
        let mut server = Command::new(program)
            .args(args)
            .current_dir(project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| failed(&why))?;
        let stdin = server.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(server.stdout.take().ok_or("no stdout")?);
        let mut session = Self {
            server,
            stdin,
            stdout,
            next: 0,
            began_in: Duration::ZERO,
        };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
        session.request("initialize", &hello)?;
        session.began_in = begun.elapsed();
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(session.stdin, "{initialized}").map_err(|why| failed(&why))?;
        Ok(session)
    }

    /// Calls a tool; returns how long it took and the result.
    pub(super) fn call(
        &mut self,
        name: &str,
        arguments: &Value,
    ) -> Result<(Duration, Value), String> {
        let params = json!({"name": name, "arguments": arguments});
        let (time, answer) = self.request("tools/call", &params)?;
        if answer["result"]["isError"] == true || answer.get("error").is_some() {
            return Err(format!("{name}: {answer}"));
        }
        Ok((time, answer))
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<(Duration, Value), String> {
        self.next += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let mut line = request.to_string();
        line.push('\n');
        let broken = |why: std::io::Error| format!("{method}: {why}");
        let begun = Instant::now();
        self.stdin.write_all(line.as_bytes()).map_err(broken)?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).map_err(broken)?;
        let time = begun.elapsed();
        let answer = serde_json::from_str(&answer).map_err(|why| format!("{method}: {why}"))?;
        Ok((time, answer))
    }

    /// Closes its input and waits for its end.
    pub(super) fn end(self) -> Result<(), String> {
        let Self {
            mut server, stdin, ..
        } = self;
        drop(stdin);
        server.wait().map(|_| ()).map_err(|why| why.to_string())
    }
}
