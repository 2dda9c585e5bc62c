//! Requests that another site makes a browser send, and names that lead here although they are not ours.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::error::HttpError;
use crate::state::AppState;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Answers only requests that name this server, and writes only what its own pages send.
pub(crate) async fn refuse_strangers(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, HttpError> {
    let hosts = own_hosts(state.address);
    let is_write = !request.method().is_safe();
    check_host(request.headers(), &hosts)?;
    if is_write {
        check_origin(request.headers(), &hosts)?;
    }
    Ok(next.run(request).await)
}

/// The names of this server, as browsers say them.
fn own_hosts(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut hosts = vec![address.to_string()];
    if address.ip().is_loopback() {
        hosts.push(format!("localhost:{port}"));
    }
    hosts
}

/// A site whose name was made to lead to this machine says its own name.
fn check_host(headers: &HeaderMap, hosts: &[String]) -> Result<(), HttpError> {
    let mut said = headers.get_all(HOST).into_iter();
    let host = said.next().and_then(|host| host.to_str().ok());
    match host {
        Some(host) if is_one(host, hosts) && said.next().is_none() => Ok(()),
        _ => {
            let message = "the request names another host than this server";
            let hint = format!("this server is `http://{}`", hosts[0]);
            let status = StatusCode::MISDIRECTED_REQUEST;
            Err(HttpError::new(status, "wrong-host", message, &[&hint]))
        }
    }
}

/// Browsers say where a request that writes comes from.
fn check_origin(headers: &HeaderMap, hosts: &[String]) -> Result<(), HttpError> {
    let foreign = || {
        let message = "the request comes from another site";
        HttpError::new(StatusCode::FORBIDDEN, "cross-site", message, &[])
    };
    if let Some(site) = headers.get(FETCH_SITE)
        && site != "same-origin"
        && site != "none"
    {
        return Err(foreign());
    }
    let Some(origin) = headers.get(ORIGIN) else {
        // No browser: it has no session of anybody else to abuse.
        return Ok(());
    };
    let host = origin.to_str().ok();
    let host = host.and_then(|origin| origin.strip_prefix("http://"));
    match host {
        Some(host) if is_one(host, hosts) => Ok(()),
        _ => Err(foreign()),
    }
}

fn is_one(host: &str, hosts: &[String]) -> bool {
    hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let name = HeaderName::from_static(name);
            (name, HeaderValue::from_static(value))
        });
        pairs.collect()
    }

    fn hosts() -> Vec<String> {
        own_hosts("127.0.0.1:4180".parse().unwrap())
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let check = |host: &[(&'static str, &'static str)], expected: bool| {
            let answered = check_host(&headers(host), &hosts()).is_ok();
            assert_eq!(answered, expected, "{host:?}");
        };
        check(&[("host", "127.0.0.1:4180")], true);
        check(&[("host", "LOCALHOST:4180")], true);
        for other in [
            "127.0.0.1",
            "127.0.0.1:4181",
            "evil.example:4180",
            "localhost.evil.example:4180",
            "",
        ] {
            check(&[("host", other)], false);
        }
        check(&[], false);
    }

    #[test]
    fn only_our_own_pages_write() {
        let check = |sent: &[(&'static str, &'static str)], expected: bool| {
            let written = check_origin(&headers(sent), &hosts()).is_ok();
            assert_eq!(written, expected, "{sent:?}");
        };
        check(&[], true);
        check(&[("origin", "http://127.0.0.1:4180")], true);
        check(
            &[
                ("origin", "http://localhost:4180"),
                ("sec-fetch-site", "same-origin"),
            ],
            true,
        );
        check(&[("origin", "http://127.0.0.1:9999")], false);
        check(&[("origin", "https://evil.example")], false);
        check(&[("origin", "null")], false);
        check(&[("sec-fetch-site", "cross-site")], false);
        check(&[("sec-fetch-site", "same-site")], false);
    }
}
