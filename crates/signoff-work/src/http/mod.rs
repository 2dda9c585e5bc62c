//! The client behind every request of ours: its certificates, its proxy, its time, and what its failures mean.

mod proxy;
pub mod stream;

use std::ffi::OsString;
use std::sync::mpsc::channel;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Error};

use crate::call::{CallError, Limits};

/// Bytes of a body that is read.
pub(crate) const LARGEST: u64 = 16 * 1024 * 1024;
/// Bytes of a body that a failure quotes.
const QUOTED: usize = 300;
const WHO: &str = concat!("signoff/", env!("CARGO_PKG_VERSION"));

/// Does it in a thread of its own, so that a stop does not wait for the server.
pub(crate) fn interruptible<T: Send + 'static>(
    limits: &Limits<'_>,
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    let (result_sender, result_receiver) = channel();
    let stopped = result_sender.clone();
    let listening = limits
        .stop
        .when_raised(move || drop(stopped.send(Err(CallError::Stopped))));
    limits.check()?;
    let sender = thread::Builder::new().name("signoff-http".to_owned());
    let sent = sender.spawn(move || drop(result_sender.send(work())));
    sent.map_err(|error| CallError::lasting(format!("cannot send the request: {error}")))?;
    let result = result_receiver.recv().unwrap_or(Err(CallError::Stopped));
    drop(listening);
    result
}

/// A client for requests to this server. It follows no redirect: it would take headers along.
pub(crate) fn agent(uri: &Uri, environment: &[(OsString, OsString)], time: Duration) -> Agent {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(roots(uri))
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .proxy(proxy::for_server(uri, environment))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        // Zero would mean no limit.
        .timeout_global(Some(time.max(Duration::from_millis(1))))
        .user_agent(WHO)
        .build()
        .new_agent()
}

/// Whom a server may be vouched for by: the machine's own certificates, among which a company may have
/// put one of its own. They are read once.
fn roots(uri: &Uri) -> RootCerts {
    static ROOTS: OnceLock<RootCerts> = OnceLock::new();
    if uri.scheme_str() != Some("https") {
        return RootCerts::new_with_certs(&[]);
    }
    let load = || {
        let found = rustls_native_certs::load_native_certs().certs;
        let certificates = found
            .iter()
            .map(|der| Certificate::from_der(der).to_owned());
        RootCerts::from(certificates)
    };
    ROOTS.get_or_init(load).clone()
}

/// What kept us from a whole answer. A connection that failed may succeed later.
pub(crate) fn call_error(uri: &Uri, error: Error, too_long: &CallError) -> CallError {
    match error {
        Error::Timeout(_) => too_long.clone(),
        Error::BodyExceedsLimit(_) => {
            CallError::lasting(format!("the answer of `{uri}` is larger than 16 MiB"))
        }
        Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => too_long.clone(),
        Error::Io(error) if is_distrust(&error) => {
            CallError::lasting(format!("`{uri}` cannot be trusted: {error}"))
        }
        Error::Io(_) | Error::HostNotFound | Error::ConnectionFailed => {
            CallError::transient(format!("cannot reach `{uri}`: {error}"))
        }
        error => CallError::lasting(format!("cannot request `{uri}`: {error}")),
    }
}

/// Was the connection lost when the request may have been read already?
pub(crate) fn is_cut_off(error: &Error) -> bool {
    use std::io::ErrorKind::{ConnectionRefused, HostUnreachable, NetworkUnreachable, TimedOut};
    matches!(error, Error::Io(why) if !is_distrust(why)
        && !matches!(why.kind(), ConnectionRefused | HostUnreachable | NetworkUnreachable | TimedOut))
}

fn is_distrust(error: &std::io::Error) -> bool {
    let inner = error.get_ref();
    inner.is_some_and(|inner| inner.downcast_ref::<rustls::Error>().is_some())
}

/// The beginning of a body on one line, behind a message: it may be a whole page.
pub(crate) fn first_line_of(body: &str) -> String {
    let beginning = &body[..body.floor_char_boundary(QUOTED)];
    let words: Vec<&str> = beginning.split_whitespace().collect();
    match words.join(" ") {
        nothing if nothing.is_empty() => nothing,
        text if beginning.len() < body.len() => format!(": {text}…"),
        text => format!(": {text}"),
    }
}
