//! Which users and groups exist in a user namespace.
#![expect(unsafe_code, reason = "it is written by a forked child")]

use std::ffi::{CStr, CString};
use std::fmt::Write;
use std::{fs, io};

use crate::after_fork::stack_text::StackText;
use crate::after_fork::syscall::{self, SyscallError};

/// What is written of a namespace; a child need not allocate for it.
#[derive(Debug)]
pub(crate) struct Maps {
    users: Map,
    groups: Map,
}

#[derive(Debug)]
struct Map {
    /// Everybody that exists here, if we are root: else files of others could not be changed in an overlay.
    all: Option<CString>,
    /// Only the user that we are.
    own: CString,
}

impl Maps {
    /// The users that exist here, each as itself.
    pub(crate) fn own() -> io::Result<Self> {
        let user = rustix::process::geteuid();
        let group = rustix::process::getegid();
        let map = |path: &str, id: u32| -> io::Result<Map> {
            let all = user
                .is_root()
                .then(|| everybody(&fs::read_to_string(path)?));
            Ok(Map {
                all: all.transpose()?,
                own: CString::new(format!("{id} {id} 1"))?,
            })
        };
        Ok(Self {
            users: map("/proc/self/uid_map", user.as_raw())?,
            groups: map("/proc/self/gid_map", group.as_raw())?,
        })
    }

    /// Writes the maps of a process that is in the namespace. The caller is outside.
    ///
    /// # Safety
    /// To be called in a forked child only.
    pub(crate) unsafe fn write(&self, pid: i32) -> Result<(), SyscallError> {
        // SAFETY: as this function.
        unsafe {
            syscall::write_file(path(pid, "setgroups")?.as_c_str(), b"deny")?;
            self.users.write(path(pid, "uid_map")?.as_c_str())?;
            self.groups.write(path(pid, "gid_map")?.as_c_str())
        }
    }
}

impl Map {
    /// # Safety
    /// As `Maps::write`.
    unsafe fn write(&self, path: &CStr) -> Result<(), SyscallError> {
        // SAFETY: as this function.
        unsafe {
            if let Some(all) = &self.all {
                // Root without the right to become others may only map itself.
                if syscall::write_file(path, all.as_bytes()).is_ok() {
                    return Ok(());
                }
            }
            syscall::write_file(path, self.own.as_bytes())
        }
    }
}

/// Maps each range of a map to itself: its first number is what it begins with here.
fn everybody(map: &str) -> io::Result<CString> {
    let mut text = String::new();
    for line in map.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[first, _, count] = words.as_slice() else {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        };
        text.extend([first, " ", first, " ", count, "\n"]);
    }
    Ok(CString::new(text)?)
}

/// Returns the path of a file that the kernel has about a process.
fn path(pid: i32, file: &str) -> Result<StackText<48>, SyscallError> {
    let mut text = StackText::new();
    write!(text, "/proc/{pid}/{file}").map_err(|_| SyscallError)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_mapped_to_themselves() {
        let map = "         0       1000          1\n         1     100000      65536\n";
        assert_eq!(everybody(map).unwrap().as_c_str(), c"0 0 1\n1 1 65536\n");
    }
}
