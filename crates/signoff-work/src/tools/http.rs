//! `http_request`.
//!
//! Redirects of `GET` and `HEAD` are followed here and not by the client, because it would take
//! headers along: whatever a plan sends to one server, a key of it perhaps, no other gets to see.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use ureq::http::{Method, Request, Response, Uri};
use ureq::{Body, Error};

use super::location::{self, Redirect};
use crate::call::{CallError, Limits};
use crate::http;

/// Bytes of a body that a result can hold.
const LARGEST: u64 = 16 * 1024 * 1024;
const MOST_REDIRECTS: usize = 5;
/// Bytes of a body that a failure quotes.
const QUOTED: usize = 300;
/// Headers that every server may see.
const HARMLESS: [&str; 3] = ["accept", "accept-language", "user-agent"];

#[derive(Deserialize)]
pub(super) struct HttpRequestArguments {
    url: String,
    method: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    timeout_seconds: Option<u64>,
    #[serde(default)]
    any_status: bool,
}

/// Sends it from its own thread, so that a stop does not wait for the server.
pub(super) fn http_request(
    args: HttpRequestArguments,
    environment: Vec<(OsString, OsString)>,
    limits: &Limits<'_>,
) -> Result<Value, CallError> {
    let limits = limits.at_most(args.timeout_seconds.map(Duration::from_secs));
    let (deadline, too_long) = (limits.deadline, limits.too_long());
    let (result_sender, result_receiver) = channel();
    let stopped = result_sender.clone();
    let listening = limits
        .stop
        .when_raised(move || drop(stopped.send(Err(CallError::Stopped))));
    limits.check()?;
    let sender = thread::Builder::new().name("signoff-http".to_owned());
    let sent = sender.spawn(move || {
        let sending = HttpCall {
            environment,
            deadline,
            too_long,
        };
        drop(result_sender.send(sending.send(args)));
    });
    sent.map_err(|error| CallError::lasting(format!("cannot send the request: {error}")))?;
    let result = result_receiver.recv().unwrap_or(Err(CallError::Stopped));
    drop(listening);
    result
}

struct HttpCall {
    environment: Vec<(OsString, OsString)>,
    deadline: Instant,
    too_long: CallError,
}

impl HttpCall {
    fn send(self, mut args: HttpRequestArguments) -> Result<Value, CallError> {
        let method = args.method.as_deref().unwrap_or("GET");
        let method = Method::from_bytes(method.as_bytes());
        let method = method.map_err(|error| CallError::lasting(format!("`method`: {error}")))?;
        let mut uri = location::parse(&args.url)?;
        let follows = matches!(method, Method::GET | Method::HEAD);
        for _ in 0..=MOST_REDIRECTS {
            let request = request(&method, &uri, &args)?;
            let left = self.deadline.saturating_duration_since(Instant::now());
            let response = http::agent(&uri, &self.environment, left).run(request);
            let response = response.map_err(|error| self.http_error(&uri, error))?;
            let to = response.headers().get("location");
            let to = to.and_then(|to| to.to_str().ok());
            let (Some(to), true, true) = (to, follows, response.status().is_redirection()) else {
                return self.result(&uri, response, args.any_status);
            };
            match location::follow(&uri, to)? {
                Redirect::SameServer(next) => uri = next,
                Redirect::OtherServer(next) => {
                    uri = next;
                    args.headers
                        .retain(|name, _| HARMLESS.contains(&name.to_lowercase().as_str()));
                }
            }
        }
        let message = format!("`{}` redirects more than {MOST_REDIRECTS} times", args.url);
        Err(CallError::lasting(message))
    }

    fn result(
        &self,
        uri: &Uri,
        mut response: Response<Body>,
        any_status: bool,
    ) -> Result<Value, CallError> {
        let status = response.status();
        let body = response.body_mut().with_config().limit(LARGEST);
        let body = body
            .read_to_vec()
            .map_err(|error| self.http_error(uri, error))?;
        let body = String::from_utf8_lossy(&body).into_owned();
        if status.as_u16() >= 400 && !any_status {
            let message = format!("`{uri}` answered with status {status}{}", quoted(&body));
            let transient = status.as_u16() == 429 || status.is_server_error();
            return Err(CallError::Failed { message, transient });
        }
        let headers = headers(&response);
        let mut result = json!({"status": status.as_u16(), "headers": headers, "body": body});
        if response.body().mime_type().is_some_and(is_json)
            && let Ok(parsed) = serde_json::from_str::<Value>(&body)
            && let Value::Object(members) = &mut result
        {
            members.insert("json".to_owned(), parsed);
        }
        Ok(result)
    }

    /// What kept us from a whole answer. A connection that failed may succeed later.
    fn http_error(&self, uri: &Uri, error: Error) -> CallError {
        match error {
            Error::Timeout(_) => self.too_long.clone(),
            Error::BodyExceedsLimit(_) => {
                CallError::lasting(format!("the answer of `{uri}` is larger than 16 MiB"))
            }
            Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                self.too_long.clone()
            }
            Error::Io(error)
                if error
                    .get_ref()
                    .and_then(|inner| inner.downcast_ref::<rustls::Error>())
                    .is_some() =>
            {
                CallError::lasting(format!("`{uri}` cannot be trusted: {error}"))
            }
            Error::Io(_) | Error::HostNotFound | Error::ConnectionFailed => {
                CallError::transient(format!("cannot reach `{uri}`: {error}"))
            }
            error => CallError::lasting(format!("cannot request `{uri}`: {error}")),
        }
    }
}

/// The beginning of a body on one line, behind a message: it may be a whole page.
fn quoted(body: &str) -> String {
    let beginning = &body[..body.floor_char_boundary(QUOTED)];
    let words: Vec<&str> = beginning.split_whitespace().collect();
    match words.join(" ") {
        nothing if nothing.is_empty() => nothing,
        text if beginning.len() < body.len() => format!(": {text}…"),
        text => format!(": {text}"),
    }
}

fn request(
    method: &Method,
    uri: &Uri,
    args: &HttpRequestArguments,
) -> Result<Request<Vec<u8>>, CallError> {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in &args.headers {
        request = request.header(name, value);
    }
    let body = args.body.clone().unwrap_or_default().into_bytes();
    let request = request.body(body);
    request.map_err(|error| CallError::lasting(format!("the request cannot be sent: {error}")))
}

/// Names in small letters; what came several times, as the protocol joins it.
fn headers(response: &Response<Body>) -> Map<String, Value> {
    let mut headers = Map::new();
    for name in response.headers().keys() {
        let values = response.headers().get_all(name).iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        headers.insert(name.as_str().to_owned(), values.join(", ").into());
    }
    headers
}

fn is_json(mime: &str) -> bool {
    let mime = mime.to_ascii_lowercase();
    mime == "application/json" || mime.ends_with("+json")
}
