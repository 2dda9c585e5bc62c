//! Messages as lines, on standard input and output or on any other pair of streams.
//!
//! The SDK drops what it cannot read without a word. Here every line is answered: too long, no JSON, no message.

use std::io;

use rmcp::model::{ClientJsonRpcMessage, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServiceExt as _};
use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::sync::mpsc;

use crate::server::Server;

/// Bytes of one message: more than the largest plan has, and less than would hurt.
pub const LONGEST_MESSAGE: usize = 16 << 20;

/// Answers that wait to be written: whoever does not read them is not read either.
const QUEUE: usize = 64;

/// Serves one client on standard input and output until it closes them.
pub fn serve_stdio(server: Server) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let (read, write) = stdio_pipes();
        serve_streams(server, read, write).await
    });
    // Whoever still waits for a run waits for nobody now.
    runtime.shutdown_background();
    served
}

/// The same on these streams.
pub async fn serve_streams(
    server: Server,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let (send, written) = mpsc::channel(QUEUE);
    let writer = tokio::spawn(write_lines(write, written));
    let lines = Lines {
        read: BufReader::new(read),
        send,
        line: Vec::new(),
        is_too_long: false,
        has_begun: false,
    };
    let served = match server.serve(lines).await {
        Ok(running) => running.waiting().await.map(|_| ()),
        // It closed its end before it said anything.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => return Err(io::Error::other(error)),
    };
    served.map_err(io::Error::other)?;
    match writer.await.map_err(io::Error::other)? {
        // Nobody reads any more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes what is queued, and whole lines only.
async fn write_lines(
    mut write: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        write.write_all(&line).await?;
        write.flush().await?;
    }
    Ok(())
}

/// A transport of one message per line.
struct Lines<R> {
    read: BufReader<R>,
    send: mpsc::Sender<Vec<u8>>,
    /// The line so far: a call of `receive` may be given up in its middle.
    line: Vec<u8>,
    /// The rest of the line is skipped.
    is_too_long: bool,
    /// A request has come. Until then notifications mean nothing.
    has_begun: bool,
}

/// What came in.
enum Incoming {
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing that is answered.
    Ignored,
    Bad(ErrorData, Option<RequestId>),
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let send = self.send.clone();
        async move { send_line(&send, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let incoming =
                match read_line(&mut self.read, &mut self.line, &mut self.is_too_long).await {
                    Ok(LineEnd::Whole) => understand(&self.line),
                    Ok(LineEnd::TooLong) => Incoming::Bad(
                        ErrorData::invalid_request(
                            format!("a message has at most {LONGEST_MESSAGE} bytes"),
                            None,
                        ),
                        None,
                    ),
                    Ok(LineEnd::Closed) | Err(_) => return None,
                };
            self.line.clear();
            match incoming {
                Incoming::Message(message) => {
                    let is_request = matches!(*message, ClientJsonRpcMessage::Request(_));
                    self.has_begun |= is_request;
                    if self.has_begun {
                        return Some(*message);
                    }
                }
                Incoming::Ignored => {}
                Incoming::Bad(error, id) => {
                    let answer = ServerJsonRpcMessage::error(error, id);
                    send_line(&self.send, &answer).await.ok()?;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        // The writer ends with the last line that is queued.
        Ok(())
    }
}

async fn send_line(send: &mpsc::Sender<Vec<u8>>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    send.send(line).await.map_err(gone)
}

/// How a line ended.
enum LineEnd {
    Whole,
    TooLong,
    /// The other end has closed; an unfinished line is not a message.
    Closed,
}

/// Reads the rest of a line. Nothing is lost if it is given up.
async fn read_line(
    read: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    is_too_long: &mut bool,
) -> io::Result<LineEnd> {
    loop {
        let available = read.fill_buf().await?;
        if available.is_empty() {
            return Ok(LineEnd::Closed);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        let text = available.get(..end.unwrap_or(taken)).unwrap_or_default();
        if line.len() + text.len() > LONGEST_MESSAGE {
            *is_too_long = true;
            *line = Vec::new();
        }
        if !*is_too_long {
            line.extend_from_slice(text);
        }
        read.consume(taken);
        if end.is_some() {
            return Ok(if std::mem::take(is_too_long) {
                LineEnd::TooLong
            } else {
                LineEnd::Whole
            });
        }
    }
}

fn understand(line: &[u8]) -> Incoming {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Incoming::Ignored;
    }
    let why = match serde_json::from_slice(line) {
        Ok(message) => return Incoming::Message(Box::new(message)),
        Err(why) => why,
    };
    // Without its position in the line, which the client does not see as we do.
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Incoming::Bad(
            ErrorData::parse_error(format!("this is not JSON: {why}"), None),
            None,
        );
    };
    let id = value.get("id").cloned();
    if value.get("method").is_some() && id.is_none() {
        // A notification that we do not know.
        return Incoming::Ignored;
    }
    let id = id.and_then(|id| serde_json::from_value(id).ok());
    let message = format!("this is not a message of the protocol: {why}");
    Incoming::Bad(ErrorData::invalid_request(message, None), id)
}
