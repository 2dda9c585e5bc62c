//! Where a request goes, and where a redirect leads.

use ureq::http::Uri;

use crate::call::CallError;

/// A redirect that may be followed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    SameServer(Uri),
    OtherServer(Uri),
}

/// A whole address, with a scheme we speak and a server.
pub(super) fn parse(url: &str) -> Result<Uri, CallError> {
    let refused = |why: &str| CallError::lasting(format!("`{url}` is not an address: {why}"));
    let scheme = url
        .split_once("://")
        .map(|(scheme, _)| scheme.to_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        return Err(refused("it must begin with `https://` or `http://`"));
    }
    let without_fragment = url.split('#').next().unwrap_or(url);
    let uri = without_fragment.parse::<Uri>();
    let uri = uri.map_err(|error| refused(&error.to_string()))?;
    if uri.host().is_none_or(str::is_empty) {
        return Err(refused("it names no server"));
    }
    Ok(uri)
}

/// Where a redirect from here leads. Never from a secret connection to an open one.
pub(super) fn follow(from: &Uri, to: &str) -> Result<Redirect, CallError> {
    let next = parse(&join_location(from, to.trim()))?;
    if from.scheme_str() == Some("https") && next.scheme_str() != Some("https") {
        let message = format!("`{from}` redirects to `{next}`, which is not encrypted");
        return Err(CallError::lasting(message));
    }
    if server(from) == server(&next) {
        return Ok(Redirect::SameServer(next));
    }
    Ok(Redirect::OtherServer(next))
}

fn join_location(from: &Uri, to: &str) -> String {
    let scheme = from.scheme_str().unwrap_or("https");
    let authority = from.authority().map_or("", |authority| authority.as_str());
    let path = from.path();
    if to.contains("://") {
        return to.to_owned();
    }
    if to.starts_with("//") {
        return format!("{scheme}:{to}");
    }
    if to.starts_with('/') {
        return format!("{scheme}://{authority}{to}");
    }
    if to.starts_with('?') {
        return format!("{scheme}://{authority}{path}{to}");
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{scheme}://{authority}{folder}/{to}")
}

/// What must be the same for another address to be of the same server.
fn server(uri: &Uri) -> (Option<&str>, Option<String>, Option<u16>) {
    let usual = match uri.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    let host = uri.host().map(str::to_ascii_lowercase);
    (uri.scheme_str(), host, uri.port_u16().or(Some(usual)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: &str, to: &str, expected: Result<(&str, bool), &str>) {
        let followed = follow(&parse(from).unwrap(), to);
        let seen = match followed {
            Ok(Redirect::SameServer(uri)) => Ok((uri.to_string(), true)),
            Ok(Redirect::OtherServer(uri)) => Ok((uri.to_string(), false)),
            Err(CallError::Failed { message, .. }) => Err(message),
            Err(CallError::CutOff { .. } | CallError::Stopped) => unreachable!(),
        };
        let expected = expected
            .map(|(uri, same)| (uri.to_owned(), same))
            .map_err(str::to_owned);
        assert_eq!(seen, expected, "{from} {to}");
    }

    #[test]
    fn redirects_are_told_apart_by_server() {
        let from = "https://a.example/x/y?q";
        check(from, "/z", Ok(("https://a.example/z", true)));
        check(from, "z#part", Ok(("https://a.example/x/z", true)));
        check(from, "?r", Ok(("https://a.example/x/y?r", true)));
        check(
            from,
            "https://A.example:443/z",
            Ok(("https://A.example:443/z", true)),
        );
        check(
            from,
            "https://a.example:444/z",
            Ok(("https://a.example:444/z", false)),
        );
        check(from, "//b.example/", Ok(("https://b.example/", false)));
        check(
            from,
            "http://a.example/",
            Err(
                "`https://a.example/x/y?q` redirects to `http://a.example/`, which is not encrypted",
            ),
        );
        check(
            from,
            "file:///etc/passwd",
            Err(
                "`file:///etc/passwd` is not an address: it must begin with `https://` or `http://`",
            ),
        );
        check(
            "http://a.example",
            "https://a.example/",
            Ok(("https://a.example/", false)),
        );
    }
}
