//! The JSON values of a stream: server-sent events, or one on each line.

use serde_json::Value;

/// Bytes of a line that are kept. No event of a text is longer.
const LONGEST: usize = 4 << 20;

/// Splits a stream into its values.
#[derive(Debug, Default)]
pub(super) struct EventLines {
    line: Vec<u8>,
}

impl EventLines {
    /// Takes bytes; returns the values of the lines that end in them. What is no JSON is passed over.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Value> {
        let mut values = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() <= LONGEST {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                values.extend(self.finish());
            }
        }
        values
    }

    /// The value of the last line, if it did not end.
    pub(super) fn finish(&mut self) -> Option<Value> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        // `event:`, `id:` and `retry:` repeat what the data says; a colon begins a comment.
        let other = ["event:", "id:", "retry:", ":"];
        if line.is_empty() || other.iter().any(|name| line.starts_with(name)) {
            return None;
        }
        let data = line.strip_prefix("data:").unwrap_or(line).trim();
        if data == "[DONE]" {
            return None;
        }
        serde_json::from_str(data).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_come_in_any_pieces() {
        let text = "event: x\ndata: {\"a\": \"ä\"}\n\n: ping\n{\"b\":1}\r\ndata: [DONE]\n\ndata: <html>\ndata: {\"c\"";
        let expected = vec![json!({"a": "ä"}), json!({"b": 1})];
        for size in 1..text.len() {
            let mut lines = EventLines::default();
            let mut values = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                values.extend(lines.push(piece));
            }
            values.extend(lines.finish());
            assert_eq!(values, expected, "{size}");
        }
    }

    #[test]
    fn an_endless_line_is_not_kept() {
        let mut lines = EventLines::default();
        for _ in 0..10 {
            assert_eq!(lines.push(&vec![b'x'; 1 << 20]), Vec::<Value>::new());
        }
        assert!(lines.line.len() <= LONGEST);
    }
}
