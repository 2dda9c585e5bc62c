//! Server-sent events, in which a server over HTTP may wrap its messages.

use std::io::{self, BufRead};
use std::ops::ControlFlow;

/// Passes the data of every event on until the stream ends or the receiver wants no more. How much is read at most is the reader's.
pub(super) fn read_events(
    mut from: impl BufRead,
    mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<()> {
    let (mut line, mut data) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            // An event without its empty line never came whole.
            return Ok(());
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            let whole = std::mem::take(&mut data);
            if !whole.is_empty() && each(&whole).is_break() {
                return Ok(());
            }
        } else if let Some(part) = text.strip_prefix(b"data:") {
            if !data.is_empty() {
                data.push(b'\n');
            }
            data.extend_from_slice(part.strip_prefix(b" ").unwrap_or(part));
        }
        // Comments, ids and names of events say nothing here.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        let mut seen = Vec::new();
        read_events(stream.as_bytes(), |data| {
            seen.push(String::from_utf8(data.to_vec()).unwrap());
            if data == b"stop" {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(seen, expected, "{stream:?}");
    }

    #[test]
    fn events_are_their_data() {
        check("", &[]);
        check("data: a\n\n", &["a"]);
        check(
            "event: message\r\nid: 7\r\ndata:a\r\ndata: b\r\n\r\n",
            &["a\nb"],
        );
        check(": ping\n\n: ping\n\ndata: {}\n\nretry: 3\n\n", &["{}"]);
        check("data:  two\n\ndata: stop\n\ndata: c\n\n", &[" two", "stop"]);
        check("data: never ended", &[]);
        check("data: never ended\n", &[]);
    }
}
