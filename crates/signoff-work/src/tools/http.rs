//! `http_request`.
//!
//! Redirects of `GET` and `HEAD` are followed here and not by the client, because it would take
//! headers along: whatever a plan sends to one server, a key of it perhaps, no other gets to see.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use ureq::Body;
use ureq::http::{Method, Request, Response, Uri};

use super::location::{self, Redirect};
use crate::call::{CallError, Limits};
use crate::http::{self, LARGEST};

const MOST_REDIRECTS: usize = 5;
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
    let call = HttpCall {
        environment,
        deadline: limits.deadline,
        too_long: limits.too_long(),
    };
    http::interruptible(&limits, move || call.send(args))
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
            let response =
                response.map_err(|error| http::call_error(&uri, error, &self.too_long))?;
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
            .map_err(|error| http::call_error(uri, error, &self.too_long))?;
        let body = String::from_utf8_lossy(&body).into_owned();
        if status.as_u16() >= 400 && !any_status {
            let message = format!(
                "`{uri}` answered with status {status}{}",
                http::first_line_of(&body)
            );
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
