//! What a process does to restrict itself: Landlock rules, a system call filter, dropped privileges, a memory limit.

pub(crate) mod landlock;
pub(crate) mod memory_group;
pub(crate) mod privileges;
pub(crate) mod seccomp;
