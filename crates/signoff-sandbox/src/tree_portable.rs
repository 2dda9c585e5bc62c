//! The end of a command's tree where there is no `/proc`: its process group, and no more.

use std::io;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::brand::Brand;

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) leader: Pid,
    #[expect(dead_code, reason = "brands are told by /proc")]
    pub(crate) brand: Option<Brand>,
    #[expect(dead_code, reason = "markers are told by /proc")]
    pub(crate) marker: Option<String>,
    #[expect(dead_code, reason = "children of a thread are told by /proc")]
    pub(crate) spawner: u32,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Swept {
    pub(crate) ended: usize,
    pub(crate) left: usize,
}

#[expect(clippy::unnecessary_wraps, reason = "the other systems can fail")]
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

pub(crate) fn lock_children() {}

impl Tree {
    pub(crate) fn end(&self) -> Swept {
        kill_process_group(self.leader, Signal::KILL).ok();
        Swept::default()
    }

    #[expect(clippy::unused_self, reason = "orphans go elsewhere here")]
    pub(crate) fn reap_orphans(&self) {}
}
