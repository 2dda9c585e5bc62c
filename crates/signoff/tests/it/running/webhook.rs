//! `[notify] url`: a webhook is told what an absent person should know, by the real binary, at a real server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;
use signoff_testkit::Project;

use crate::support::{agent, makes_out, plan, signed};

/// A request as it came.
pub(super) struct Told {
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Told {
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }
}

/// A server that answers each request with the next of these; after the last it hangs.
pub(super) fn server(answers: &'static [&'static str]) -> (String, Receiver<Told>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("http://{}/hook", listener.local_addr().expect("it listens"));
    let (sender, told) = channel();
    std::thread::spawn(move || {
        let mut answers = answers.iter();
        for socket in listener.incoming() {
            let mut socket = socket.expect("a connection");
            let Some(request) = read(&socket) else { return };
            if sender.send(request).is_err() {
                return;
            }
            match answers.next() {
                Some(answer) => {
                    let head = format!(
                        "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                    );
                    socket.write_all(head.as_bytes()).ok();
                }
                None => std::thread::park(),
            }
        }
    });
    (url, told)
}

fn read(socket: &TcpStream) -> Option<Told> {
    let mut reader = BufReader::new(socket);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?;
    let mut body = vec![0; length.1.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    Some(Told { headers, body })
}

/// A project whose run asks something and is completed with the answer, with these settings of the person's own.
fn asking(settings: &str) -> Project {
    let ask = "**ask:** Ship it with s3cr3t-token?\n";
    with_webhook(&makes_out(), &[&agent("Make it.", "out"), ask], settings)
}

fn with_webhook(script: &signoff_testkit::Script, steps: &[&str], settings: &str) -> Project {
    let project = signed(script, &plan(steps));
    let path = project.home().join(".config/signoff/config.toml");
    std::fs::create_dir_all(path.parent().expect("it has one")).expect("ours");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, format!("{before}\n[notify]\n{settings}\n")).expect("ours");
    project
}

fn deliveries(project: &Project) -> Vec<Value> {
    let text = project.read(".signoff/runs/notifications.jsonl");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect()
}

#[test]
fn a_webhook_is_told_what_waits_and_how_it_ended() {
    let (url, told) = server(&["503 Busy", "200 OK", "200 OK"]);
    let project = asking(&format!("url = \"{url}\"\nsecret_env = \"HOOK_SECRET\""));
    let with = [("HOOK_SECRET", "k3y"), ("MY_TOKEN", "s3cr3t-token")];
    project
        .signoff_with(&with, ["run", "plan.md"])
        .assert_code(3);
    let [busy, waiting] = [told.recv().unwrap(), told.recv().unwrap()];
    let news = waiting.json();
    assert_eq!(news["schema"], "signoff.notification/1");
    assert_eq!(news["kind"], "waiting");
    assert_eq!(news["plan"], "plan.md");
    let item = news["item"].as_str().unwrap();
    assert_eq!(news["command"], format!("signoff answer {item}"));
    assert_eq!(news["link"], Value::Null, "no server serves the page");
    assert_eq!(busy.json()["id"], news["id"], "the same one again");
    // Whoever knows the secret can tell that it is ours.
    let timestamp = waiting.header("signoff-timestamp");
    let line = "printf '%s' \"$BODY\" | openssl dgst -sha256 -hmac k3y -r 2>/dev/null || echo none";
    let signed = format!("{timestamp}.{}", waiting.body);
    let expected = project.bash(&format!("export BODY='{signed}'; {line}"), &project.path());
    let expected = expected
        .stdout
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned();
    if expected != "none" {
        assert_eq!(
            waiting.header("signoff-signature"),
            format!("sha256={expected}")
        );
    }
    assert!(waiting.header("signoff-signature").starts_with("sha256="));
    assert!(!waiting.body.contains("s3cr3t-token"), "{}", waiting.body);
    let log = deliveries(&project);
    assert_eq!(log[0]["attempts"], 2);
    assert_eq!(log[0]["status"], 200);
    project.signoff(["answer", item, "yes"]).assert_success();
    project.signoff_with(&with, ["resume"]).assert_success();
    assert_eq!(told.recv().unwrap().json()["kind"], "completed");
}

#[test]
fn a_webhook_that_refuses_or_is_not_there_fails_no_run() {
    let (url, told) = server(&["403 Forbidden"]);
    let project = asking(&format!("url = \"{url}\""));
    project.signoff(["run", "plan.md"]).assert_code(3);
    assert_eq!(
        told.recv().unwrap().header("signoff-signature"),
        "",
        "there is no secret"
    );
    let log = deliveries(&project);
    assert_eq!(log.len(), 1, "refused for good: {log:?}");
    assert_eq!(log[0]["error"], "it was answered with status 403");
    // Without the secret that was asked for nothing is sent.
    let project = asking("url = \"http://127.0.0.1:9/\"\nsecret_env = \"NO_SECRET\"");
    project.signoff(["run", "plan.md"]).assert_code(3);
    let why = deliveries(&project)[0]["error"].to_string();
    assert!(why.contains("`NO_SECRET`"), "{why}");
    // Unencrypted only to this machine.
    let project = asking("url = \"http://hooks.example.com/\"");
    project.signoff(["run", "plan.md"]).assert_code(3);
    let why = deliveries(&project)[0]["error"].to_string();
    assert!(why.contains("without TLS"), "{why}");
}

#[test]
fn a_webhook_that_hangs_is_waited_for_briefly() {
    let (url, told) = server(&[]);
    let project = asking(&format!("url = \"{url}\""));
    project.signoff(["run", "plan.md"]).assert_code(3);
    assert_eq!(told.recv().unwrap().json()["kind"], "waiting");
}

#[test]
fn only_the_persons_own_settings_name_a_webhook() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let config = project.read(".signoff/config.toml");
    for line in [
        "url = \"https://evil.example\"",
        "secret_command = [\"cat\"]",
        "secret_env = \"HOME\"",
    ] {
        project.write(
            ".signoff/config.toml",
            &format!("{config}\n[notify]\n{line}\n"),
        );
        project
            .signoff(["list"])
            .assert_code(6)
            .assert_stderr_contains("a project cannot loosen `[notify]");
    }
}

/// What no run's own process can tell, a server does, with a link to its page.
#[test]
fn a_server_tells_of_runs_that_stalled_and_where_its_page_is() {
    let (url, told) = server(&["200 OK", "200 OK"]);
    let script = signoff_testkit::Script::new().reply(crate::support::waits_then_makes_out());
    let project = with_webhook(
        &script,
        &[&agent("Make it.", "out")],
        &format!("url = \"{url}\""),
    );
    let served = crate::serve::browser::Served::signed_in(&project);
    let address = served.address.clone();
    let known = project.read(".signoff/runs/page-address");
    assert_eq!(known, format!("http://{address}/"));
    let mut events = served.follow("/api/events", None);
    let mut run = project.spawn(["run", "plan.md", "--format", "json"]);
    assert!(run.wait_until(|| run_began(&project)));
    assert!(events.any(|event| event.name == "plan_executing"));
    drop(run.kill());
    assert!(events.any(|event| event.name == "plan_stalled"));
    let news = told.recv().unwrap().json();
    assert_eq!(news["kind"], "stalled");
    assert_eq!(news["plan"], "plan.md");
    assert_eq!(news["link"], format!("http://{address}/plans/plan.md"));
}

fn run_began(project: &Project) -> bool {
    let runs = project.signoff(["runs", "--format", "json"]);
    runs.stdout.contains("\"executing\"") || runs.stdout.contains("\"running\"")
}
