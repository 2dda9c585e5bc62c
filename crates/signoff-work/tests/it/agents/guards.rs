//! How each driver hands over the guard's hook and the servers of a scope. They were tried with the real programs.

use std::path::Path;

use serde_json::{Value, json};
use signoff_work::agent::{
    AcpClient, AcpOptions, DriverKind, Launch, LaunchGuard, LaunchOptions, LaunchServer,
};

use super::world::plain_options;

const HOOK: &str = "/bin/sh -c 'x \"$@\"' guard";

/// Starts an agent whose scope has one of its own tools and this of a server.
fn guarded(kind: DriverKind, tool: &str) -> Launch {
    let servers = [server()];
    let tools = ["read_file".to_owned(), tool.to_owned()];
    kind.driver().launch(&options(&servers, &tools))
}

fn server() -> LaunchServer {
    LaunchServer {
        name: "shop".to_owned(),
        command: ["/s", "mcp-proxy", "/r/0"].map(str::to_owned).to_vec(),
    }
}

fn options<'a>(servers: &'a [LaunchServer], tools: &'a [String]) -> LaunchOptions<'a> {
    LaunchOptions {
        tools: Some(tools),
        guard: Some(LaunchGuard {
            hook: HOOK,
            servers,
            directory: Path::new("/room"),
        }),
        ..plain_options()
    }
}

fn words(launch: &Launch) -> Vec<&str> {
    launch
        .argv
        .iter()
        .map(|word| word.to_str().unwrap())
        .collect()
}

/// The value behind an option.
fn value<'l>(launch: &'l Launch, option: &str) -> &'l str {
    let words = words(launch);
    let at = words.iter().position(|word| *word == option);
    words[at.expect(option) + 1]
}

fn variable(launch: &Launch, name: &str) -> String {
    let found = launch.env.iter().find(|(found, _)| found == name);
    found.expect(name).1.to_str().unwrap().to_owned()
}

/// A file of the launch, which has to be where the path says.
fn file(launch: &Launch, path: &str) -> String {
    let name = path.strip_prefix("/room/").expect("it is in the room");
    let file = launch.files.iter().find(|file| file.name == name);
    String::from_utf8(file.expect(name).bytes.clone()).unwrap()
}

fn json_file(launch: &Launch, path: &str) -> Value {
    serde_json::from_str(&file(launch, path)).unwrap()
}

#[test]
fn claude_has_a_hook_and_only_these_servers() {
    let launch = guarded(DriverKind::Claude, "shop.order");
    let settings = json_file(&launch, value(&launch, "--settings"));
    let hook = &settings["hooks"]["PreToolUse"][0];
    assert_eq!(
        *hook,
        json!({"hooks": [{"type": "command", "command": HOOK}]})
    );
    let servers = json_file(&launch, value(&launch, "--mcp-config"));
    let expected = json!({"shop": {"command": "/s", "args": ["mcp-proxy", "/r/0"]}});
    assert_eq!(servers["mcpServers"], expected);
    assert!(words(&launch).contains(&"--strict-mcp-config"));
}

#[test]
fn a_persons_own_settings_do_not_take_the_hooks_place() {
    let servers = [server()];
    let tools = ["shop".to_owned()];
    let command = ["claude", "--settings", "mine.json"].map(str::to_owned);
    let launch = DriverKind::Claude.driver().launch(&LaunchOptions {
        command: &command,
        ..options(&servers, &tools)
    });
    let words = words(&launch);
    let last = words.iter().rposition(|word| *word == "--settings");
    assert!(words[last.unwrap() + 1].starts_with("/room/"), "{words:?}");
}

#[test]
fn codex_takes_hook_and_servers_as_settings() {
    let launch = guarded(DriverKind::Codex, "shop.order");
    let words = words(&launch);
    assert!(words.contains(&"--dangerously-bypass-hook-trust"));
    let hook = format!(
        "hooks.PreToolUse=[{{hooks=[{{type=\"command\",command={}}}]}}]",
        json!(HOOK)
    );
    assert!(words.contains(&hook.as_str()), "{words:?}");
    let server =
        "mcp_servers.shop={command=\"/s\",args=[\"mcp-proxy\",\"/r/0\"],tool_timeout_sec=86400}";
    assert!(words.contains(&server), "{words:?}");
    assert!(launch.holds_scope);
}

#[test]
fn gemini_takes_them_as_settings_of_the_system() {
    let launch = guarded(DriverKind::Gemini, "shop.order");
    let path = variable(&launch, "GEMINI_CLI_SYSTEM_SETTINGS_PATH");
    let settings = json_file(&launch, &path);
    let hook = &settings["hooks"]["BeforeTool"][0]["hooks"][0];
    assert_eq!(hook["command"], HOOK);
    assert_eq!(settings["mcp"]["allowed"], json!(["shop"]));
    assert_eq!(settings["mcpServers"]["shop"]["command"], "/s");
    assert!(file(&launch, value(&launch, "--policy")).contains("shop"));
}

#[test]
fn opencode_has_a_plugin() {
    let launch = guarded(DriverKind::Opencode, "shop.order");
    let config = variable(&launch, "OPENCODE_CONFIG_CONTENT");
    let config: Value = serde_json::from_str(&config).unwrap();
    assert_eq!(
        config["mcp"]["shop"]["command"],
        json!(["/s", "mcp-proxy", "/r/0"])
    );
    let plugin = config["plugin"][0].as_str().unwrap();
    let plugin = file(&launch, plugin.strip_prefix("file://").unwrap());
    assert!(
        plugin.contains(&format!("const HOOK = {};", json!(HOOK))),
        "{plugin}"
    );
}

#[test]
fn pi_has_an_extension_that_offers_the_tools() {
    let launch = guarded(DriverKind::Pi, "shop.order");
    assert_eq!(value(&launch, "--tools"), "read,shop_order");
    let extension = file(&launch, value(&launch, "--extension"));
    assert!(
        extension.contains(&format!("const HOOK = {};", json!(HOOK))),
        "{extension}"
    );
    assert!(!extension.contains("@SERVERS@"), "{extension}");
    // Nobody knows the names of all tools of a server.
    let whole = guarded(DriverKind::Pi, "shop");
    assert!(!words(&whole).contains(&"--tools"));
}

#[test]
fn an_agent_that_is_spoken_with_gets_them_with_its_session() {
    let servers = [server()];
    let tools = ["shop".to_owned()];
    let mut client = AcpClient::new(AcpOptions::new(&options(&servers, &tools)));
    let hello = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1}});
    let step = client.receive(hello.to_string().as_bytes());
    let expected =
        json!([{"name": "shop", "command": "/s", "args": ["mcp-proxy", "/r/0"], "env": []}]);
    assert_eq!(step.send[0]["params"]["mcpServers"], expected);
}
