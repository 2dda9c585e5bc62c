//! What the guard in front of coding agents keeps: which sessions are in plan mode, and what it decided. It lies in the
//! user's state directory and not in a project, so that a project that vanishes switches nothing off.

pub mod decisions;
pub mod plan_mode;

use std::path::{Path, PathBuf};

fn directory(state_dir: &Path) -> PathBuf {
    state_dir.join("guard")
}
