//! The cookie that names a session.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

/// Cookies know no ports: two servers on one machine must not take each other's.
pub(crate) fn name(port: u16) -> String {
    format!("signoff-{port}")
}

/// The session's secret name, as the browser sent it.
pub(crate) fn session_id<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let sent = headers.get_all(COOKIE).into_iter();
    let pairs = sent.filter_map(|header| header.to_str().ok());
    let mut pairs = pairs.flat_map(|header| header.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}

/// Hands the browser a session. Only the server reads it, and no other site can have it sent.
pub(crate) fn set(name: &str, id: &str, is_secure: bool) -> HeaderValue {
    let secure = if is_secure { "; Secure" } else { "" };
    let text = format!("{name}={id}; HttpOnly; SameSite=Strict; Path=/{secure}");
    HeaderValue::try_from(text).expect("names and ids are letters and digits")
}

/// Takes it away again.
pub(crate) fn clear(name: &str) -> HeaderValue {
    let text = format!("{name}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    HeaderValue::try_from(text).expect("names are letters and digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cookie_is_found_among_others_by_its_whole_name() {
        let check = |sent: &str, expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_str(sent).unwrap());
            assert_eq!(session_id(&headers, "signoff-1"), expected, "{sent}");
        };
        check("signoff-1=abc", Some("abc"));
        check("a=b; signoff-1=abc; c=d", Some("abc"));
        check("signoff-12=abc", None);
        check("xsignoff-1=abc", None);
        check("", None);
    }
}
