//! Which users and groups exist in a user namespace.
#![expect(unsafe_code, reason = "it is written by a forked child")]

use std::ffi::{CStr, CString};
use std::fmt::Write;
use std::{fs, io};

use crate::after_fork::stack_text::StackText;
use crate::after_fork::syscall::{self, SyscallError};

/// The maps of a user namespace, so that a child need not allocate to write them.
#[derive(Debug)]
pub(crate) struct IdMaps {
    users: IdMap,
    groups: IdMap,
}

#[derive(Debug)]
struct IdMap {
    /// All users that exist here, if we are root: otherwise files of others could not be changed in an overlay.
    all: Option<CString>,
    /// Only our own user.
    own: CString,
}

impl IdMaps {
    /// Maps each user that exists here to itself.
    pub(crate) fn identity_maps() -> io::Result<Self> {
        let user = rustix::process::geteuid();
        let group = rustix::process::getegid();
        let map = |path: &str, id: u32| -> io::Result<IdMap> {
            let all = user
                .is_root()
                .then(|| all_users(&fs::read_to_string(path)?));
            Ok(IdMap {
                all: all.transpose()?,
                own: CString::new(format!("{id} {id} 1"))?,
            })
        };
        Ok(Self {
            users: map("/proc/self/uid_map", user.as_raw())?,
            groups: map("/proc/self/gid_map", group.as_raw())?,
        })
    }

    /// Writes the maps of the namespace that a process is in. The caller is outside of it.
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

impl IdMap {
    /// # Safety
    /// As `IdMaps::write`.
    unsafe fn write(&self, path: &CStr) -> Result<(), SyscallError> {
        // SAFETY: as this function.
        unsafe {
            if let Some(all) = &self.all {
                // Root without the capability to become another user may map only itself.
                if syscall::write_file(path, all.as_bytes()).is_ok() {
                    return Ok(());
                }
            }
            syscall::write_file(path, self.own.as_bytes())
        }
    }
}

/// Maps each range of a map to itself. Its first number is where the range begins in our namespace.
fn all_users(map: &str) -> io::Result<CString> {
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

/// Returns the path of a process's file in `/proc`.
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
        assert_eq!(all_users(map).unwrap().as_c_str(), c"0 0 1\n1 1 65536\n");
    }
}
