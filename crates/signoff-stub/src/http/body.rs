//! The body of a request: of a given length, or in chunks.

use std::io::{BufRead, Read};

use super::{MAX_BODY, MAX_HEAD, ReadError, Request, read_line};

const TOO_LONG: ReadError = ReadError::Refused(413, "the body is too long");

/// Reads the body that the head announces.
pub(super) fn read(reader: &mut impl BufRead, request: &Request) -> Result<Vec<u8>, ReadError> {
    let length = request.header("content-length");
    match (request.header("transfer-encoding"), length) {
        (Some(_), Some(_)) => Err(ReadError::Refused(400, "the body has two lengths")),
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => read_chunks(reader),
        (Some(_), None) => Err(ReadError::Refused(501, "only chunks are understood")),
        (None, None) => Ok(Vec::new()),
        (None, Some(length)) => {
            let length = length
                .parse()
                .map_err(|_| ReadError::Refused(400, "the length is not a number"))?;
            let mut body = Vec::new();
            append(reader, length, &mut body)?;
            Ok(body)
        }
    }
}

fn read_chunks(reader: &mut impl BufRead) -> Result<Vec<u8>, ReadError> {
    let wrong = || ReadError::Refused(400, "a chunk is malformed");
    let mut body = Vec::new();
    loop {
        let line = read_line(&mut reader.take(MAX_HEAD))?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = u64::from_str_radix(digits, 16).map_err(|_| wrong())?;
        if length == 0 {
            break;
        }
        append(reader, length, &mut body)?;
        if !read_line(&mut reader.take(MAX_HEAD))?.is_empty() {
            return Err(wrong());
        }
    }
    // Trailers say nothing to us.
    let mut trailers = reader.take(MAX_HEAD);
    while !read_line(&mut trailers)?.is_empty() {}
    Ok(body)
}

/// Appends exactly this many bytes, within the limit. What a client announces is not allocated before it arrives.
fn append(reader: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> Result<(), ReadError> {
    let before = body.len() as u64;
    if length > MAX_BODY.saturating_sub(before) {
        return Err(TOO_LONG);
    }
    reader.take(length).read_to_end(body)?;
    if body.len() as u64 == before + length {
        Ok(())
    } else {
        Err(ReadError::Closed)
    }
}
