//! The end of a command's tree where there is no `/proc`: its process group, and no more.

use std::io;
use std::sync::Arc;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::brand::Brand;
use crate::spawner::Spawner;

#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) leader: Pid,
    #[expect(dead_code, reason = "brands are told by /proc")]
    pub(crate) brand: Option<Brand>,
    #[expect(dead_code, reason = "markers are told by /proc")]
    pub(crate) marker: Option<String>,
    #[expect(dead_code, reason = "children of a thread are told by /proc")]
    pub(crate) spawner: Arc<Spawner>,
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

/// Leaders of commands; nobody has to tell them from others here.
#[derive(Debug)]
pub(crate) struct Leaders;

pub(crate) fn lock_children() -> Leaders {
    Leaders
}

#[expect(clippy::unused_self, reason = "the other systems remember")]
impl Leaders {
    pub(crate) fn remember(&mut self, _leader: Pid) {}

    pub(crate) fn forget(&mut self, _leader: Pid) {}
}

impl Tree {
    pub(crate) fn end(&self) -> Swept {
        kill_process_group(self.leader, Signal::KILL).ok();
        Swept::default()
    }

    #[expect(clippy::unused_self, reason = "orphans go elsewhere here")]
    pub(crate) fn reap_orphans(&self) {}
}
