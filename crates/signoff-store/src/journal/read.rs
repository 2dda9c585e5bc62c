//! Goes over a journal line by line: however long it is, one line is in memory.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::head::Head;
use super::{JournalError, large, line};
use crate::files::FileError;

/// One event as it stands in the journal; every check that a line can stand by itself has been made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLine<'a> {
    /// Position, from 1.
    pub seq: u64,
    pub at: &'a str,
    /// The event's own fields as one JSON object, `type` among them.
    pub event: &'a [u8],
    pub hash: &'a str,
}

/// What there is in a journal.
#[derive(Debug)]
pub(super) struct ReadEnd {
    pub(super) head: Head,
    /// Bytes up to the end of the last complete line.
    pub(super) end: u64,
    /// What follows it.
    pub(super) torn: Vec<u8>,
}

/// Hands over every complete line. The recorded head must be among them.
pub(super) fn for_each_line<E: From<JournalError>>(
    path: &Path,
    input: impl Read,
    recorded: &Head,
    each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
) -> Result<ReadEnd, E> {
    each_after(path, input, Head::default(), recorded, each)
}

/// The same for what follows a line that was read before.
pub(super) fn each_after<E: From<JournalError>>(
    path: &Path,
    input: impl Read,
    head: Head,
    recorded: &Head,
    mut each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
) -> Result<ReadEnd, E> {
    let at = |error| JournalError::from(FileError::at("read", path)(error));
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut found = ReadEnd {
        head,
        end: 0,
        torn: Vec::new(),
    };
    let (mut bytes, mut event) = (Vec::new(), Vec::new());
    loop {
        bytes.clear();
        let count = input.read_until(b'\n', &mut bytes).map_err(at)?;
        let Some(text) = bytes.strip_suffix(b"\n") else {
            found.torn = bytes;
            recorded.check_reached(path, found.head.seq)?;
            return Ok(found);
        };
        let seq = found.head.seq + 1;
        let read = line::read(text, seq, &found.head.hash, &mut event);
        let (at, hash) = read.map_err(|reason| JournalError::Corrupt {
            path: path.to_path_buf(),
            line: seq,
            reason,
        })?;
        recorded.check_line(path, seq, hash)?;
        large::fetch(path, seq, &mut event)?;
        each(JournalLine {
            seq,
            at: &at,
            event: &event,
            hash,
        })?;
        found.head.seq = seq;
        hash.clone_into(&mut found.head.hash);
        found.end += count as u64;
    }
}
