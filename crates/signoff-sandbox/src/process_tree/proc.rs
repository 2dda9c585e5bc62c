//! What `/proc` says about processes.
//!
//! Everything here may be out of date when it is returned. A process that is gone reads as absent.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{fs, thread};

use crate::process_tree::MARKER;
use crate::process_tree::tags::{CommandTag, RunTag};

/// How long a process may be in exec before it counts as having no environment.
const EXEC_PATIENCE: Duration = Duration::from_secs(1);

/// One process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessStat {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) session: u32,
    pub(crate) starttime: u64,
    /// It has exited, but its parent has not reaped it yet.
    pub(crate) exited: bool,
}

pub(crate) fn stat(pid: u32) -> Option<ProcessStat> {
    parse_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(pid: u32, text: &[u8]) -> Option<ProcessStat> {
    Some(ProcessStat {
        pid,
        parent: field(text, 4)?.parse().ok()?,
        session: field(text, 6)?.parse().ok()?,
        starttime: field(text, 22)?.parse().ok()?,
        exited: matches!(field(text, 3)?, "Z" | "X"),
    })
}

/// Returns a field by its number in `proc(5)`, from 3 on.
fn field(stat: &[u8], number: usize) -> Option<&str> {
    // The name is in parentheses, and may contain anything itself.
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = std::str::from_utf8(&stat[after_name..]).ok()?;
    text.split_ascii_whitespace().nth(number - 3)
}

/// Returns the numbers of all processes.
pub(crate) fn all_processes() -> Vec<u32> {
    numbers_in("/proc")
}

/// Returns the children of a process, whichever of its threads started them.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    if !lists_children() {
        let stats = all_processes().into_iter().filter_map(stat);
        return stats
            .filter(|found| found.parent == pid)
            .map(|found| found.pid)
            .collect();
    }
    let threads = numbers_in(&format!("/proc/{pid}/task"));
    threads
        .into_iter()
        .flat_map(|thread| children_of_thread(pid, thread))
        .collect()
}

/// Returns the children that one thread started or adopted.
pub(crate) fn children_of_thread(pid: u32, thread: u32) -> Vec<u32> {
    if !lists_children() {
        return children(pid);
    }
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/children"));
    let text = text.unwrap_or_default();
    text.split_ascii_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect()
}

/// Returns the number of the PID namespace that a process is in, if we may see it.
pub(crate) fn process_namespace(pid: u32) -> Option<u64> {
    let found = fs::metadata(format!("/proc/{pid}/ns/pid")).ok()?;
    Some(found.ino())
}

/// Returns the value of [`MARKER`] that a process was started with, if we may see it.
pub(crate) fn marker(pid: u32) -> Option<Vec<u8>> {
    let environ = environ(pid)?;
    let mut variables = environ.split(|byte| *byte == 0);
    variables.find_map(|variable| {
        let value = variable
            .strip_prefix(MARKER.as_bytes())?
            .strip_prefix(b"=")?;
        Some(value.to_vec())
    })
}

fn environ(pid: u32) -> Option<Vec<u8>> {
    let patience = Instant::now() + EXEC_PATIENCE;
    loop {
        let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
        if !environ.is_empty() || !is_in_exec(pid) || Instant::now() >= patience {
            return Some(environ);
        }
        thread::yield_now();
    }
}

/// Whether a process is in exec or about to exit: for a moment it seems to have no environment.
fn is_in_exec(pid: u32) -> bool {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    let Ok(text) = fs::read(format!("/proc/{pid}/stat")) else {
        return false;
    };
    let number = |number| field(&text, number)?.parse::<u64>().ok();
    let (flags, environment_end) = (number(9).unwrap_or(0), number(51));
    let exited = parse_stat(pid, &text).is_none_or(|process| process.exited);
    environment_end == Some(0) && flags & KERNEL_THREAD == 0 && !exited
}

/// Returns the command tag of a process, if it has one and we may see it.
pub(crate) fn command_tag(pid: u32) -> Option<CommandTag> {
    parse_command_tag(&fs::read_to_string(format!("/proc/{pid}/limits")).ok()?)
}

fn parse_command_tag(limits: &str) -> Option<CommandTag> {
    CommandTag::from_limit(hard_limit(limits, "Max file locks")?)
}

/// Whether a process has the tag of a run.
pub(crate) fn has_run_tag(pid: u32, tag: RunTag) -> bool {
    fs::read_to_string(format!("/proc/{pid}/limits"))
        .is_ok_and(|limits| hard_limit(&limits, "Max resident set") == Some(tag.limit()))
}

fn hard_limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    // Soft limit, hard limit, unit. A process can change the soft limit freely.
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

pub(crate) fn boot_id() -> &'static str {
    static BOOT_ID: OnceLock<String> = OnceLock::new();
    BOOT_ID.get_or_init(|| {
        let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        text.trim_end().to_owned()
    })
}

// A kernel may be built without these lists.
fn lists_children() -> bool {
    static LISTS: OnceLock<bool> = OnceLock::new();
    *LISTS.get_or_init(|| fs::exists("/proc/thread-self/children").unwrap_or(false))
}

fn numbers_in(directory: &str) -> Vec<u32> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            std::str::from_utf8(entry.file_name().as_bytes())
                .ok()?
                .parse()
                .ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_name_made_to_confuse() {
        let text = b"42 (a) Z 1 (b c)) S 7 42 43 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 987 0";
        let expected = ProcessStat {
            pid: 42,
            parent: 7,
            session: 43,
            starttime: 987,
            exited: false,
        };
        assert_eq!(parse_stat(42, text), Some(expected));
        assert_eq!(parse_stat(42, b"42 (cut"), None);
        assert_eq!(parse_stat(42, b"42 (cut) S 1"), None);
    }

    #[test]
    fn sees_itself() {
        let own = stat(std::process::id()).unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(!own.exited && own.starttime > 0);
        assert!(all_processes().contains(&own.pid));
    }

    #[test]
    fn reads_only_limits_that_are_tags() {
        let line = |hard: &str| {
            format!("Limit Soft Hard Units\nMax file locks   unlimited  {hard}  locks\n")
        };
        assert_eq!(parse_command_tag(&line("unlimited")), None);
        assert_eq!(parse_command_tag(&line("1024")), None);
        let limit = (0x4 << 60) + 5;
        assert_eq!(
            parse_command_tag(&line(&limit.to_string())).map(CommandTag::limit),
            Some(limit)
        );
    }
}
