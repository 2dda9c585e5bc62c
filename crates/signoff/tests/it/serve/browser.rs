//! A server of the real binary, and what a browser or a program sends to it.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;
use signoff_testkit::{PATIENCE, Project, Running};

/// A server, with the session of a person who signed in.
pub(crate) struct Served {
    pub(crate) server: Running,
    pub(crate) address: String,
    pub(crate) cookie: String,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

impl Response {
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// The code of the error.
    #[track_caller]
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        assert_eq!(json["schema"], "signoff.error/1", "{self:?}");
        json["code"].as_str().expect("errors have codes").to_owned()
    }
}

impl Served {
    /// Starts a server and signs in with the code that it shows.
    #[track_caller]
    pub(crate) fn signed_in(project: &Project) -> Self {
        let mut served = Self::started(project, &[], &[]);
        let code = served.code();
        let body = format!("code={code}");
        let answer = served.form("/sign-in", &body);
        assert_eq!(answer.status, 303, "{answer:?}");
        served.cookie = cookie_of(&answer);
        served
    }

    /// Starts a server.
    #[track_caller]
    pub(crate) fn started(project: &Project, variables: &[(&str, &str)], more: &[&str]) -> Self {
        let mut args = vec!["serve", "--addr", "127.0.0.1:0"];
        args.extend(more);
        let mut server = project.spawn_with(variables, args);
        let mut address = None;
        let begun = std::time::Instant::now();
        while address.is_none() && server.is_running() && begun.elapsed() < PATIENCE {
            let said = server.stderr_so_far();
            let line = said
                .lines()
                .find_map(|line| line.split_once("http://")?.1.split_once("/ until"));
            address = line.map(|(address, _)| address.to_owned());
            std::thread::yield_now();
        }
        let address = address.unwrap_or_else(|| panic!("{}", server.stderr_so_far()));
        Self {
            server,
            address,
            cookie: String::new(),
        }
    }

    /// The code that was shown last.
    #[track_caller]
    pub(crate) fn code(&mut self) -> String {
        let begun = std::time::Instant::now();
        loop {
            let said = self.server.stderr_so_far();
            let last = said
                .lines()
                .rev()
                .find_map(|line| line.split_once("with the code "));
            if let Some((_, code)) = last {
                return code.trim().to_owned();
            }
            assert!(begun.elapsed() < PATIENCE, "{said}");
            std::thread::yield_now();
        }
    }

    /// What forms of the session carry; `plan.md` is a plan that can be changed.
    #[track_caller]
    pub(crate) fn csrf(&self) -> String {
        let page = self.get("/plans/plan.md").body;
        let (_, after) = page.split_once("name=\"csrf\" value=\"").expect("a form");
        after.split('"').next().expect("a value").to_owned()
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send(&self.request("GET", path, &[], ""))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        let json = [("content-type", "application/json")];
        self.send(&self.request("POST", path, &json, &body.to_string()))
    }

    pub(crate) fn form(&self, path: &str, body: &str) -> Response {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        self.send(&self.request("POST", path, &form, body))
    }

    /// A request of the signed-in browser, with these headers.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> String {
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "host") {
            write!(text, "host: {}\r\n", self.address).expect("a text takes all");
        }
        if !self.cookie.is_empty() {
            write!(text, "cookie: {}\r\n", self.cookie).expect("a text takes all");
        }
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").expect("a text takes all");
        }
        format!("{text}\r\n{body}")
    }

    /// Sends bytes as they are, and reads the answer.
    #[track_caller]
    pub(crate) fn send(&self, request: &str) -> Response {
        let mut socket = self.connect();
        socket
            .write_all(request.as_bytes())
            .expect("the server reads");
        let mut answer = Vec::new();
        // A server that refuses a body may close before it has read all of it.
        drop(socket.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head
            .split_whitespace()
            .nth(1)
            .and_then(|code| code.parse().ok());
        let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        Response {
            status: status.unwrap_or_else(|| panic!("no answer to {request}: {answer}")),
            headers: head.to_owned(),
            body: if is_chunked {
                unchunked(body)
            } else {
                body.to_owned()
            },
        }
    }

    fn connect(&self) -> TcpStream {
        let socket = TcpStream::connect(&self.address).expect("the server listens");
        socket
            .set_read_timeout(Some(PATIENCE))
            .expect("a time is set");
        socket
    }

    /// Follows a stream.
    pub(crate) fn follow(&self, path: &str, last: Option<u64>) -> Stream {
        let id = last.map(|id| id.to_string());
        let headers: Vec<(&str, &str)> =
            id.iter().map(|id| ("last-event-id", id.as_str())).collect();
        let mut socket = self.connect();
        let request = self.request("GET", path, &headers, "");
        socket
            .write_all(request.as_bytes())
            .expect("the server reads");
        Stream {
            lines: BufReader::new(socket),
        }
    }
}

/// The pieces of a chunked body, together.
fn unchunked(body: &str) -> String {
    let (mut text, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let Some(piece) = after.get(..size).filter(|_| size > 0) else {
            break;
        };
        text += piece;
        rest = after.get(size + 2..).unwrap_or_default();
    }
    text
}

pub(crate) fn cookie_of(answer: &Response) -> String {
    let set = answer
        .headers
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "));
    let set = set.unwrap_or_else(|| panic!("{answer:?}"));
    set.split(';')
        .next()
        .expect("a cookie has a beginning")
        .to_owned()
}

/// Events as they come.
pub(crate) struct Stream {
    lines: BufReader<TcpStream>,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StreamEvent {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Iterator for Stream {
    type Item = StreamEvent;

    fn next(&mut self) -> Option<StreamEvent> {
        let (mut id, mut name) = (None, String::new());
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line);
            if read.expect("the server says something, or ends the stream") == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().ok();
            } else if let Some(text) = line.strip_prefix("event: ") {
                text.clone_into(&mut name);
            } else if let Some(text) = line.strip_prefix("data: ") {
                let data = serde_json::from_str(text).expect("events are JSON");
                let id = id.expect("events have numbers");
                return Some(StreamEvent { id, name, data });
            }
        }
    }
}
