//! A small server, in a shell, that does what its tools are called.

use std::path::Path;

use signoff_work::mcp::{Server, ServerReach};
use signoff_work::project::helpers::PinnedCommand;

/// Answers the handshake, lists its tools in two pages and plays them.
pub(crate) const SCRIPT: &str = r#"
say() { printf '%s\n' "$1"; }
text() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}}"; }
echo "started" >> starts
echo "warming up" >&2
echo "this is no message"
while IFS= read -r line; do
  [[ $line =~ \"id\":([0-9]+) ]] && id=${BASH_REMATCH[1]}
  case $line in
    *'"method":"initialize"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"toy\"}}}" ;;
    *'"method":"tools/list"'*'"cursor":"2"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"sleep\",\"inputSchema\":{}},{\"name\":\"die\",\"inputSchema\":{}},{\"name\":\"fail\",\"inputSchema\":{}},{\"name\":\"ask\",\"inputSchema\":{}},{\"name\":\"flood\",\"inputSchema\":{}},{\"name\":\"hang\",\"inputSchema\":{}}]}}" ;;
    *'"method":"tools/list"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"nextCursor\":\"2\",\"tools\":[{\"name\":\"echo\",\"description\":\"says it again\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]},\"annotations\":{\"readOnlyHint\":true}}]}}" ;;
    *'"name":"echo"'*)
      [[ $line =~ \"text\":\"([^\"]*)\" ]]
      say '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}'
      text "echo: ${BASH_REMATCH[1]} $TOKEN" ;;
    *'"name":"ask"'*)
      asked=$id
      say '{"jsonrpc":"2.0","id":"s1","method":"ping"}'
      read -r pong
      say '{"jsonrpc":"2.0","id":"s2","method":"roots/list"}'
      read -r refused
      id=$asked
      [[ $pong == *'"result":{}'* && $refused == *-32601* ]] && text fine || text "$pong $refused" ;;
    *'"name":"fail"'*)
      say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no such city\"}]}}" ;;
    *'"name":"die"'*) echo "out of memory" >&2; exit 7 ;;
    *'"name":"flood"'*) head -c 17000000 /dev/zero | tr '\0' x; echo ;;
    *'"name":"hang"'*) echo hanging >> starts; exec sleep 1000 ;;
    *'"name":"sleep"'*) echo sleeping >> starts ;;
    *'"method":"notifications/cancelled"'*) echo cancelled >> starts ;;
    *'"id":'*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"unknown\"}}" ;;
  esac
done
echo "ended" >> starts
"#;

/// The server, of a script in the workspace.
pub(crate) fn server(script: &str) -> Server {
    running(&["bash", script])
}

/// A server that is this command.
pub(crate) fn running(command: &[&str]) -> Server {
    Server {
        name: "toy".to_owned(),
        reach: ServerReach::Process {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            confined: false,
            pinned: PinnedCommand::default(),
            env: vec![("TOKEN".into(), "given".into())],
        },
        read_only: Vec::new(),
        repeatable: Vec::new(),
        timeout: None,
        recorded: None,
    }
}

/// What the server wrote down of its life.
pub(crate) fn life(root: &Path) -> String {
    let life = std::fs::read_to_string(root.join("starts")).unwrap_or_default();
    life.lines().collect::<Vec<_>>().join(" ")
}
