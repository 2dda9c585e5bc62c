//! The namespaces that commands run in.

pub(crate) mod command_namespaces;
pub(crate) mod id_maps;
pub(crate) mod init_process;
pub(crate) mod kept_mounts;
pub(crate) mod pid_namespace;
pub(crate) mod pool;
pub(crate) mod process_table;
pub(crate) mod spec;
