//! Requests that another site makes a browser send, and names that lead here although they are not ours.

use std::net::SocketAddr;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::error::HttpError;
use crate::options::PublicUrl;
use crate::state::AppState;

/// A scheme and a host.
type Origin = (&'static str, String);

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Answers only requests that name this server, and writes only what its own pages send.
pub(crate) async fn refuse_strangers(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, HttpError> {
    let origins = own_origins(state.address, state.options.url.as_ref());
    if has_control(request.uri().path()) {
        return Err(HttpError::bad_request("no name has control characters"));
    }
    let is_write = !request.method().is_safe();
    check_host(request.headers(), &origins)?;
    // What a request line names counts more than the header: neither may lead elsewhere.
    if let Some(named) = request.uri().authority()
        && !is_own(named.as_str(), &origins)
    {
        return Err(wrong_host(&origins));
    }
    if is_write {
        check_origin(request.headers(), &origins)?;
    }
    Ok(next.run(request).await)
}

/// Does a path have control characters in it? As browsers write them.
fn has_control(path: &str) -> bool {
    let digits = path.split('%').skip(1).filter_map(|rest| rest.get(..2));
    let mut bytes = digits.filter_map(|digits| u8::from_str_radix(digits, 16).ok());
    bytes.any(|byte| byte.is_ascii_control())
}

/// The names of this server, as browsers say them: scheme and host.
fn own_origins(address: SocketAddr, url: Option<&PublicUrl>) -> Vec<Origin> {
    let port = address.port();
    let mut origins = vec![("http", address.to_string())];
    if address.ip().is_loopback() {
        origins.push(("http", format!("localhost:{port}")));
    }
    if let Some(url) = url {
        let scheme = if url.is_secure { "https" } else { "http" };
        origins.insert(0, (scheme, url.host.clone()));
    }
    origins
}

/// A site whose name was made to lead to this machine says its own name.
fn check_host(headers: &HeaderMap, origins: &[Origin]) -> Result<(), HttpError> {
    let mut said = headers.get_all(HOST).into_iter();
    let host = said.next().and_then(|host| host.to_str().ok());
    match host {
        Some(host) if is_own(host, origins) && said.next().is_none() => Ok(()),
        _ => Err(wrong_host(origins)),
    }
}

fn is_own(host: &str, origins: &[Origin]) -> bool {
    let own = |(_, own): &Origin| own.eq_ignore_ascii_case(host);
    origins.iter().any(own)
}

fn wrong_host(origins: &[Origin]) -> HttpError {
    let message = "the request names another host than this server";
    let hint = origins
        .first()
        .map(|(scheme, host)| format!("this server is `{scheme}://{host}`"));
    let hint = hint.unwrap_or_default();
    let status = StatusCode::MISDIRECTED_REQUEST;
    HttpError::new(status, "wrong-host", message, &[&hint])
}

/// Browsers say where a request that writes comes from.
fn check_origin(headers: &HeaderMap, origins: &[Origin]) -> Result<(), HttpError> {
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
    let origin = origin.to_str().unwrap_or_default();
    let is_own = |(scheme, host): &Origin| {
        let own = format!("{scheme}://{host}");
        origin.eq_ignore_ascii_case(&own)
    };
    if origins.iter().any(is_own) {
        Ok(())
    } else {
        Err(foreign())
    }
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

    fn origins() -> Vec<Origin> {
        let url = "https://signoff.example".parse().unwrap();
        own_origins("127.0.0.1:4180".parse().unwrap(), Some(&url))
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let check = |host: &[(&'static str, &'static str)], expected: bool| {
            let answered = check_host(&headers(host), &origins()).is_ok();
            assert_eq!(answered, expected, "{host:?}");
        };
        check(&[("host", "127.0.0.1:4180")], true);
        check(&[("host", "LOCALHOST:4180")], true);
        check(&[("host", "signoff.example")], true);
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
            let written = check_origin(&headers(sent), &origins()).is_ok();
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
        check(&[("origin", "https://signoff.example")], true);
        check(&[("origin", "http://signoff.example")], false);
        check(&[("sec-fetch-site", "cross-site")], false);
        check(&[("sec-fetch-site", "same-site")], false);
    }
}
