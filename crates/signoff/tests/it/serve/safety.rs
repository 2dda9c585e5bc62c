//! Who is refused: other sites, other names, other users, agents, and requests that make no sense.

use serde_json::json;
use signoff_testkit::Script;

use super::browser::{Served, cookie_of};
use crate::support::{agent, plan, project};

const JSON: (&str, &str) = ("content-type", "application/json");

fn served() -> (signoff_testkit::Project, Served) {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    (project, served)
}

#[test]
fn whoever_has_no_session_reads_and_signs_nothing() {
    let (_project, mut served) = served();
    // A second user of the machine, or an agent outside the sandbox: they reach the port, and know no code.
    served.cookie.clear();
    for path in [
        "/api/plans",
        "/api/plans/plan.md",
        "/api/runs",
        "/api/inbox",
        "/api/events",
        "/api/openapi.json",
    ] {
        let answer = served.get(path);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, "no-session"),
            "{path}"
        );
    }
    for path in [
        "/api/plans",
        "/api/plans/plan.md/approve",
        "/api/plans/plan.md/start",
        "/api/inbox/x/answer",
    ] {
        assert_eq!(served.post(path, &json!({})).status, 401, "{path}");
    }
    assert_eq!(served.get("/health").status, 200);
    let request = served.request("GET", "/", &[("accept", "text/html")], "");
    let page = served.send(&request);
    assert_eq!(page.status, 303, "people are led to the form: {page:?}");
    assert!(
        page.headers.contains("location: /sign-in?next=/"),
        "{page:?}"
    );
    served.cookie = "signoff-0=0; signoff=admin".to_owned();
    assert_eq!(served.get("/api/plans").status, 401);
}

#[test]
fn a_code_is_used_once_and_guessing_keeps_nobody_out() {
    let (_project, mut served) = served();
    let used = served.code();
    assert_eq!(served.form("/sign-in", &format!("code={used}")).status, 403);
    served.get("/sign-in");
    let fresh = served.code();
    assert_ne!(fresh, used);
    for _ in 0..2 {
        assert_eq!(served.form("/sign-in", "code=AAAA-AAAA").status, 403);
    }
    assert_eq!(
        served.form("/sign-in", &format!("code={fresh}")).status,
        303
    );
}

#[test]
fn other_sites_write_nothing_and_other_names_lead_nowhere() {
    let (_project, served) = served();
    for headers in [
        [JSON, ("origin", "https://evil.example")],
        [JSON, ("origin", "http://127.0.0.1:1")],
        [JSON, ("origin", "null")],
        [JSON, ("sec-fetch-site", "cross-site")],
        [JSON, ("sec-fetch-site", "same-site")],
    ] {
        let request = served.request("POST", "/api/plans/plan.md/cancel", &headers, "{}");
        let answer = served.send(&request);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (403, "cross-site"),
            "{headers:?}"
        );
    }
    for host in ["evil.example", "evil.example:80", "127.0.0.1", "localhost"] {
        let request = served.request("GET", "/api/plans", &[("host", host)], "");
        let answer = served.send(&request);
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (421, "wrong-host"),
            "{host}"
        );
    }
    let request = served.request("GET", "http://evil.example/api/plans", &[], "");
    assert_eq!(served.send(&request).code(), "wrong-host");
    let own = format!("http://{}/api/plans", served.address);
    assert_eq!(
        served.send(&served.request("GET", &own, &[], "")).status,
        200
    );
    // A form of another page of the same browser has no token of the session.
    assert_eq!(served.form("/sign-out", "").status, 403);
    assert_eq!(served.form("/sign-out", "csrf=0").status, 403);
    // No form can send JSON, and JSON needs its name.
    let text = [("content-type", "text/plain")];
    let request = served.request("POST", "/api/plans/plan.md/cancel", &text, "{}");
    assert_eq!(served.send(&request).status, 415);
}

#[test]
fn a_server_that_an_agent_started_opens_no_session() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    for marker in ["CLAUDECODE", "SIGNOFF_INSIDE", "AI_AGENT"] {
        let served = Served::started(&project, &[(marker, "1")], &[]);
        let said = served.server.stderr_so_far();
        assert!(said.contains("nobody can sign in here"), "{said}");
        assert!(!said.contains("code"), "{said}");
        assert_eq!(served.get("/sign-in").code(), "person-only");
        assert_eq!(served.form("/sign-in", "code=").code(), "person-only");
        assert_eq!(served.get("/api/plans").status, 401);
        let refused = project.signoff_with(&[(marker, "1")], ["serve", "--add-person", "eve"]);
        assert_eq!(refused.code, Some(4), "{refused}");
    }
}

#[test]
fn every_answer_says_what_the_page_may_do() {
    let (project, served) = served();
    for path in ["/", "/api/plans", "/nowhere", "/sign-in"] {
        let headers = served.get(path).headers;
        for wanted in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
        ] {
            assert!(headers.contains(wanted), "{path}: {wanted} in {headers}");
        }
        assert!(!headers.contains("unsafe-inline"), "{headers}");
    }
    let again = served.get("/sign-in");
    assert_eq!(again.status, 200);
    let mut other = Served::signed_in(&project);
    assert!(cookie_flags(&mut other).contains("HttpOnly; SameSite=Strict"));
}

fn cookie_flags(served: &mut Served) -> String {
    served.get("/sign-in");
    let code = served.code();
    let answer = served.form("/sign-in", &format!("code={code}"));
    assert!(cookie_of(&answer).starts_with("signoff-"));
    answer.headers
}

#[test]
fn requests_that_make_no_sense_are_refused_in_the_shape_of_errors() {
    let (project, served) = served();
    project.write("secret.txt", "not a plan");
    let check = |status: u16, request: String| {
        let answer = served.send(&request);
        assert_eq!(answer.status, status, "{request}\n{answer:?}");
        answer.code();
    };
    let get = |path: &str| served.request("GET", path, &[], "");
    let post = |path: &str, body: &str| served.request("POST", path, &[JSON], body);
    check(404, get("/api/nowhere"));
    check(404, get("/api/plans/nothing.md"));
    check(404, get("/api/plans/secret.txt"));
    for outside in [
        "..%2F..%2Fetc%2Fpasswd",
        "%2Fetc%2Fpasswd",
        "..",
        "a%00b",
        "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "%252e%252e%252fetc%252fpasswd",
        "..%5c..%5cetc",
        "%c0%ae%c0%ae%2fetc",
        ".signoff%2Fconfig.toml",
        "%ff",
        "",
    ] {
        let answer = served.send(&get(&format!("/api/plans/{outside}/text")));
        assert!((400..500).contains(&answer.status), "{outside}: {answer:?}");
        let answer = served.send(&get(&format!("/api/runs/{outside}")));
        assert!((400..500).contains(&answer.status), "{outside}: {answer:?}");
    }
    check(405, served.request("PUT", "/api/plans", &[JSON], "{}"));
    check(400, get("/api/plans?archived=maybe"));
    check(400, get("/api/plans?unknown=1"));
    check(400, get("/api/plans?status=asleep"));
    check(400, post("/api/plans", "{"));
    check(400, post("/api/plans", "[]"));
    check(400, post("/api/plans", "{\"text\": 5}"));
    check(400, post("/api/plans/plan.md/approve", "{}"));
    check(400, post("/api/plans/plan.md/cancel", "{\"unknown\": 1}"));
    check(404, get("/api/runs/20200101-000000-aaaa"));
    check(404, get("/api/tasks/none/events"));
    let large = format!("{{\"text\": \"{}\"}}", "x".repeat(9 << 20));
    check(413, post("/api/plans", &large));
}

#[test]
fn pages_refuse_in_the_shape_of_errors_too() {
    let (_project, served) = served();
    let check = |status: u16, request: &str| {
        let answer = served.send(request);
        assert_eq!(answer.status, status, "{request}\n{answer:?}");
        assert!(!answer.code().is_empty());
    };
    for (status, path) in [
        (400, "/?most=many"),
        (400, "/?most=-1"),
        (400, "/plans/%ff"),
        (400, "/plans/plan.md?from=here"),
        (400, "/runs/%ff/report"),
        (400, "/sign-in?next=a&next=b"),
        (404, "/assets/none.js"),
        (404, "/plans/nothing.md/key"),
    ] {
        check(status, &served.request("GET", path, &[], ""));
    }
    let form = ("content-type", "application/x-www-form-urlencoded");
    check(415, &served.request("POST", "/sign-in", &[JSON], "{}"));
    check(
        400,
        &served.request("POST", "/sign-in", &[form], "code=a&code=b"),
    );
    let long = format!("code={}", "x".repeat(32 << 10));
    check(413, &served.request("POST", "/sign-in", &[form], &long));
}

#[test]
fn nothing_happens_to_what_is_no_plan() {
    let (project, served) = served();
    project.write("notes.txt", "not a plan");
    for (method, path, body) in [
        ("DELETE", "/api/plans/notes.txt", ""),
        ("DELETE", "/api/plans/.signoff%2Fconfig.toml", ""),
        ("POST", "/api/plans/notes.txt/comments", "{\"text\": \"x\"}"),
        ("POST", "/api/plans/notes.txt/cancel", "{}"),
        ("POST", "/api/plans/notes.txt/reject", "{}"),
        ("POST", "/api/plans/notes.txt/revise", "{\"text\": \"x\"}"),
    ] {
        let answer = served.send(&served.request(method, path, &[JSON], body));
        assert!((400..500).contains(&answer.status), "{path}: {answer:?}");
    }
    let typed = project.signoff(["comment", "notes.txt", "hello"]);
    assert_eq!(typed.code, Some(2), "{typed}");
    let logs = project.path().join(".signoff/log");
    let logs = std::fs::read_dir(logs).into_iter().flatten().count();
    assert_eq!(logs, 0, "what is no plan has no log");
}

#[test]
fn a_place_far_behind_the_last_step_is_no_fault() {
    let (_project, served) = served();
    let far = usize::MAX;
    let page = served.get(&format!("/plans/plan.md?from={far}"));
    assert_eq!(page.status, 200, "{page:?}");
    assert!(!page.body.contains("data-more"), "{page:?}");
}

#[test]
fn whoever_is_not_signed_in_sends_little() {
    let (_project, mut served) = served();
    served.cookie.clear();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let send = |bytes: usize| {
        let text = format!("text={}", "x".repeat(bytes));
        served
            .send(&served.request("POST", "/plans/plan.md/text", &form, &text))
            .status
    };
    assert_eq!(send(1 << 16), 401);
    assert_eq!(send(2 << 20), 413);
}

#[test]
fn other_addresses_need_people() {
    let project = project(&Script::new(), "");
    for args in [
        vec!["serve", "--addr", "0.0.0.0:0"],
        vec!["serve", "--url", "https://signoff.example"],
    ] {
        let refused = project.signoff(&args);
        assert_eq!(refused.code, Some(4), "{refused}");
        assert!(refused.stderr.contains("--add-person"), "{refused}");
    }
}

#[test]
fn the_token_of_agents_opens_their_tools_and_nothing_else() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    let file = project.outside("token");
    let served = Served::started(&project, &[], &["--agent-token", &file.to_string_lossy()]);
    let token = std::fs::read_to_string(&file).unwrap();
    let bearer = format!("Bearer {}", token.trim());
    let json = ("accept", "application/json, text/event-stream");
    let call = |token: &str, body: &serde_json::Value| {
        let headers = [JSON, json, ("authorization", token)];
        served.send(&served.request("POST", "/mcp", &headers, &body.to_string()))
    };
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}
    }});
    assert_eq!(call("Bearer 0", &hello).code(), "no-token");
    let answer = call(&bearer, &hello);
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("\"signoff\""), "{answer:?}");
    let request = served.request("GET", "/api/plans", &[("authorization", &bearer)], "");
    assert_eq!(served.send(&request).status, 401, "it is no person's");
    for path in [
        "/api/plans/plan.md/approve",
        "/api/plans/plan.md/reject",
        "/api/plans/plan.md/start",
        "/api/inbox/x/answer",
        "/api/runs/x/land",
    ] {
        let headers = [JSON, ("authorization", bearer.as_str())];
        let request = served.request("POST", path, &headers, "{}");
        assert_eq!(served.send(&request).status, 401, "{path}");
    }
}

#[test]
fn a_cookie_that_was_taken_opens_nothing_after_its_person_signed_out() {
    let (_project, served) = served();
    assert_eq!(served.get("/api/plans").status, 200);
    let page = served.get("/").body;
    let (_, rest) = page.split_once("data-csrf=\"").unwrap();
    let (csrf, _) = rest.split_once('"').unwrap();
    let signed_out = served.form("/sign-out", &format!("csrf={csrf}"));
    assert_eq!(signed_out.status, 303, "{signed_out:?}");
    // The same cookie, from whoever copied it.
    assert_eq!(served.get("/api/plans").code(), "no-session");
    let approve = served.post(
        "/api/plans/plan.md/approve",
        &json!({"expect_digest": "01234567"}),
    );
    assert_eq!(approve.status, 401, "{approve:?}");
}

/// Sends this from another program, and returns what came back. `user`: the user that it runs as.
fn from_elsewhere(served: &Served, user: Option<u32>, request: &str) -> String {
    use std::os::unix::process::CommandExt as _;
    let (host, port) = served
        .address
        .split_once(':')
        .expect("an address and a port");
    let line = format!("exec 3<>/dev/tcp/{host}/{port} && printf '%s' \"$REQUEST\" >&3 && cat <&3");
    let mut command = std::process::Command::new("bash");
    command
        .args(["-c", &line])
        .env("REQUEST", request)
        .current_dir("/");
    if let Some(user) = user {
        command.uid(user).gid(user);
    }
    let output = command.output().expect("bash is there");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn another_user_of_the_machine_reads_and_signs_nothing() {
    let (_project, mut served) = served();
    let other = rustix::process::geteuid().is_root().then_some(65_534);
    served.cookie.clear();
    for (method, path) in [
        ("GET", "/api/plans"),
        ("POST", "/api/plans/plan.md/approve"),
    ] {
        let request = served.request(method, path, &[JSON], "{}");
        let answer = from_elsewhere(&served, other, &request);
        assert!(answer.starts_with("HTTP/1.1 401 "), "{path}: {answer}");
    }
}

#[test]
fn an_agent_in_the_sandbox_reaches_the_port_at_most() {
    let project = project(&Script::new(), "");
    let served = Served::signed_in(&project);
    let (host, port) = served.address.split_once(':').unwrap();
    let asks = format!(
        "exec 3<>/dev/tcp/{host}/{port} || exit 0\n\
         printf 'POST /api/plans/plan.md/approve HTTP/1.1\\r\\nhost: {host}:{port}\\r\\nconnection: close\\r\\ncontent-type: application/json\\r\\ncontent-length: 2\\r\\n\\r\\n{{}}' >&3\n\
         head -1 <&3 | grep ' 401 '"
    );
    let step = format!("**contract:**\n```shell\n{asks}\n```\n");
    project.write("plan.md", &plan(&[&step]));
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]).assert_success();
    project.signoff(["run", "plan.md"]).assert_success();
    // Nor does our own command line help it.
    let inside = [("SIGNOFF_INSIDE", "1")];
    project
        .signoff_with(&inside, ["approve", "plan.md"])
        .assert_code(4);
}

#[test]
fn headers_have_a_limit_and_one_request_is_one_request() {
    let (_project, served) = served();
    let long = "x".repeat(1 << 20);
    let request = served.request("GET", "/api/plans", &[("x-long", &long)], "");
    let answer = served.send(&request);
    assert!(matches!(answer.status, 400 | 431), "{}", answer.status);
    let many: Vec<(String, String)> = (0..5000)
        .map(|at| (format!("x-{at}"), "1".to_owned()))
        .collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let answer = served.send(&served.request("GET", "/api/plans", &many, ""));
    assert!(matches!(answer.status, 400 | 431), "{}", answer.status);
    // What a server in front and this one could take for two different requests.
    let host = format!("host: {}\r\ncookie: {}\r\n", served.address, served.cookie);
    let hidden = format!("GET /api/inbox HTTP/1.1\r\n{host}\r\n");
    for head in [
        format!("content-length: 0\r\ncontent-length: {}\r\n", hidden.len()),
        "content-length: +5\r\n".to_owned(),
        "content-length: 5, 6\r\n".to_owned(),
        "transfer-encoding: chunked, identity\r\n".to_owned(),
        "transfer-encoding : chunked\r\n".to_owned(),
        "transfer-encoding: xchunked\r\n".to_owned(),
    ] {
        let request = format!(
            "POST /api/check HTTP/1.1\r\n{host}content-type: application/json\r\n{head}\r\n{hidden}"
        );
        let answer = from_elsewhere(&served, None, &request);
        let answers = answer.matches("HTTP/1.1 ").count();
        assert!(answers <= 1, "{head}: {answer}");
        assert!(!answer.contains("signoff.inbox/1"), "{head}: {answer}");
    }
}

#[test]
fn two_thousand_slow_clients_keep_nobody_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).unwrap();
    let (_project, served) = served();
    let slow: Vec<std::net::TcpStream> = (0..2000)
        .map(|_| {
            use std::io::Write as _;
            let mut socket = std::net::TcpStream::connect(&served.address).unwrap();
            socket
                .write_all(b"GET /api/plans HTTP/1.1\r\nhost: ")
                .unwrap();
            socket
        })
        .collect();
    assert_eq!(served.get("/api/plans").status, 200);
    drop(slow);
    assert_eq!(served.get("/api/plans").status, 200);
}

#[test]
fn a_second_person_gets_a_line_and_no_second_section() {
    let project = project(&Script::new(), "");
    let config = project.home().join(".config/signoff/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let add = |name: &str| {
        let made = project.signoff(["serve", "--add-person", name]);
        made.assert_success();
        let (_, lines) = made.stdout.split_once('\n').expect("a line says the token");
        lines.to_owned()
    };
    let mut text = add("Ada");
    std::fs::write(&config, &text).unwrap();
    text.push_str(&add("Bob"));
    std::fs::write(&config, &text).unwrap();
    assert_eq!(text.matches("[serve.people]").count(), 1, "{text}");
    project.signoff(["config"]).assert_success();
}
