//! Answers: a document of known length, or a stream in chunks.

use std::io::{self, Write};

use super::Request;

/// The head of an answer, to be sent with a body in one of several ways.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    code: u16,
    headers: Vec<(&'static str, String)>,
    close: bool,
    chunks: bool,
    /// The answer to `HEAD` has no body.
    head_only: bool,
}

impl Response {
    pub(crate) fn new(code: u16, request: &Request) -> Self {
        Self {
            code,
            headers: Vec::new(),
            close: !request.keep_alive,
            chunks: request.understands_chunks,
            head_only: request.method == "HEAD",
        }
    }

    /// The answer to what is not a request.
    pub(crate) fn refusal(code: u16) -> Self {
        Self {
            code,
            headers: Vec::new(),
            close: true,
            chunks: false,
            head_only: false,
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Sends the whole answer.
    pub(crate) fn send(self, writer: &mut impl Write, body: &[u8]) -> io::Result<()> {
        self.send_part(writer, body, body.len())
    }

    /// Announces the body, but sends only its first bytes.
    pub(crate) fn send_part(
        self,
        writer: &mut impl Write,
        body: &[u8],
        end: usize,
    ) -> io::Result<()> {
        let length = format!("content-length: {}\r\n", body.len());
        writer.write_all(self.head(&length).as_bytes())?;
        if !self.head_only {
            writer.write_all(body.get(..end).unwrap_or(body))?;
        }
        writer.flush()
    }

    /// Sends the head of an answer whose length nobody knows yet.
    pub(crate) fn begin<W: Write>(self, writer: &mut W) -> io::Result<Chunks<'_, W>> {
        let coding = if self.chunks {
            "transfer-encoding: chunked\r\n"
        } else {
            "connection: close\r\n"
        };
        writer.write_all(self.head(coding).as_bytes())?;
        writer.flush()?;
        Ok(Chunks {
            writer,
            framed: self.chunks,
        })
    }

    fn head(&self, length: &str) -> String {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.code, reason(self.code));
        for (name, value) in &self.headers {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        }
        head.push_str(length);
        if self.close {
            head.push_str("connection: close\r\n");
        }
        head.push_str("\r\n");
        head
    }
}

/// The body of an answer that is sent piece by piece.
#[derive(Debug)]
pub(crate) struct Chunks<'w, W> {
    writer: &'w mut W,
    framed: bool,
}

impl<W: Write> Chunks<'_, W> {
    pub(crate) fn send(&mut self, piece: &str) -> io::Result<()> {
        // An empty chunk would be the end.
        if piece.is_empty() {
            return Ok(());
        }
        if self.framed {
            write!(self.writer, "{:x}\r\n{piece}\r\n", piece.len())?;
        } else {
            self.writer.write_all(piece.as_bytes())?;
        }
        self.writer.flush()
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        if self.framed {
            self.writer.write_all(b"0\r\n\r\n")?;
        }
        self.writer.flush()
    }
}

fn reason(code: u16) -> &'static str {
    match code {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}
