//! The proxy that requests go through, as the environment names it.

use std::ffi::OsString;

use ureq::Proxy;
use ureq::http::Uri;

/// The proxy for a server, if there is one.
pub(super) fn for_server(uri: &Uri, environment: &[(OsString, OsString)]) -> Option<Proxy> {
    let value = |names: [&str; 2]| {
        let found = environment
            .iter()
            .find(|(name, value)| names.iter().any(|one| name == one) && !value.is_empty());
        found.and_then(|(_, value)| value.to_str())
    };
    let own = match uri.scheme_str() {
        Some("https") => ["https_proxy", "HTTPS_PROXY"],
        // Not in capitals: a web server puts a request's `Proxy` header there.
        _ => ["http_proxy", "http_proxy"],
    };
    let written = value(own).or_else(|| value(["all_proxy", "ALL_PROXY"]))?;
    let plain = Proxy::new(written).ok()?;
    let mut proxy = Proxy::builder(plain.protocol())
        .host(plain.host())
        .port(plain.port());
    if let Some(name) = plain.username() {
        proxy = proxy.username(name);
    }
    if let Some(password) = plain.password() {
        proxy = proxy.password(password);
    }
    for server in value(["no_proxy", "NO_PROXY"])
        .unwrap_or_default()
        .split(',')
    {
        proxy = proxy.no_proxy(server.trim());
    }
    proxy.build().ok().filter(|proxy| !proxy.is_no_proxy(uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_given_environment_decides() {
        let variables = |pairs: &[(&str, &str)]| -> Vec<(OsString, OsString)> {
            let own = |(name, value): &(&str, &str)| (name.into(), value.into());
            pairs.iter().map(own).collect()
        };
        let via = |uri: &'static str, pairs: &[(&str, &str)]| {
            let proxy = for_server(&Uri::from_static(uri), &variables(pairs));
            proxy.map(|proxy| format!("{}:{}", proxy.host(), proxy.port()))
        };
        let all = [
            ("HTTPS_PROXY", "http://p.example:3128"),
            ("ALL_PROXY", "http://q.example:1"),
            ("NO_PROXY", "localhost, .inside.example"),
        ];
        let p = Some("p.example:3128".to_owned());
        assert_eq!(via("https://a.example/", &all), p);
        assert_eq!(
            via("http://a.example/", &all),
            Some("q.example:1".to_owned())
        );
        assert_eq!(via("https://x.inside.example/", &all), None);
        assert_eq!(via("http://localhost/", &all), None);
        assert_eq!(via("https://a.example/", &[]), None);
        assert_eq!(
            via("http://a.example/", &[("HTTP_PROXY", "http://p:1")]),
            None
        );
    }
}
