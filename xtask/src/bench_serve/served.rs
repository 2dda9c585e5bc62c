//! A server of the release build, and what a person's program asks it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

/// Where the user's configuration is, in the project's directory.
pub(super) const USER: &str = ".user";

/// What it says besides who may sign in.
pub(super) const SETTINGS: &str = "sandbox.mode = \"off\"\n";

/// A server that runs, and the token of a person.
pub(super) struct Served {
    server: Child,
    address: String,
    token: String,
}

/// One answer.
pub(super) struct Answer {
    pub(super) body: String,
    pub(super) took: Duration,
}

impl Served {
    pub(super) fn start(signoff: &str, project: &Path) -> Result<Self, String> {
        let token = add_person(signoff, project)?;
        let mut server = command(signoff, project, &["serve", "--addr", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|why| format!("{signoff}: {why}"))?;
        let mut said = BufReader::new(server.stderr.take().ok_or("no stderr")?);
        let mut line = String::new();
        said.read_line(&mut line).map_err(|why| why.to_string())?;
        // What it says later must not stop it.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let address = line
            .split_once("http://")
            .and_then(|(_, rest)| rest.split_once('/'));
        let address = address
            .ok_or_else(|| format!("the server said {line:?}"))?
            .0
            .to_owned();
        Ok(Self {
            server,
            address,
            token,
        })
    }

    /// CPU time of all its threads so far.
    pub(super) fn cpu(&self) -> Duration {
        const TICKS_PER_SECOND: u64 = 100;
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.server.id())).unwrap_or_default();
        // The second field, the program's name in parentheses, may itself contain spaces.
        let fields = stat
            .rsplit_once(") ")
            .map_or("", |(_, fields)| fields)
            .split(' ');
        let ticks: u64 = fields
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
    }

    /// The most memory that it had at once, in bytes.
    pub(super) fn memory(&self) -> u64 {
        let status =
            fs::read_to_string(format!("/proc/{}/status", self.server.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kibibytes.unwrap_or_default() * 1024
    }

    pub(super) fn get(&self, path: &str) -> Result<Answer, String> {
        self.ask("GET", path)
    }

    pub(super) fn post(&self, path: &str) -> Result<Answer, String> {
        self.ask("POST", path)
    }

    fn ask(&self, method: &str, path: &str) -> Result<Answer, String> {
        let begun = Instant::now();
        let mut socket = self.send(method, path)?;
        let mut text = String::new();
        socket
            .read_to_string(&mut text)
            .map_err(|why| format!("{path}: {why}"))?;
        let took = begun.elapsed();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        if !head.starts_with("HTTP/1.1 200 ") {
            return Err(format!("{method} {path}: {head}\n{body}"));
        }
        Ok(Answer {
            body: body.to_owned(),
            took,
        })
    }

    /// Sends a request; the answer is still to be read.
    pub(super) fn send(&self, method: &str, path: &str) -> Result<TcpStream, String> {
        let Self { address, token, .. } = self;
        let failed = |why| format!("{path}: {why}");
        let mut socket = TcpStream::connect(address).map_err(failed)?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: 0\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).map_err(failed)?;
        Ok(socket)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

/// The token of a person whom the user's configuration names. Every server has another one.
fn add_person(signoff: &str, project: &Path) -> Result<String, String> {
    let config = project.join(USER).join("signoff/config.toml");
    let write =
        |text: &str| fs::write(&config, text).map_err(|why| format!("{}: {why}", config.display()));
    write(SETTINGS)?;
    let made = call(signoff, project, &["serve", "--add-person", "Bench"])?;
    let (token, section) = made.split_once('\n').ok_or("no token was made")?;
    write(&format!("{SETTINGS}{section}"))?;
    Ok(token.trim_start_matches("token: ").to_owned())
}

/// What a command of ours prints.
pub(super) fn call(signoff: &str, project: &Path, args: &[&str]) -> Result<String, String> {
    let output = command(signoff, project, args)
        .output()
        .map_err(|why| format!("{signoff}: {why}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!(
        "signoff {}: {}",
        args.join(" "),
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn command(signoff: &str, project: &Path, args: &[&str]) -> Process {
    let mut process = Process::new(signoff);
    process
        .args(args)
        .current_dir(project)
        .env("XDG_CONFIG_HOME", project.join(USER))
        .stdin(Stdio::null());
    process
}
