//! Replaces or removes a file of somebody who may save it at the same moment: whatever is lost in between is looked at,
//! and put back if it is not what was expected.

use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, RenameFlags, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

use crate::tree::FileStamp;

/// How a replacement or removal ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SwapOutcome {
    Done,
    /// Somebody saved it meanwhile, and has what they saved.
    Changed,
}

/// Says of a file under its new name whether it is the one that was expected.
pub(crate) type IsExpected<'a> = &'a dyn Fn(&FileStamp) -> bool;

/// Puts the file `ours` at `name`. What is left at `ours` is to be removed.
pub(crate) fn put(
    folder: BorrowedFd<'_>,
    ours: &str,
    name: &[u8],
    is_expected: IsExpected<'_>,
) -> rustix::io::Result<SwapOutcome> {
    let mut placed = stamp_of(folder, ours.as_bytes())?;
    match exchange(folder, ours, name) {
        // Not every file system can: then the look just before has to do.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            return renameat(folder, ours, folder, name).map(|()| SwapOutcome::Done);
        }
        Err(Errno::NOENT) => return Ok(SwapOutcome::Changed),
        exchanged => exchanged?,
    }
    let mut taken = stamp_of(folder, ours.as_bytes())?;
    if is_expected(&taken) {
        return Ok(SwapOutcome::Done);
    }
    loop {
        match exchange(folder, ours, name) {
            Err(Errno::NOENT) => {
                // Removed meanwhile: what was saved before is better there than nowhere.
                put_back(folder, ours, name)?;
                return Ok(SwapOutcome::Changed);
            }
            exchanged => exchanged?,
        }
        let now = stamp_of(folder, ours.as_bytes())?;
        if now.is_same_file(&placed) {
            return Ok(SwapOutcome::Changed);
        }
        // Saved once more, over what was there for a moment: the newest goes back.
        (placed, taken) = (taken, now);
    }
}

/// Removes the file at `name`. `aside` is a name that nothing has.
pub(crate) fn remove(
    folder: BorrowedFd<'_>,
    aside: &str,
    name: &[u8],
    is_expected: IsExpected<'_>,
) -> rustix::io::Result<SwapOutcome> {
    match renameat_with(folder, name, folder, aside, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            return unlinkat(folder, name, AtFlags::empty()).map(|()| SwapOutcome::Done);
        }
        Err(Errno::NOENT) => return Ok(SwapOutcome::Done),
        moved => moved?,
    }
    if is_expected(&stamp_of(folder, aside.as_bytes())?) {
        return unlinkat(folder, aside, AtFlags::empty()).map(|()| SwapOutcome::Done);
    }
    put_back(folder, aside, name)?;
    Ok(SwapOutcome::Changed)
}

/// Moves a file back, unless something newer is there.
fn put_back(folder: BorrowedFd<'_>, aside: &str, name: &[u8]) -> rustix::io::Result<()> {
    match renameat_with(folder, aside, folder, name, RenameFlags::NOREPLACE) {
        Err(Errno::EXIST) => unlinkat(folder, aside, AtFlags::empty()),
        moved => moved,
    }
}

fn exchange(folder: BorrowedFd<'_>, one: &str, other: &[u8]) -> rustix::io::Result<()> {
    renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE)
}

fn stamp_of(folder: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<FileStamp> {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(|stat| FileStamp::of(&stat))
}
