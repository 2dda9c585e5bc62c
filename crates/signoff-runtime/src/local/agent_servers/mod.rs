//! Tool servers for an agent at work. The agent's entry for a server is `signoff mcp-proxy`, which passes its messages to a
//! socket here; the server itself is the harness's. So its secrets stay outside of the agent's sandbox, only tools of the
//! step's scope are offered, and every call is journaled.

mod call_desk;

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use signoff_sandbox::start_thread;
use signoff_work::mcp::{AgentRequest, call_answer, tools_answer};

pub(super) use self::call_desk::{CallDesk, CallDeskSetup};
use crate::mcp_proxy::within_directory;

/// Longest message in bytes; no call of a tool needs a longer one.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The sockets of one attempt. Dropping it closes them.
pub(super) struct AgentServers {
    desk: Arc<CallDesk>,
    sockets: Vec<PathBuf>,
    is_closed: Arc<AtomicBool>,
}

/// A server that an agent is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ServerSocket {
    pub(super) server: String,
    /// Where it is for us.
    pub(super) path: PathBuf,
}

impl AgentServers {
    /// Listens for the agent of one attempt.
    pub(super) fn open(sockets: &[ServerSocket], desk: CallDesk) -> io::Result<Self> {
        let servers = Self {
            desk: Arc::new(desk),
            sockets: sockets.iter().map(|socket| socket.path.clone()).collect(),
            is_closed: Arc::default(),
        };
        for ServerSocket { server, path } in sockets {
            let listener = within_directory(path, |path| UnixListener::bind(path))?;
            let (server, desk) = (server.clone(), Arc::clone(&servers.desk));
            let is_closed = Arc::clone(&servers.is_closed);
            start_thread("signoff-servers", move || {
                accept(&listener, &server, &desk, &is_closed);
            })?;
        }
        Ok(servers)
    }

    /// The call of this number is journaled.
    pub(super) fn on_journaled(&self, number: u32) {
        self.desk.on_journaled(number);
    }

    /// No call begins any more.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.desk.close();
    }
}

impl Drop for AgentServers {
    fn drop(&mut self) {
        self.close();
        for path in &self.sockets {
            // A waiting client sees that it is closed.
            within_directory(path, |path| UnixStream::connect(path)).ok();
            std::fs::remove_file(path).ok();
        }
    }
}

fn accept(listener: &UnixListener, server: &str, desk: &Arc<CallDesk>, is_closed: &AtomicBool) {
    while let Ok((stream, _)) = listener.accept() {
        if is_closed.load(Ordering::Relaxed) {
            return;
        }
        let (server, desk) = (server.to_owned(), Arc::clone(desk));
        // If no thread can be started, the agent sees that its server is gone.
        start_thread("signoff-server", move || serve(&stream, &server, &desk)).ok();
    }
}

/// Answers an agent's messages until it hangs up. One at a time: agents that call several tools at once wait for each.
fn serve(stream: &UnixStream, server: &str, desk: &CallDesk) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(count) if count > 0 && (count as u64) < LONGEST => {}
            Ok(_) | Err(_) => return,
        }
        let answer = match answer(&line, server, desk) {
            Some(answer) => format!("{answer}\n"),
            None => continue,
        };
        let mut writer = stream;
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn answer(line: &[u8], server: &str, desk: &CallDesk) -> Option<Value> {
    match AgentRequest::read(line, server) {
        AgentRequest::Nothing => None,
        AgentRequest::Answered(answer) => Some(answer),
        AgentRequest::List { id } => {
            let tools = desk.tools(server);
            let tools = tools.as_deref().map_err(String::as_str);
            Some(tools_answer(&id, tools))
        }
        AgentRequest::Call { id, tool, args } => {
            let result = desk.call(server, &tool, args);
            let result = result.as_ref().map_err(String::as_str);
            Some(call_answer(&id, result))
        }
    }
}
