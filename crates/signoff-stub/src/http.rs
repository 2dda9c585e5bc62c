//! As much of HTTP/1.1 as the agents use: reads requests within limits, writes answers whole or in chunks.

mod body;
mod response;

use std::io::{self, BufRead, Read, Write};

pub(crate) use response::Response;

/// Limits that no agent comes near.
pub(crate) const MAX_HEAD: u64 = 64 << 10;
pub(crate) const MAX_BODY: u64 = 64 << 20;

/// A request as it arrived.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    /// In order, with names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// May the connection serve another request?
    pub(crate) keep_alive: bool,
    /// HTTP/1.0 knows no chunks.
    pub(crate) understands_chunks: bool,
}

impl Request {
    /// The value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(own, _)| own == name)?;
        Some(value)
    }
}

/// Why a request cannot be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The client left, also in the middle of a request.
    Closed,
    /// The request is wrong: the status to answer with, and why.
    Refused(u16, &'static str),
}

impl From<io::Error> for ReadError {
    fn from(_: io::Error) -> Self {
        Self::Closed
    }
}

/// Reads the next request of a connection. Tells a client that waits for it to send the body.
pub(crate) fn read_request(
    reader: &mut impl BufRead,
    writer: &mut impl Write,
) -> Result<Request, ReadError> {
    let mut request = read_head(reader)?;
    if request
        .header("expect")
        .is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = body::read(reader, &request)?;
    Ok(request)
}

fn read_head(reader: &mut impl BufRead) -> Result<Request, ReadError> {
    let mut head = reader.take(MAX_HEAD);
    let mut first = read_line(&mut head)?;
    // Some clients send an empty line after a body.
    while first.is_empty() {
        first = read_line(&mut head)?;
    }
    let mut request = request_line(&first)?;
    loop {
        let line = read_line(&mut head)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or(ReadError::Refused(400, "a header has no colon"))?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(ReadError::Refused(400, "a header has no valid name"));
        }
        let header = (name.to_ascii_lowercase(), value.trim().to_owned());
        request.headers.push(header);
    }
    let connection = request.header("connection").unwrap_or_default();
    if connection.eq_ignore_ascii_case("close") {
        request.keep_alive = false;
    }
    Ok(request)
}

fn request_line(line: &str) -> Result<Request, ReadError> {
    let refused = |why| ReadError::Refused(400, why);
    let words: Vec<&str> = line.split(' ').collect();
    let [method, target, version] = words[..] else {
        return Err(refused("the first line is not a request"));
    };
    let is_1_1 = version == "HTTP/1.1";
    if !is_1_1 && version != "HTTP/1.0" {
        return Err(ReadError::Refused(505, "only HTTP/1.1 is spoken here"));
    }
    // A client that takes us for a proxy sends the whole address.
    let target = match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => target,
    };
    if !target.starts_with('/') {
        return Err(refused("the target is not a path"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Ok(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        keep_alive: is_1_1,
        understands_chunks: is_1_1,
        ..Request::default()
    })
}

/// A line without its end. The limit of the reader is the limit of the head.
fn read_line<R: BufRead>(reader: &mut io::Take<R>) -> Result<String, ReadError> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(if reader.limit() == 0 {
            ReadError::Refused(431, "the head is too long")
        } else {
            ReadError::Closed
        });
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| ReadError::Refused(400, "the head is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Request, ReadError> {
        read_request(&mut &*text, &mut io::sink())
    }

    fn refusal(text: &[u8]) -> u16 {
        match read(text) {
            Err(ReadError::Refused(code, _)) => code,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_a_request_with_a_length() {
        let request = read(
            b"\r\nPOST http://localhost:1/v1/messages?beta=true HTTP/1.1\r\nX-Api-Key:  k \r\nContent-Length: 2\r\n\r\n{}more",
        )
        .expect("a request");
        assert_eq!(request.method, "POST");
        assert_eq!(request.path, "/v1/messages");
        assert_eq!(request.query, "beta=true");
        assert_eq!(request.header("x-api-key"), Some("k"));
        assert_eq!(request.body, b"{}");
        assert!(request.keep_alive);
    }

    #[test]
    fn reads_a_request_in_chunks() {
        let text = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: Close\r\n\r\n\
            3;name=x\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
        let request = read(text).expect("a request");
        assert_eq!(request.body, b"abc0123456789");
        assert!(!request.keep_alive);
    }

    #[test]
    fn tells_a_waiting_client_to_go_on() {
        let text = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx";
        let mut told = Vec::new();
        read_request(&mut &text[..], &mut told).expect("a request");
        assert_eq!(told, b"HTTP/1.1 100 Continue\r\n\r\n");
    }

    #[test]
    fn refuses_what_it_cannot_understand() {
        assert_eq!(refusal(b"GET /\r\n\r\n"), 400);
        assert_eq!(refusal(b"GET / HTTP/2.0\r\n\r\n"), 505);
        assert_eq!(refusal(b"GET x HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(refusal(b"GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
        assert_eq!(refusal(b"GET / HTTP/1.1\r\nx\xff: 1\r\n\r\n"), 400);
        assert_eq!(
            refusal(b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
            400
        );
        assert_eq!(
            refusal(b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
            413
        );
        assert_eq!(
            refusal(b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
            400
        );
        assert_eq!(
            refusal(b"GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"),
            501
        );
        let chunked = b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(refusal(&[&chunked[..], b"zz\r\n"].concat()), 400);
        assert_eq!(refusal(&[&chunked[..], b"1\r\nabc\r\n"].concat()), 400);
        assert_eq!(
            refusal(&[&chunked[..], b"ffffffffffffffff\r\n"].concat()),
            413
        );
        let long = [b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'y'; 70_000]].concat();
        assert_eq!(refusal(&long), 431);
    }

    #[test]
    fn every_beginning_of_a_request_is_an_early_end() {
        let text = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        for end in 0..text.len() {
            let outcome = read(&text[..end]);
            assert!(
                matches!(outcome, Err(ReadError::Closed)),
                "{end}: {outcome:?}"
            );
        }
        assert!(read(text).is_ok());
    }
}
