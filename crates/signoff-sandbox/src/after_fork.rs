//! What the code of a forked child may use: system calls, and memory that was there before the fork.

pub(crate) mod descriptors;
pub(crate) mod failure;
pub(crate) mod signals;
pub(crate) mod stack;
pub(crate) mod stack_text;
pub(crate) mod syscall;
