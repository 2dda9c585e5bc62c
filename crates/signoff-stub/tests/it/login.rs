//! Tokens: only the current one is accepted, and a refresh token buys new ones once.

use std::thread;

use serde_json::json;
use signoff_stub::{Login, Reply, Script, Stub};

use crate::client::{anthropic, gemini, post, post_as, send};

fn start() -> Stub {
    let script = Script::new([Reply::Text("Done.".to_owned())]);
    Stub::start(script.with_login(Login::new("first", "once"))).expect("a stub")
}

fn code(stub: &Stub, header: &str) -> u16 {
    post_as(stub, "/v1/messages", &anthropic(true, 0), header).code
}

#[test]
fn only_the_current_token_is_accepted() {
    let stub = start();
    assert_eq!(code(&stub, ""), 401);
    assert_eq!(code(&stub, "Authorization: Bearer second\r\n"), 401);
    assert_eq!(code(&stub, "Authorization: Bearer first\r\n"), 200);
    assert_eq!(code(&stub, "X-Api-Key: first\r\n"), 200);
    let path = "/v1beta/models/m:generateContent";
    assert_eq!(
        post_as(&stub, path, &gemini(0), "x-goog-api-key: first\r\n").code,
        200
    );
    let tokens: Vec<Option<String>> = stub
        .requests()
        .iter()
        .map(|request| request.token().map(str::to_owned))
        .collect();
    let first = || Some("first".to_owned());
    assert_eq!(
        tokens,
        [None, Some("second".to_owned()), first(), first(), first()]
    );
}

#[test]
fn a_refresh_token_is_valid_once() {
    let stub = start();
    stub.expire_access_token();
    assert_eq!(code(&stub, "Authorization: Bearer first\r\n"), 401);
    let request = json!({"grant_type": "refresh_token", "refresh_token": "once"});
    let answer = post(&stub, "/oauth/token", &request).json();
    let tokens = stub.tokens().expect("a login");
    assert_eq!(answer["access_token"], tokens.access.as_str());
    assert_eq!(answer["refresh_token"], tokens.refresh.as_str());
    assert_eq!(
        code(
            &stub,
            &format!("Authorization: Bearer {}\r\n", tokens.access)
        ),
        200
    );
    let again = post(&stub, "/oauth/token", &request);
    assert_eq!(
        (again.code, again.json()),
        (400, json!({"error": "invalid_grant"}))
    );
    let form = format!("grant_type=refresh_token&refresh_token={}", tokens.refresh);
    let length = form.len();
    let answer = send(
        &stub,
        &format!(
            "POST /v1/oauth/token HTTP/1.1\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{form}"
        ),
    );
    assert_eq!(answer.code, 200);
    assert_eq!(stub.rotations(), 2);
}

#[test]
fn of_many_who_refresh_at_once_one_succeeds() {
    let stub = start();
    let request = json!({"refresh_token": "once"});
    let codes: Vec<u16> = thread::scope(|scope| {
        let refresh = || post(&stub, "/oauth/token", &request).code;
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(refresh)).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, u16>| thread.join().expect("a code");
        threads.into_iter().map(join).collect()
    });
    assert_eq!(
        codes.iter().filter(|code| **code == 200).count(),
        1,
        "{codes:?}"
    );
    assert_eq!(stub.rotations(), 1);
}
