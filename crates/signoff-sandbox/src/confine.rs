//! What a command is kept from: rules of Landlock, refused system calls, privileges, memory.

pub(crate) mod landlock;
pub(crate) mod memory_group;
pub(crate) mod privileges;
pub(crate) mod seccomp;
