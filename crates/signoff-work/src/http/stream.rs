//! A request whose answer is read while it comes, with a limit on how long it may say nothing.

use std::ffi::OsString;
use std::io::Read;
use std::net::IpAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::{Request, Uri};
use ureq::{Body, Error};

/// Bytes that are read at once.
const PIECE: usize = 16 * 1024;
/// Pieces that wait to be taken.
const WAITING: usize = 8;
/// How often it is looked whether the person stopped it.
const LOOK: Duration = Duration::from_millis(100);

/// A request with a body.
#[derive(Debug, Clone)]
pub struct Post {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// How long an answer may take.
#[derive(Debug, Clone, Copy)]
pub struct StreamLimits {
    /// Without a byte.
    pub idle: Duration,
    /// In all.
    pub deadline: Instant,
}

/// Why there is no answer, or no more of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamError {
    /// It would fail again.
    Refused(String),
    /// The connection failed, and may not fail again.
    Unreachable(String),
    /// Nothing came for too long.
    Idle,
    /// It was not complete in time.
    TimedOut,
    /// The person stopped it.
    Stopped,
}

/// The beginning of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseHead {
    pub status: u16,
    /// The header `retry-after`, as it came.
    pub retry_after: Option<String>,
}

enum Part {
    Head(ResponseHead),
    Bytes(Vec<u8>),
    End,
    Failed(StreamError),
}

/// An answer that is being read.
pub struct Stream {
    parts: Receiver<Part>,
    limits: StreamLimits,
    is_stopped: Box<dyn Fn() -> bool>,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

/// Sends a request and waits for the head of its answer. Only to encrypted servers, and to those of this machine.
pub fn post(
    post: Post,
    environment: Vec<(OsString, OsString)>,
    limits: StreamLimits,
    is_stopped: Box<dyn Fn() -> bool>,
) -> Result<(ResponseHead, Stream), StreamError> {
    let uri = server(&post.url)?;
    let (sender, parts) = sync_channel(WAITING);
    // From its own thread, so that neither a silent server nor a stop waits for the other.
    let thread = thread::Builder::new().name("signoff-model".to_owned());
    let sending = thread.spawn(move || {
        let time = limits.deadline.saturating_duration_since(Instant::now());
        let environment = if is_loopback(&uri) {
            Vec::new()
        } else {
            environment
        };
        let agent = super::agent(&uri, &environment, time);
        if let Err(error) = send(&agent, &uri, post, &sender) {
            drop(sender.send(Part::Failed(error)));
        }
    });
    sending.map_err(|error| StreamError::Refused(format!("cannot send the request: {error}")))?;
    let stream = Stream {
        parts,
        limits,
        is_stopped,
    };
    match stream.next_part()? {
        Part::Head(head) => Ok((head, stream)),
        Part::Failed(error) => Err(error),
        Part::Bytes(_) | Part::End => Err(StreamError::Unreachable("no answer came".to_owned())),
    }
}

impl Stream {
    /// The next bytes; `None` at the end.
    pub fn next_bytes(&mut self) -> Result<Option<Vec<u8>>, StreamError> {
        match self.next_part()? {
            Part::Bytes(bytes) => Ok(Some(bytes)),
            Part::End | Part::Head(_) => Ok(None),
            Part::Failed(error) => Err(error),
        }
    }

    fn next_part(&self) -> Result<Part, StreamError> {
        let idle_at = Instant::now() + self.limits.idle;
        loop {
            if (self.is_stopped)() {
                return Err(StreamError::Stopped);
            }
            match self.parts.recv_timeout(LOOK) {
                Ok(part) => return Ok(part),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(StreamError::Unreachable("the answer broke off".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= self.limits.deadline => {
                    return Err(StreamError::TimedOut);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= idle_at => {
                    return Err(StreamError::Idle);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// A receiver that has left ends it.
fn send(
    agent: &ureq::Agent,
    uri: &Uri,
    post: Post,
    parts: &SyncSender<Part>,
) -> Result<(), StreamError> {
    let mut request = Request::builder().method("POST").uri(uri);
    for (name, value) in &post.headers {
        request = request.header(*name, value);
    }
    // The error may hold a header's value.
    let unsendable = || StreamError::Refused(format!("a header for `{uri}` cannot be sent"));
    let request = request.body(post.body).map_err(|_| unsendable())?;
    let response = agent.run(request);
    let mut response = response.map_err(|error| stream_error(uri, error))?;
    let retry_after = response.headers().get("retry-after");
    let head = ResponseHead {
        status: response.status().as_u16(),
        retry_after: retry_after.and_then(|value| Some(value.to_str().ok()?.to_owned())),
    };
    if parts.send(Part::Head(head)).is_err() {
        return Ok(());
    }
    send_parts(uri, response.body_mut(), parts)
}

fn send_parts(uri: &Uri, body: &mut Body, parts: &SyncSender<Part>) -> Result<(), StreamError> {
    let mut reader = body.as_reader();
    let mut buffer = vec![0; PIECE];
    loop {
        let read = reader.read(&mut buffer);
        let read = read.map_err(|error| stream_error(uri, Error::from(error)))?;
        let part = match buffer.get(..read) {
            Some(bytes) if read > 0 => Part::Bytes(bytes.to_vec()),
            _ => Part::End,
        };
        if parts.send(part).is_err() || read == 0 {
            return Ok(());
        }
    }
}

fn stream_error(uri: &Uri, error: Error) -> StreamError {
    match error {
        Error::Timeout(_) => StreamError::TimedOut,
        Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => StreamError::TimedOut,
        Error::Io(error)
            if error
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<rustls::Error>())
                .is_some() =>
        {
            StreamError::Refused(format!("`{uri}` cannot be trusted: {error}"))
        }
        Error::Io(_) | Error::HostNotFound | Error::ConnectionFailed => {
            StreamError::Unreachable(format!("cannot reach `{uri}`: {error}"))
        }
        error => StreamError::Unreachable(format!("`{uri}` answered wrongly: {error}")),
    }
}

fn server(url: &str) -> Result<Uri, StreamError> {
    let refused = |why: &str| StreamError::Refused(format!("`{url}` is not used: {why}"));
    let uri: Uri = url.parse().map_err(|_| refused("it is not an address"))?;
    match uri.scheme_str() {
        Some("https") => Ok(uri),
        Some("http") if is_loopback(&uri) => Ok(uri),
        Some("http") => Err(refused(
            "only a server of this machine is spoken to without TLS",
        )),
        _ => Err(refused("it must begin with `https://`")),
    }
}

fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<IpAddr> = address.parse().ok();
    host.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_spoken_to_without_tls() {
        for good in [
            "https://api.example.com/v1",
            "http://127.0.0.1:1/x",
            "http://[::1]:1/",
            "http://LOCALHOST/",
        ] {
            assert!(server(good).is_ok(), "{good}");
        }
        for bad in [
            "http://api.example.com/v1",
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com/",
            "ftp://127.0.0.1/",
            "not an address",
        ] {
            assert!(matches!(server(bad), Err(StreamError::Refused(_))), "{bad}");
        }
    }
}
