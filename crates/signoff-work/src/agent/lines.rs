//! Cuts a stream of bytes into lines.

/// The longest line that is read. Agents put whole files into a line, but not more than they show a model.
const LONGEST: usize = 4 * 1024 * 1024;

/// Lines of a stream that arrives in chunks. It splits on `\n` only: JSON may hold U+2028 and the like unescaped.
///
/// A line longer than the limit is dropped while it arrives, so an agent that prints a gigabyte without a line break
/// costs no memory.
#[derive(Debug)]
pub struct LineSplitter {
    pending: Vec<u8>,
    longest: usize,
    /// The rest of the present line is dropped.
    overlong: bool,
    dropped: u64,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_longest(LONGEST)
    }
}

impl LineSplitter {
    /// Lines up to this length.
    pub fn with_longest(longest: usize) -> Self {
        Self {
            pending: Vec::new(),
            longest,
            overlong: false,
            dropped: 0,
        }
    }

    /// Takes a chunk, and passes every line that it completes without its line break.
    pub fn push(&mut self, chunk: &[u8], mut line: impl FnMut(&[u8])) {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (part, behind) = rest.split_at(end);
            rest = &behind[1..];
            if self.pending.is_empty() && !self.overlong && part.len() <= self.longest {
                line(part);
                continue;
            }
            self.keep(part);
            self.complete(&mut line);
        }
        self.keep(rest);
    }

    /// The stream has ended: passes what is left as the last line.
    pub fn finish(&mut self, mut line: impl FnMut(&[u8])) {
        if self.overlong || !self.pending.is_empty() {
            self.complete(&mut line);
        }
    }

    /// How many lines were too long.
    pub fn dropped_lines(&self) -> u64 {
        self.dropped
    }

    fn keep(&mut self, part: &[u8]) {
        if self.overlong {
            return;
        }
        if self.pending.len() + part.len() > self.longest {
            self.overlong = true;
            self.pending = Vec::new();
        } else {
            self.pending.extend_from_slice(part);
        }
    }

    fn complete(&mut self, line: &mut impl FnMut(&[u8])) {
        if self.overlong {
            self.dropped += 1;
        } else {
            line(&self.pending);
        }
        self.overlong = false;
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, u64) {
        let mut splitter = LineSplitter::with_longest(8);
        let mut lines = Vec::new();
        for chunk in chunks {
            splitter.push(chunk, |line| lines.push(line.to_vec()));
        }
        splitter.finish(|line| lines.push(line.to_vec()));
        (lines, splitter.dropped_lines())
    }

    fn check(chunks: &[&[u8]], expected: &[&str], dropped: u64) {
        let expected = expected.iter().map(|line| line.as_bytes().to_vec());
        assert_eq!(lines(chunks), (expected.collect(), dropped));
    }

    #[test]
    fn splits_on_line_breaks_only() {
        check(&[b"a\nb", b"c\n", b"", b"d"], &["a", "bc", "d"], 0);
        check(
            &["a\u{2028}b\n\nc\r\n".as_bytes()],
            &["a\u{2028}b", "", "c\r"],
            0,
        );
    }

    #[test]
    fn drops_long_lines_and_reads_on() {
        check(&[b"12345678\n123456789\nok\n"], &["12345678", "ok"], 1);
        check(&[b"12345", b"6789", b"0\nok\n123456", b"789"], &["ok"], 2);
    }

    proptest! {
        #[test]
        fn chunks_do_not_matter(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200), at in 0usize..200) {
            let (head, tail) = bytes.split_at(at.min(bytes.len()));
            prop_assert_eq!(lines(&[head, tail]), lines(&[&bytes]));
        }
    }
}
