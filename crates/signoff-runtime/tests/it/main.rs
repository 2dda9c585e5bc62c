//! The runtime without the binary. The loop is the real one; what its actions come to is scripted.

mod driving;
mod foreign_store;
mod scripted;
mod stale;
mod stopped_at_once;
