//! Which addresses a tool server over HTTP may have.

use std::net::Ipv4Addr;

/// What is wrong with the address of a tool server; nothing, if it can be used. A token goes there, so the way must be
/// encrypted, unless it does not leave the machine.
pub fn server_url_problem(url: &str) -> Option<String> {
    let problem = |why: &str| {
        Some(format!(
            "`{}` is not the address of a server: {why}",
            url.escape_debug()
        ))
    };
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return problem("it has spaces in it");
    }
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let is_open = scheme.eq_ignore_ascii_case("http");
    if !is_open && !scheme.eq_ignore_ascii_case("https") {
        return problem("it must begin with `https://`");
    }
    if rest.contains('#') {
        return problem("it has a `#` in it");
    }
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    if authority.contains('@') {
        return problem(
            "a name or password does not belong there; `token_env` names a variable with a token",
        );
    }
    let host = match authority.split_once(']') {
        Some((host, _)) => host.strip_prefix('[').unwrap_or(host),
        None => authority.split(':').next().unwrap_or(authority),
    };
    if host.is_empty() {
        return problem("it names no server");
    }
    if is_open && !is_loopback(host) {
        return problem(
            "without encryption (`http://`) only this machine can be asked, as `localhost` or `127.0.0.1`",
        );
    }
    None
}

fn is_loopback(host: &str) -> bool {
    let is_own = |address: Ipv4Addr| address.is_loopback();
    host.eq_ignore_ascii_case("localhost") || host == "::1" || host.parse().is_ok_and(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encrypted_or_on_this_machine() {
        for good in [
            "https://tools.example/mcp",
            "HTTPS://tools.example:8443",
            "http://localhost:3000/mcp",
            "http://127.0.0.1/mcp",
            "http://127.8.9.1:1/",
            "http://[::1]:3000/mcp",
            "https://[2001:db8::1]/mcp?team=a",
        ] {
            assert_eq!(server_url_problem(good), None);
        }
        for (bad, why) in [
            ("", "https://"),
            ("tools.example", "https://"),
            ("ftp://tools.example", "https://"),
            ("file:///etc/passwd", "https://"),
            ("https://", "names no server"),
            ("https:///mcp", "names no server"),
            ("https://me:secret@tools.example", "password"),
            ("https://a b", "spaces"),
            ("https://a\r\nX: y", "spaces"),
            ("https://a/#b", "#"),
            ("http://tools.example/mcp", "encryption"),
            ("http://localhost.tools.example/", "encryption"),
            ("http://127.0.0.1.tools.example/", "encryption"),
            ("http://0.0.0.0/", "encryption"),
            ("http://[::2]/", "encryption"),
        ] {
            let found = server_url_problem(bad).unwrap_or_default();
            assert!(found.contains(why), "{bad}: {found}");
        }
    }
}
