//! The namespaces that commands run in: how they are made, used again, and emptied.
//!
//! Three processes set a command up. The *setup process* makes namespaces and mounts, starts the other two as its
//! siblings, and exits. The *init process* is the first of the PID namespace. It only waits: the kernel gives it
//! orphans, which it need not reap, and when it dies the kernel kills every process of the namespace. The *leader*
//! becomes the command. It is a direct child of this process, so its exit status is what it would be outside. As the
//! init process itself it could ignore signals, and what it leaves running would die before its output is read.

pub(crate) mod command_namespaces;
pub(crate) mod id_maps;
pub(crate) mod init_process;
pub(crate) mod kept_mounts;
pub(crate) mod make;
pub(crate) mod make_mounts;
pub(crate) mod pid_namespace;
pub(crate) mod pool;
pub(crate) mod process_table;
pub(crate) mod spec;
