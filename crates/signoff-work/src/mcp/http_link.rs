//! A server that is reached over streamable HTTP: every message is a request of its own, and the answer comes as JSON or in a
//! stream of events.
//!
//! What it sends is bounded in size and time, a redirect is not followed, and its token goes nowhere else.

use std::ffi::OsString;
use std::io::BufReader;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use serde_json::Value;
use signoff_plan::tools::server_url_problem;
use ureq::http::{HeaderValue, Request, Response, StatusCode, Uri};
use ureq::{Agent, Body};

use super::connection::STATELESS;
use super::request::{Outgoing, RequestError};
use super::sse::read_events;
use super::wire::{self, RpcError, ServerMessage};
use crate::call::{CallError, Limits};
use crate::http::{self, LARGEST};

/// How long a server may take to read what it needs not answer.
const ASIDE: Duration = Duration::from_secs(5);
/// The same where a person waits for the end.
const PARTING: Duration = Duration::from_secs(1);
const SESSION: &str = "mcp-session-id";
/// Far longer than any server's.
const LONGEST_SESSION: usize = 1024;

/// A token, and the variable that it comes from.
#[derive(Clone, PartialEq, Eq)]
pub struct BearerToken {
    /// The name of the variable.
    pub variable: String,
    /// Its value, if it has one.
    pub value: Option<String>,
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("BearerToken");
        shown
            .field("variable", &self.variable)
            .finish_non_exhaustive()
    }
}

/// The way to a server.
#[derive(Debug)]
pub(super) struct HttpLink(Arc<Remote>);

struct Remote {
    name: String,
    uri: Uri,
    token: Option<BearerToken>,
    environment: Vec<(OsString, OsString)>,
    session: Mutex<Session>,
    /// It has forgotten us, or we have hung up.
    is_over: AtomicBool,
}

/// What every request says besides its message.
#[derive(Debug, Clone, Default)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Remote");
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

impl HttpLink {
    /// Nothing is sent yet. `environment` is where the proxy is taken from.
    pub(super) fn new(
        name: &str,
        url: &str,
        token: Option<&BearerToken>,
        environment: &[(OsString, OsString)],
    ) -> Result<Self, CallError> {
        let refused =
            |why: &str| CallError::lasting(format!("server `{name}` is not asked: {why}"));
        if let Some(why) = server_url_problem(url) {
            return Err(refused(&why));
        }
        let uri = url
            .parse()
            .map_err(|_| refused("its `url` is not an address"))?;
        if let Some(BearerToken { variable, value }) = token
            && value.as_ref().is_none_or(|value| value.trim().is_empty())
        {
            return Err(refused(&format!(
                "`{variable}`, which has its token, is not set"
            )));
        }
        Ok(Self(Arc::new(Remote {
            name: name.to_owned(),
            uri,
            token: token.cloned(),
            environment: environment.to_vec(),
            session: Mutex::default(),
            is_over: AtomicBool::new(false),
        })))
    }

    /// Whether it can still be asked.
    pub(super) fn is_open(&self) -> bool {
        !self.0.is_over.load(Ordering::Relaxed)
    }

    /// Which version requests say that they are of.
    pub(super) fn agree_on(&self, version: &str) {
        self.0.session().version = HeaderValue::from_str(version).ok();
    }

    /// Ends the session, if there is one: a server need not keep it until it is tired of it.
    pub(super) fn hang_up(&self) {
        let remote = &self.0;
        remote.is_over.store(true, Ordering::Relaxed);
        let before = remote.session().clone();
        remote.session().id = None;
        if before.id.is_none() {
            return;
        }
        let request = remote.builder("DELETE", &before);
        if let Some(request) = request.ok().and_then(|one| one.body(Vec::new()).ok()) {
            drop(remote.agent(Instant::now() + PARTING).run(request));
        }
    }

    /// Says what needs no answer. It is sent before anything that follows.
    pub(super) fn notify(&self, message: &Value, until: Instant) {
        let until = until.min(Instant::now() + ASIDE);
        drop(self.0.post(message, None, until));
    }

    /// Asks, and waits for the answer.
    pub(super) fn request(
        &self,
        request: &Outgoing<'_>,
        limits: &Limits<'_>,
    ) -> Result<Value, RequestError> {
        let (remote, id) = (Arc::clone(&self.0), request.id);
        let message = request.message();
        let headers = (request.method.to_owned(), request.tool().map(str::to_owned));
        let asking = Asking {
            id,
            deadline: limits.deadline,
            too_long: limits.too_long(),
            stop: limits.stop.clone(),
        };
        let too_long = limits.too_long();
        let answered =
            http::interruptible(limits, move || Ok(remote.ask(&message, &headers, &asking)));
        let answer = answered
            .map_err(RequestError::Call)
            .and_then(|answer| answer);
        if let Err(RequestError::Call(fault)) = &answer
            && (*fault == CallError::Stopped || *fault == too_long)
        {
            self.0.say_aside(wire::cancel_notification(id));
        }
        answer
    }
}

impl Drop for HttpLink {
    fn drop(&mut self) {
        self.hang_up();
    }
}

/// Until when an answer is waited for, and to which request.
struct Asking {
    id: u64,
    deadline: Instant,
    too_long: CallError,
    stop: crate::call::StopFlag,
}

/// The method, and the tool that it calls.
type MethodHeaders = (String, Option<String>);

impl Remote {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a notification, which has no answer.
    fn say_aside(self: &Arc<Self>, message: Value) {
        let remote = Arc::clone(self);
        let send = move || drop(remote.post(&message, None, Instant::now() + ASIDE));
        let sender = thread::Builder::new().name("signoff-http".to_owned());
        drop(sender.spawn(send));
    }

    fn ask(
        self: &Arc<Self>,
        message: &Value,
        headers: &MethodHeaders,
        asking: &Asking,
    ) -> Result<Value, RequestError> {
        let response = self.post(message, Some(headers), asking.deadline);
        let response = response.map_err(|why| self.failure(why, asking))?;
        let had_session = self.session().id.is_some();
        if let Some(id) = response.headers().get(SESSION)
            && !had_session
        {
            self.session().id = Some(self.session_id(id)?);
        }
        match response.status() {
            status if status.is_success() => self.answer(response, asking),
            status => Err(self.refusal(status, had_session, response)),
        }
    }

    /// A session's id goes back in a header, and must be what a header can hold.
    fn session_id(&self, id: &HeaderValue) -> Result<HeaderValue, CallError> {
        let is_visible = |byte: &u8| (0x21..=0x7e).contains(byte);
        let bytes = id.as_bytes();
        if bytes.is_empty() || bytes.len() > LONGEST_SESSION || !bytes.iter().all(is_visible) {
            let name = &self.name;
            let message = format!("server `{name}` gave its session an id that is none");
            return Err(CallError::lasting(message));
        }
        Ok(id.clone())
    }

    fn builder(
        &self,
        method: &str,
        session: &Session,
    ) -> Result<ureq::http::request::Builder, CallError> {
        let mut request = Request::builder().method(method).uri(&self.uri);
        if let Some(token) = self.token.as_ref().and_then(|token| token.value.as_ref()) {
            let value = HeaderValue::from_str(&format!("Bearer {}", token.trim()));
            let mut value = value.map_err(|_| self.cannot_send())?;
            value.set_sensitive(true);
            request = request.header("authorization", value);
        }
        if let Some(id) = &session.id {
            request = request.header(SESSION, id);
        }
        if let Some(version) = &session.version {
            request = request.header("mcp-protocol-version", version);
        }
        Ok(request)
    }

    /// What does not leave the machine goes through no proxy: the token would be in the open.
    fn agent(&self, deadline: Instant) -> Agent {
        let is_encrypted = self.uri.scheme_str() == Some("https");
        let environment: &[_] = if is_encrypted { &self.environment } else { &[] };
        let left = deadline.saturating_duration_since(Instant::now());
        http::agent(&self.uri, environment, left)
    }

    fn cannot_send(&self) -> CallError {
        let variable = self.token.as_ref().map(|token| token.variable.as_str());
        let what = variable.map_or_else(
            || "the request".to_owned(),
            |variable| format!("the value of `{variable}`"),
        );
        let name = &self.name;
        CallError::lasting(format!(
            "server `{name}` is not asked: {what} cannot be sent"
        ))
    }

    fn post(
        &self,
        message: &Value,
        headers: Option<&MethodHeaders>,
        deadline: Instant,
    ) -> Result<Response<Body>, PostError> {
        let session = self.session().clone();
        let mut request = self
            .builder("POST", &session)?
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let is_stateless = session.version.is_some_and(|version| version == STATELESS);
        if let (Some((method, tool)), true) = (headers, is_stateless) {
            request = request.header("mcp-method", method);
            if let Some(tool) = tool {
                request = request.header("mcp-name", tool);
            }
        }
        let request = request.body(message.to_string().into_bytes());
        let request = request.map_err(|_| self.cannot_send())?;
        Ok(self.agent(deadline).run(request)?)
    }

    /// The answer in a body that is JSON or a stream of events.
    fn answer(
        self: &Arc<Self>,
        mut response: Response<Body>,
        asking: &Asking,
    ) -> Result<Value, RequestError> {
        let is_stream = response.body().mime_type() == Some("text/event-stream");
        let body = response.body_mut().with_config().limit(LARGEST);
        let mut found = None;
        let read = if is_stream {
            read_events(BufReader::new(body.reader()), |data| {
                if asking.stop.is_raised() {
                    return ControlFlow::Break(());
                }
                found = self.find_answer(data, asking.id);
                match found {
                    Some(_) => ControlFlow::Break(()),
                    None => ControlFlow::Continue(()),
                }
            })
            .map_err(ureq::Error::from)
        } else {
            body.read_to_vec().map(|bytes| {
                found = self.find_answer(&bytes, asking.id);
            })
        };
        match (found, read) {
            (Some(answer), _) => answer.map_err(|mut refusal| {
                refusal.message = self.without_token(&refusal.message);
                RequestError::Refused(refusal)
            }),
            (None, Err(why)) => Err(self.failure(PostError::Http(why), asking).into()),
            (None, Ok(())) => Err(CallError::cut_off(format!(
                "server `{}` ended its answer without a result",
                self.name
            ))
            .into()),
        }
    }

    /// The answer to this request among the messages; those that ask something of us are answered.
    fn find_answer(self: &Arc<Self>, data: &[u8], wanted: u64) -> Option<Result<Value, RpcError>> {
        let mut found = None;
        for message in wire::incoming(data) {
            match message {
                ServerMessage::Answer { id, answer } if id == wanted => {
                    found = Some(answer.map(|value| self.value_without_token(value)));
                }
                ServerMessage::Request { reply } => self.say_aside(reply),
                ServerMessage::Answer { .. } | ServerMessage::Nothing => {}
            }
        }
        found
    }

    /// What a status other than success means.
    fn refusal(
        &self,
        status: StatusCode,
        had_session: bool,
        mut response: Response<Body>,
    ) -> RequestError {
        let name = &self.name;
        let body = response.body_mut().with_config().limit(LARGEST);
        let body = self.without_token(&body.read_to_string().unwrap_or_default());
        if status == StatusCode::NOT_FOUND && had_session {
            self.is_over.store(true, Ordering::Relaxed);
            let message = format!("server `{name}` has ended the session");
            return CallError::transient(message).into();
        }
        let parsed = serde_json::from_str::<Value>(&body).ok();
        let said = parsed.and_then(|body| {
            let message = body.get("error")?.get("message")?;
            message.as_str().map(str::to_owned)
        });
        if let (Some(message), true) = (said, status.is_client_error()) {
            return RequestError::Refused(RpcError { message });
        }
        let quoted = http::first_line_of(&body);
        match status.as_u16() {
            300..=399 => CallError::lasting(format!(
                "server `{name}` redirects, which is not followed; its `url` must be where it is"
            )),
            401 | 403 => {
                let hint = match &self.token {
                    Some(token) => format!("the token in `{}` does not do", token.variable),
                    None => "`token_env` names the variable that has its token".to_owned(),
                };
                CallError::lasting(format!(
                    "server `{name}` answered with status {status}; {hint}"
                ))
            }
            429 | 503 => CallError::transient(format!(
                "server `{name}` answered with status {status}{quoted}"
            )),
            500.. => CallError::cut_off(format!(
                "server `{name}` answered with status {status}{quoted}"
            )),
            _ => CallError::lasting(format!(
                "server `{name}` answered with status {status}{quoted}"
            )),
        }
        .into()
    }

    fn failure(&self, why: PostError, asking: &Asking) -> CallError {
        match why {
            PostError::Call(fault) => fault,
            PostError::Http(why) if http::is_cut_off(&why) => CallError::cut_off(format!(
                "the connection to server `{}` was lost: {why}",
                self.name
            )),
            PostError::Http(why) => http::call_error(&self.uri, why, &asking.too_long),
        }
    }

    fn without_token(&self, text: &str) -> String {
        let token = self.token.as_ref().and_then(|token| token.value.as_deref());
        match token.map(str::trim) {
            Some(token) if !token.is_empty() => text.replace(token, "***"),
            _ => text.to_owned(),
        }
    }

    /// The same without the token, should the server say it again.
    fn value_without_token(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.without_token(&text).into(),
            Value::Array(values) => {
                let values = values.into_iter().map(|one| self.value_without_token(one));
                values.collect()
            }
            Value::Object(members) => {
                let members = members.into_iter();
                let members = members
                    .map(|(name, one)| (self.without_token(&name), self.value_without_token(one)));
                Value::Object(members.collect())
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
        }
    }
}

/// Why a message was not sent, or has no answer.
enum PostError {
    Call(CallError),
    Http(ureq::Error),
}

impl From<CallError> for PostError {
    fn from(fault: CallError) -> Self {
        Self::Call(fault)
    }
}

impl From<ureq::Error> for PostError {
    fn from(why: ureq::Error) -> Self {
        Self::Http(why)
    }
}
